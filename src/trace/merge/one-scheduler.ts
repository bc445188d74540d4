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
 * it did not have when they came, so that they begin anew even if no trace tells when they went. A run that was claimed before another list
 * counted is under the list of before: around its call that list comes back for its task.
 *
 * *Gone* is what the store says, and nothing else. `InstanceGone` is written by an instance that has read of a run that was cut off, before it
 * claims that task, or has seen a member vanish, or finds itself absent. So the start of a task whose run is current has no such word before
 * it, and breaks S1. *Silent* is an instance whose trace has ended without a stop: nothing is asked of it any more, but its runs are current
 * until the store says that it is gone.
 *
 * What the merged trace cannot show: whether an `initialize` or a `stop` of one instance took too long (each trace says so itself).
 */
import type { RecordOf, RunEvent, TracedRegistration, TraceRecord } from '../record.ts';
import { ClusterList, type Configuration, type InstanceList, isSameConfiguration } from './cluster-list.ts';
import type { InstanceItem } from './instance-lines.ts';
import { PassedDues } from './passed-dues.ts';

/** Where the item comes from that a record was made for. */
type Emit = (record: TraceRecord, item: InstanceItem) => void;
type Item<Kind extends InstanceItem['kind']> = Extract<InstanceItem, { kind: Kind }>;
type Status = 'active' | 'stopping' | 'silent' | 'gone';

interface Instance {
  status: Status;
  /** Its list, as it knows it. */
  names: InstanceList;
  workers: number;
}

/** The last run of a task that is not over for good. */
interface Flight {
  readonly runId: string | undefined;
  readonly instance: string;
  hasEnded: boolean;
  /** The configuration that it was claimed under, if that is not the one that counts by now. */
  readonly under?: Configuration;
}

export class OneScheduler {
  readonly #emit: Emit;
  readonly #instances = new Map<string, Instance>();
  readonly #list = new ClusterList();
  readonly #flights = new Map<string, Flight>();
  /** The runs that were cut off. */
  readonly #cutOffs = new Set<string>();
  /** The names that no active instance has, and those that an operator has paused. */
  readonly #homeless = new Set<string>();
  readonly #paused = new Set<string>();
  readonly #dues = new PassedDues();
  /** Every pause that the store has told of. */
  readonly #pauses = new Set<string>();
  #isActive = false;
  #calls = 0;
  /** How many workers there were when a list last came. */
  #bound = Infinity;
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
    if (item.kind !== 'record' || this.#instances.get(item.instance)?.status === 'gone') return undefined;
    const { record, instance } = item;
    if (record.event !== 'StartDurable' && record.event !== 'RunStart') return undefined;
    const flight = this.#flights.get(record.task);
    return flight === undefined || flight.hasEnded || flight.instance === instance ? undefined : flight;
  }

  /** The trace of these instances has ended. Those that are not gone say nothing any more. */
  silence(instances: Iterable<string>, item: InstanceItem): void {
    for (const id of instances) {
      const instance = this.#instances.get(id);
      if (instance?.status === 'active' || instance?.status === 'stopping') instance.status = 'silent';
    }
    // Its end was not later than what came last; what comes next may be hours away.
    this.#reconsider(item, Math.max(this.#lastAt, Number.MIN_SAFE_INTEGER));
  }

  take(item: InstanceItem): void {
    switch (item.kind) {
      case 'joined':
        this.#joined(item);
        break;
      case 'gone':
      case 'left':
        this.#gone(item);
        break;
      case 'stopping':
      case 'silent':
        this.#turned(item.instance, item.kind, item);
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
  }

  #joined(item: Item<'joined'>): void {
    const { instance, list, at } = item;
    const { registrations, timeZone: zone, workers = Infinity } = list;
    const names = new Map(registrations.map((each) => [each.name, { registration: each, zone }]));
    const { forgotten, added = [], epoch, plannedAt } = item.success;
    if (this.#crashedAt !== undefined) {
      this.#emit({ event: 'Frozen', at, from: this.#crashedAt, to: at }, item);
      this.#crashedAt = undefined;
    }
    this.#beginAnew(added, epoch, item);
    // The answer to a list may come when its instance is stopping, or was declared dead: that brings it back no more (K4).
    const { status = 'active' } = this.#instances.get(instance) ?? {};
    this.#instances.set(instance, { status, names, workers });
    if (list.follows !== true) this.#forget(names, forgotten, epoch);
    this.#list.store(names, zone, at, epoch);
    const isChanged = this.#list.takeChange();
    if (isChanged || !this.#isActive)
      this.#emitList(item, this.#list.registrations(), plannedAt === undefined ? {} : { plannedAt });
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
    this.#emitList(item, this.#list.registrations());
    this.#isActive = true;
  }

  /** A pause belongs to the name, and is forgotten with it (I3). */
  #forgetName(name: string, epoch?: number): void {
    if (!this.#list.forget(name, epoch)) return;
    this.#homeless.delete(name);
    this.#paused.delete(name);
    this.#dues.forget(name);
  }

  /** Whether an instance that is present has a name. */
  #isHad(name: string): boolean {
    return Array.from(this.#instances.values()).some(
      ({ status, names }) => status !== 'gone' && names.has(name),
    );
  }

  #emitList(
    item: InstanceItem,
    registrations: readonly TracedRegistration[],
    planned: Pick<RecordOf<'InitSuccess'>, 'plannedAt'> = {},
  ): void {
    const { at } = item;
    const { zone: timeZone } = this.#list;
    const call = ++this.#calls;
    const reload = this.#isActive ? { reload: true } : {};
    const workers = this.#workers();
    this.#emit({ event: 'InitStart', at, call, registrations, timeZone, ...workers, ...reload }, item);
    this.#emit({ event: 'InitSuccess', at, call, ...planned, ...reload }, item);
  }

  /**
   * The workers of all active instances together. While the last one stops, the list of before may come back for a due that it skips. Then
   * nothing starts, and the bound stays as it was, because no workers at all are none that a trace can have.
   */
  #workers(): { readonly workers?: number } {
    const active = Array.from(this.#instances.values()).filter(({ status }) => status === 'active');
    if (active.length > 0) this.#bound = active.reduce((sum, each) => sum + each.workers, 0);
    return Number.isFinite(this.#bound) ? { workers: this.#bound } : {};
  }

  #gone(item: Item<'gone' | 'left'>): void {
    const { instance: id, at } = item;
    const instance = this.#instances.get(id);
    if (instance === undefined) return;
    const unheard = item.kind === 'gone' ? this.#unheard(item) : [];
    if (instance.status === 'gone' && unheard.length === 0) return;
    instance.status = 'gone';
    const own = Array.from(this.#flights).filter(([, flight]) => flight.instance === id);
    for (const [task, { runId }] of own) this.#cutOff(task, runId);
    const tasks = [...own.map(([task]) => task), ...unheard];
    // Who has left by itself has claimed nothing that its trace does not show.
    if (tasks.length > 0 || item.kind === 'gone')
      this.#emit({ event: 'UnexpectedShutdown', at, instance: id, tasks }, item);
    this.#reconsider(item);
  }

  #cutOff(task: string, runId: string | undefined): void {
    this.#flights.delete(task);
    if (runId !== undefined) this.#cutOffs.add(runId);
  }

  /**
   * The task of a run that was cut off, if no trace has its start: the store had granted it, and its instance never heard of that. So it has
   * not told either that the run was asked for, if it was. Many may tell of the run, and some when it has long been started again.
   */
  #unheard(item: Item<'gone'>): readonly string[] {
    const { task, runId, requested, at } = item;
    if (task === undefined || runId === undefined || !this.#list.has(task)) return [];
    const flight = this.#flights.get(task);
    const isHeard = flight !== undefined && (flight.runId === runId || !flight.hasEnded);
    if (isHeard || this.#cutOffs.has(runId)) return [];
    this.#cutOff(task, runId);
    if (requested === true) this.#emit({ event: 'RunRequested', at, task }, item);
    this.#emit({ event: 'StartDurable', at, task, runId }, item);
    return [task];
  }

  #turned(id: string, status: 'stopping' | 'silent', item: InstanceItem): void {
    const instance = this.#instances.get(id);
    if (instance === undefined || instance.status === 'gone') return;
    instance.status = status;
    this.#reconsider(item);
  }

  /** What follows from who is there. */
  #reconsider(item: InstanceItem, at = item.at): void {
    if (!this.#isActive) return;
    const present = Array.from(this.#instances.values()).filter(({ status }) => status !== 'gone');
    const active = present.filter(({ status }) => status === 'active');
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
    const isSilent = Array.from(this.#instances.values()).some(({ status }) => status === 'silent');
    const call = ++this.#calls;
    this.#isActive = false;
    if (isSilent || this.#flights.size > 0) {
      for (const [task, { runId }] of this.#flights) this.#cutOff(task, runId);
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
      case 'EndDurable':
        // One that is gone runs nothing (K4).
        if (this.#instances.get(instance)?.status !== 'gone') this.#run(record, instance, item);
        return;
      case 'DueSkipped':
        // One that is gone moves nothing (K4).
        if (
          this.#instances.get(instance)?.status !== 'gone' &&
          this.#dues.skipped(record, this.#begun(record.task))
        )
          this.#emitUnder(record, this.#otherOf(record.task, instance), item);
        return;
      case 'Paused':
        if (this.#isToldAgain(record)) return;
        this.#paused.add(record.task);
        break;
      case 'Resumed':
        this.#paused.delete(record.task);
        this.#emit(record, item);
        if (this.#homeless.has(record.task))
          this.#emit({ event: 'Paused', at: item.at, task: record.task }, item);
        return;
    }
    this.#emit(record, item);
  }

  /** When a task began anew, if each new list has it do so (H10). */
  #begun(task: string): number | undefined {
    const { registration, since } = this.#list.of(task) ?? {};
    return registration?.policy?.onOverride === 'reset' ? since : undefined;
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
    const flight = this.#flights.get(task);
    const isOfFlight = flight?.runId === runId;
    if (event === 'StartDurable')
      this.#flights.set(task, { runId, instance, hasEnded: false, ...this.#under(record, instance) });
    else if (event === 'RunStart') {
      this.#flights.set(task, { runId, instance, hasEnded: false });
      this.#dues.called(task, record.at, this.#begun(task));
      this.#emitUnder(nameless(record), isOfFlight ? flight?.under : undefined, item);
      return;
    } else if (event === 'EndDurable' && isOfFlight) this.#flights.delete(task);
    else if (flight !== undefined && isOfFlight) flight.hasEnded = true;
    this.#emit(nameless(record), item);
  }

  /**
   * What a run was claimed under that its instance decided before another list counted. The store has granted it before that list, or would
   * have refused it; so it goes on under the registration that it began with (I5), however late it is called.
   */
  #under(record: RecordOf<'StartDurable'>, instance: string): Pick<Flight, 'under'> {
    const { task, claimedAt = Infinity } = record;
    const own = this.#otherOf(task, instance);
    return own !== undefined && claimedAt <= (this.#list.of(task)?.since ?? -Infinity) ? { under: own } : {};
  }

  /** The configuration that an instance knows of a task, if it is not the one that counts. */
  #otherOf(task: string, instance: string): Configuration | undefined {
    const own = this.#instances.get(instance)?.names.get(task);
    const stored = this.#list.of(task);
    return own === undefined || stored === undefined || isSameConfiguration(own, stored) ? undefined : own;
  }

  /** A callback is called, or a due is skipped, under the list by which that was decided. */
  #emitUnder(
    record: TraceRecord & { readonly task: string },
    under: Configuration | undefined,
    item: InstanceItem,
  ): void {
    const isOther = under !== undefined && this.#isActive && this.#list.has(record.task);
    if (isOther) this.#emitList(item, this.#list.registrations(record.task, under));
    this.#emit(record, item);
    if (isOther) this.#emitList(item, this.#list.registrations());
  }
}

/** One scheduler has no names for its instances. */
function nameless({ instance: _, ...rest }: RecordOf<RunEvent>): TraceRecord & { readonly task: string } {
  return rest;
}
