/**
 * The instances of a cluster as one scheduler (K1, K9): what each of them says becomes records that the theory knows already.
 *
 *     an instance                     the one scheduler
 *     the first joins                 initialize, with its list
 *     one joins, the list is new      another list while it runs (I5); nothing if the list stays as it is
 *     one is gone                     a crash of the runs that it had, and of no other (`UnexpectedShutdown` with `tasks`)
 *     the last one leaves             stop
 *     all have fallen silent          a crash
 *     no active one has a name        a pause of that name, which catches up when one has it again: nobody can start it (K5)
 *     one could not work              trouble: what was owed then is excused
 *     run records of one that is gone nothing: a callback that still executes is not current (K4)
 *
 * *The list* is every name that is stored: an initialize brings names and their configuration, which the others follow, and forgets names
 * that it lacks (K5). The store decides which of them, and says so: `forgotten` are those that went with an initialize, and `added` those that
 * it did not have when they came, so that they begin anew even if no trace tells when they went. A run goes on
 * under the list that it was claimed under (`flights.ts`).
 *
 * *Gone* is what the store says, and nothing else. `InstanceGone` is written by an instance that has read of a run that was cut off, before it
 * claims that task, or has seen a member vanish, or finds itself absent. So the start of a task whose run is current has no such word before
 * it, and breaks S1. *Silent* is an instance whose trace has ended without a stop: nothing is asked of it any more, but its runs are current
 * until the store says that it is gone.
 *
 * What the merged trace cannot show: whether an `initialize` or a `stop` of one instance took too long (each trace says so itself).
 */
import type { RecordOf, RunEvent, TraceRecord } from '../record.ts';
import { ClusterList, type Configuration, type InstanceList, isSameConfiguration } from './cluster-list.ts';
import { type Flight, Flights } from './flights.ts';
import { type InstanceItem, MEASURED_WITHIN_MS } from './instance-lines.ts';
import { Instances } from './instances.ts';

/** A start that an instance has decided, as its trace tells when the store has granted it. */
export interface Claim {
  readonly record: RecordOf<'StartDurable'>;
  readonly instance: string;
}

/** Where the item comes from that a record was made for. */
type Emit = (record: TraceRecord, item: InstanceItem) => void;
type Item<Kind extends InstanceItem['kind']> = Extract<InstanceItem, { kind: Kind }>;

export class OneScheduler {
  readonly #emit: Emit;
  readonly #instances = new Instances();
  readonly #list = new ClusterList();
  readonly #flights = new Flights();
  /** The names that no active instance has, and those that an operator has paused. */
  readonly #homeless = new Set<string>();
  readonly #paused = new Set<string>();
  /** Every pause that the store has told of. */
  readonly #pauses = new Set<string>();
  #isActive = false;
  #calls = 0;
  #crashedAt: number | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(emit: Emit) {
    this.#emit = (record, item) => {
      // Clocks are measured, so an instance may be some milliseconds behind another one that went before it.
      this.#lastAt = Math.max(this.#lastAt, record.at);
      emit(record.at === this.#lastAt ? record : { ...record, at: this.#lastAt }, item);
    };
  }

  /** The other instance that has the current run of the task which this item starts, and that run; of one that is gone nothing starts (K4). */
  rivalOf(item: InstanceItem): Flight | undefined {
    if (item.kind !== 'record' || this.#instances.isGone(item.instance)) return undefined;
    const { record, instance } = item;
    if (record.event !== 'StartDurable' && record.event !== 'RunStart') return undefined;
    return this.#flights.rival(record.task, instance);
  }

  /** The trace of these instances has ended. Those that are not gone say nothing any more. */
  silence(instances: Iterable<string>, item: InstanceItem): void {
    this.#instances.silence(instances);
    // Its end was not later than what came last; what comes next may be hours away.
    this.#reconsider(item, Math.max(this.#lastAt, Number.MIN_SAFE_INTEGER));
  }

  /** `claims` are given with a list: the starts that other instances decided by then, as far as they know, and hear of later. */
  take(item: InstanceItem, claims: readonly Claim[] = []): void {
    switch (item.kind) {
      case 'joined':
        this.#joined(item, claims);
        break;
      case 'came':
        this.#came(item);
        break;
      case 'gone':
      case 'left':
        this.#gone(item);
        break;
      case 'stopping':
      case 'silent':
        if (item.kind === 'stopping') this.#flights.stopping(item.instance);
        if (this.#instances.turned(item.instance, item.kind)) this.#reconsider(item);
        break;
      case 'withheld':
        this.#withheld(item);
        break;
      case 'record':
        this.#record(item);
        break;
      case 'problem':
        break;
    }
    // A run is over that went on under the list of before, or its instance has heard of the next one.
    if (this.#flights.takeChange() && this.#isActive) this.#emitList(item);
  }

  #joined(item: Item<'joined'>, claims: readonly Claim[]): void {
    const { instance, list, at } = item;
    const { registrations, timeZone: zone, workers = Infinity } = list;
    const names = new Map(registrations.map((each) => [each.name, { registration: each, zone }]));
    const { forgotten, added = [], epoch, plannedAt } = item.success;
    if (this.#crashedAt !== undefined) {
      this.#emit({ event: 'Frozen', at, from: this.#crashedAt, to: at }, item);
      this.#crashedAt = undefined;
    }
    this.#beginAnew(added, epoch, item);
    this.#instances.joined(instance, names, workers);
    if (list.follows !== true) this.#forget(names, forgotten, epoch);
    const before = new Map(this.#list.names.map((name) => [name, this.#list.of(name)]));
    this.#list.store(names, zone, at, epoch);
    this.#flights.listed(
      instance,
      (task) => names.has(task),
      (task) => before.get(task),
      (task) => this.#list.of(task),
    );
    for (const claim of claims) this.#granted(claim);
    const isChanged = [this.#list.takeChange(), this.#flights.takeChange()].includes(true);
    if (isChanged || !this.#isActive) this.#emitList(item, plannedAt === undefined ? {} : { plannedAt });
    this.#isActive = true;
    this.#reconsider(item);
  }

  /**
   * An initialize forgets names that it lacks and nobody else has (K5). One that runs stays. The store knows best which these are: an instance
   * may have left before its trace says so. Only a trace that has no word of the store leaves it to who is present.
   */
  #forget(names: InstanceList, forgotten: readonly string[] | undefined, epoch: number | undefined): void {
    for (const name of forgotten ?? []) this.#forgetName(name, epoch);
    if (forgotten !== undefined) return;
    for (const name of this.#list.names)
      if (!names.has(name) && !this.#flights.has(name) && !this.#isHad(name)) this.#forgetName(name);
  }

  /**
   * The store did not have these names when they came, so it has forgotten what the merged list still knows of them: with the end of a run
   * that its instance had dropped (I5), for one. When exactly that was, no trace says, and it does not matter: a name that is forgotten is
   * had by no instance, so nothing was owed of it meanwhile.
   */
  #beginAnew(added: readonly string[], epoch: number | undefined, item: InstanceItem): void {
    for (const name of added) this.#forgetName(name, epoch);
    if (!this.#list.takeChange()) return;
    this.#emitList(item);
    this.#isActive = true;
  }

  /**
   * The store has these names since then. The list that brought them may be in no trace: its process died, or never heard that it was stored
   * (T11). Then they begin here, and wait for an instance that has them.
   */
  #came(item: Item<'came'>): void {
    const { at, cameAt } = item;
    const isNews = (name: string): boolean => (this.#list.of(name)?.came ?? -Infinity) < cameAt;
    const names = new Map(Array.from(item.names).filter(([name]) => isNews(name)));
    if (!this.#isActive || names.size === 0) return;
    this.#beginAnew([...names.keys()], undefined, item);
    this.#list.store(names, this.#list.zone, Math.max(at, cameAt));
    if (this.#list.takeChange()) this.#emitList(item);
    this.#reconsider(item);
  }

  /** A pause belongs to the name, and is forgotten with it (I3). */
  #forgetName(name: string, epoch?: number): void {
    if (!this.#list.forget(name, epoch)) return;
    this.#homeless.delete(name);
    this.#paused.delete(name);
  }

  /** Whether an instance that is present has a name. */
  #isHad(name: string): boolean {
    return this.#instances.present.some(({ names }) => names.has(name));
  }

  /** The list that counts, with the configurations that tasks run under. */
  #emitList(
    item: InstanceItem,
    planned: Pick<RecordOf<'InitSuccess'>, 'plannedAt'> = {},
    under: InstanceList = this.#flights.configurations,
  ): void {
    const { at } = item;
    const registrations = this.#list.registrations(under);
    const { zone: timeZone } = this.#list;
    const call = ++this.#calls;
    const reload = this.#isActive ? { reload: true } : {};
    const workers = this.#instances.workers();
    this.#emit({ event: 'InitStart', at, call, registrations, timeZone, ...workers, ...reload }, item);
    this.#emit({ event: 'InitSuccess', at, call, ...planned, ...reload }, item);
  }

  #gone(item: Item<'gone' | 'left'>): void {
    const { instance: id, at } = item;
    const instance = this.#instances.of(id);
    if (instance === undefined) return;
    const unheard = item.kind === 'gone' ? this.#unheard(item) : [];
    if (instance.status === 'gone' && unheard.length === 0) return;
    instance.status = 'gone';
    const tasks = [...this.#flights.cutOffAll(id), ...unheard];
    // Who has left by itself has claimed nothing that its trace does not show.
    if (tasks.length > 0 || item.kind === 'gone')
      this.#emit({ event: 'UnexpectedShutdown', at, instance: id, tasks }, item);
    this.#reconsider(item);
  }

  /**
   * The task of a run that was cut off, if no trace has its start: the store had granted it, and its instance never heard of that. So it has
   * not told either that the run was asked for, if it was.
   */
  #unheard(item: Item<'gone'>): readonly string[] {
    const { task, runId, requested, at } = item;
    if (task === undefined || runId === undefined || !this.#list.has(task)) return [];
    if (!this.#flights.isUnheard(task, runId)) return [];
    this.#flights.cutOff(task, runId);
    if (requested === true) this.#emit({ event: 'RunRequested', at, task }, item);
    this.#emit({ event: 'StartDurable', at, task, runId }, item);
    return [task];
  }

  /** What follows from who is there. */
  #reconsider(item: InstanceItem, at = item.at): void {
    if (!this.#isActive) return;
    const { present, active } = this.#instances;
    for (const name of this.#list.names) {
      const isHomeless = !active.some(({ names }) => names.has(name));
      if (isHomeless !== this.#homeless.has(name)) this.#housed(name, isHomeless, item, at);
    }
    for (const name of this.#homeless) if (!this.#list.has(name)) this.#homeless.delete(name);
    if (present.every(({ status }) => status === 'silent')) this.#nobodyLeft(item, at);
  }

  #housed(task: string, isHomeless: boolean, item: InstanceItem, at: number): void {
    if (isHomeless) this.#homeless.add(task);
    else this.#homeless.delete(task);
    if (this.#paused.has(task)) return;
    this.#emit(
      isHomeless ? { event: 'Paused', at, task } : { event: 'Resumed', at, task, catchUp: true },
      item,
    );
  }

  /** Nobody runs anything any more. */
  #nobodyLeft(item: InstanceItem, at: number): void {
    const isSilent = this.#instances.present.some(({ status }) => status === 'silent');
    const call = ++this.#calls;
    this.#isActive = false;
    if (isSilent || this.#flights.size > 0) {
      this.#flights.cutOffAll();
      this.#crashedAt = at;
      this.#emit({ event: 'UnexpectedShutdown', at }, item);
      return;
    }
    this.#emit({ event: 'StopStart', at, call }, item);
    this.#emit({ event: 'StopEnd', at, call }, item);
  }

  #withheld(item: Item<'withheld'>): void {
    const { at, from, to, error } = item;
    this.#emit({ event: 'StoreTrouble', at, from, to, error }, item);
  }

  #record(item: Item<'record'>): void {
    const { record, instance } = item;
    switch (record.event) {
      case 'StartDurable':
      case 'RunStart':
      case 'RunSuccess':
      case 'RunFailure':
      case 'RunInterrupted':
      case 'EndDurable':
        // One that is gone runs nothing (K4).
        if (!this.#instances.isGone(instance)) this.#run(record, instance, item);
        return;
      case 'DueSkipped':
        // The word of one instance, which may know less than the others: a skip follows from the registration.
        return;
      case 'Paused':
        if (this.#isToldAgain(record)) return;
        this.#paused.add(record.task);
        break;
      case 'Resumed':
        // One that is gone lets nothing go on (K4).
        if (this.#instances.isGone(instance)) return;
        this.#paused.delete(record.task);
        this.#emit(record, item);
        if (this.#homeless.has(record.task))
          this.#emit({ event: 'Paused', at: item.at, task: record.task }, item);
        return;
    }
    this.#emit(record, item);
  }

  /** A start was granted before the list that has just come, and no trace has told of it yet (I5). One that stops calls nothing any more. */
  #granted({ record, instance }: Claim): void {
    const isActive = this.#instances.of(instance)?.status === 'active';
    const under = isActive ? this.#under(record, instance) : undefined;
    if (under !== undefined) this.#flights.granted(record.task, record.runId, instance, under);
  }

  /** Many may tell of one pause, and some when it is long over. */
  #isToldAgain({ task, since }: RecordOf<'Paused'>): boolean {
    const pause = `${since} ${task}`;
    const isKnown = since !== undefined && this.#pauses.has(pause);
    this.#pauses.add(pause);
    return isKnown;
  }

  #run(record: RecordOf<RunEvent>, instance: string, item: InstanceItem): void {
    const { event, task, runId } = record;
    switch (event) {
      case 'StartDurable':
        this.#flights.claimed(task, runId, instance, this.#under(record, instance));
        break;
      case 'RunStart':
        this.#flights.called(task, runId, instance);
        if (this.#flights.takeChange() && this.#isActive) this.#emitList(item);
        break;
      case 'EndDurable':
        this.#flights.over(task, runId);
        break;
      default:
        this.#flights.ended(task, runId);
    }
    this.#emit(nameless(record), item);
  }

  /**
   * What a run was claimed under that its instance decided before another list counted. The store has granted it before that list, or would
   * have refused it; so it goes on under the registration that it began with (I5), however late it is called. Which of the two was first is
   * known as well as both clocks were measured.
   */
  #under(record: RecordOf<'StartDurable'>, instance: string): Configuration | undefined {
    const { task, claimedAt = Infinity } = record;
    const stored = this.#list.of(task);
    return stored !== undefined && claimedAt <= stored.since + MEASURED_WITHIN_MS
      ? this.#otherOf(task, instance, stored)
      : undefined;
  }

  /** The configuration that an instance knows of a task, if it is not this one. */
  #otherOf(task: string, instance: string, counts: Configuration | undefined): Configuration | undefined {
    const own = this.#instances.of(instance)?.names.get(task);
    return own === undefined || counts === undefined || isSameConfiguration(own, counts) ? undefined : own;
  }
}

/** One scheduler has no names for its instances. */
function nameless({ instance: _, ...rest }: RecordOf<RunEvent>): TraceRecord {
  return rest;
}
