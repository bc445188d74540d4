/**
 * All tasks that a trace has spoken of, and what each event does to them. Every event goes to every past that a task may have had
 * (`pasts.ts`); nearly always there is one.
 *
 * Some events concern one task (a start, an end, a retry), the others all of them: a minute, a stop, a crash, an initialization. An
 * initialization moves a task one by one only if it changes the schedule of the task, or if its past has to be read again: because
 * the task is in doubt, or because the clock was set back since the last time a scheduler looked (B5).
 */
import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import type { Enlisted } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import type { Automaton } from '../logic/automaton.ts';
import { type CompiledTheory, probes } from '../logic/compiled.ts';
import type { Delay } from '../verdict/ledger.ts';
import { Classes, type EquivalenceClass } from './classes.ts';
import { isSamePast, type Past, Pasts } from './pasts.ts';
import { PastReader, retriesAfterStep, servedAfterStep } from './reading.ts';
import { type ScheduleGroup, ScheduleGroups } from './schedule-groups.ts';
import { nothingStored, STRANGER, TaskTable } from './task-table.ts';

/** An initialization that succeeds, or may have been committed. */
export interface Initialization {
  readonly list: readonly Enlisted[];
  /** No stop was called during it (T7). */
  readonly isLive: boolean;
  /** The reading of the clock by which it was planned. */
  readonly plannedAt: number;
}

/** What a dying process leaves open (T10, T11). */
export interface Crash {
  /** A start may have become durable without a record: the trace has durability records, and a scheduler was alive. */
  readonly mayHaveClaimed: boolean;
  /** A stop was under way, which takes back starts that were not called. */
  readonly isStopping: boolean;
  /** Tasks whose last run has ended, not durably. */
  readonly ended: readonly number[];
  /** Tasks whose start is durable and was not called. */
  readonly claimed: readonly number[];
  readonly initializations: readonly UncertainInitialization[];
}

/** An initialization that may have been committed, and when that may have been. */
export interface UncertainInitialization {
  readonly list: readonly Enlisted[];
  readonly at: readonly number[];
}

/** The clock was set back. */
export interface StepBack {
  readonly from: number;
  readonly to: number;
  /** When an active scheduler saw it. */
  readonly seenAt: number | undefined;
  /** A start may be on its way: the trace has durability records. */
  readonly mayHaveClaimed: boolean;
}

/** A past that an initialization moves to a group, and whether it is read again there. */
interface Move {
  readonly row: number;
  readonly group: ScheduleGroup;
  readonly isRead: boolean;
}

/** Another past that a task may have had, and the row of the one that it differs from. */
interface Alternative {
  readonly origin: number;
  readonly past: Past;
}

/** Hears what tasks find. */
export interface TaskFindings {
  /** A safety axiom breaks at this edge, for these pasts. */
  broken(mask: number, edge: number, pasts: readonly number[], now: number): void;
  /** A demand that was open since then has ended at this edge, for a past or for all of a class. */
  ended(demand: number, openAt: number, edge: number, who: number | EquivalenceClass, now: number): void;
  /** A delay of a task that is certain. */
  delayed(delay: Delay): void;
  /** The delays of demands that are open since these instants, if they end now. */
  owed(row: number, openAt: readonly number[], now: number): readonly Delay[];
}

export class Tasks {
  readonly table = new TaskTable();
  readonly automaton: Automaton;
  readonly classes: Classes;
  readonly pasts: Pasts;
  readonly #theory: CompiledTheory;
  readonly #minuteStart: (at: number) => number;
  readonly #groups: ScheduleGroups;
  readonly #reader: PastReader;
  registered: readonly Enlisted[] = [];
  /** A process has died that may have made starts durable without a record, up to when the next one initializes. */
  #mayHaveClaimed = false;

  /** `minuteStart` is of the zone of the current list. */
  constructor(
    theory: CompiledTheory,
    matcherOf: (schedule: string) => MinuteMatcher,
    minuteStart: (at: number) => number,
    findings: TaskFindings,
  ) {
    this.#theory = theory;
    this.#minuteStart = minuteStart;
    this.automaton = theory.automaton;
    this.#groups = new ScheduleGroups(matcherOf);
    this.classes = new Classes(this.automaton, findings);
    this.pasts = new Pasts(this.table, this.classes, findings);
    const { table, classes, pasts } = this;
    this.#reader = new PastReader({ theory, table, classes, pasts, groups: this.#groups });
    this.#enter(STRANGER, this.automaton.initial, 0);
  }

  get groups(): readonly ScheduleGroup[] {
    return [...this.#groups.values()];
  }

  /** The trace begins here. A clock that is set back may begin it earlier. */
  begin(at: number): void {
    this.#reader.begin(at);
  }

  /** The row of a name. A name that is new has been a stranger until now. */
  task(name: string): number {
    const known = this.table.find(name);
    if (known !== undefined) return known;
    const task = this.table.addTask(name);
    this.#enter(task, this.classes.of(STRANGER).state, 0);
    return task;
  }

  #enter(row: number, state: number, seen: number): void {
    this.classes.put(row, { group: this.#groups.unregistered, state, openAt: undefined, seen });
  }

  groupOf(row: number): ScheduleGroup {
    return this.classes.of(row).group;
  }

  // One task

  /** A task sees a letter. Returns what the probes say of it. */
  own(task: number, bit: number, now: number): number {
    const letter = this.automaton.letter(bit);
    if (!this.pasts.isInDoubt(task)) return this.automaton.probes[this.classes.own(task, letter, now)];
    this.pasts.admit(task, letter);
    const [edge] = this.pasts.of(task).map((row) => this.classes.own(row, letter, now));
    return this.automaton.probes[edge];
  }

  /** A task is started, and served up to now whatever its past was. */
  started(task: number, now: number): number {
    const seen = this.own(task, bits.RS, now);
    if (this.pasts.isInDoubt(task)) {
      for (const row of this.pasts.of(task)) this.#served(row, now);
      this.pasts.merge(task);
    } else this.#served(task, now);
    return seen;
  }

  #served(row: number, now: number): void {
    const history = this.table.history[row];
    history.servedTo = now;
    history.isFirstComing = false;
    history.stateBeforeEnd = 0;
    if (history.retry !== undefined) this.pasts.clearRetry(row);
    if (this.pasts.unstored.size > 0) this.pasts.setStored(row, nothingStored);
    if (this.pasts.aheadUntil.next < Number.POSITIVE_INFINITY) this.#onTime(row);
  }

  /** A run ends, well or badly. Returns what the probes say. */
  ended(task: number, bit: number, now: number): number {
    for (const row of this.pasts.of(task)) this.#rememberRunning(row);
    return this.own(task, bit, now);
  }

  /** If a crash loses the end, the run was still going. A stray end, of no run, loses nothing. */
  #rememberRunning(row: number): void {
    const { state } = this.classes.of(row);
    if (this.automaton.probesOf(state) & probes.running) this.table.history[row].stateBeforeEnd = state;
  }

  /** A run has failed: the retry comes after the delay of its registration (A6), and directly after the failure if that is 0 (T13). */
  failed(task: number, now: number): void {
    for (const row of this.pasts.of(task)) {
      const { delayMs } = this.table.history[row];
      if (!(delayMs >= 0)) continue;
      this.pasts.setRetry(row, { at: now + delayMs, delayMs, failedAt: now }, now);
      if (delayMs === 0) this.retryDue(row, now);
    }
  }

  /** The retry of one past is due. */
  retryDue(row: number, now: number): void {
    this.classes.own(row, this.automaton.letter(bits.RetryDue), now);
  }

  // All tasks

  /** All tasks see a letter. */
  everyone(mask: number, now: number): void {
    const letter = this.automaton.letter(mask);
    for (const task of this.pasts.inDoubt) this.pasts.admit(task, letter);
    this.classes.all(new Map(this.groups.map((group) => [group, letter])), now);
  }

  /** A minute begins: some groups are due, and some others would notice too. */
  minute(due: readonly ScheduleGroup[], restless: ReadonlySet<ScheduleGroup>, now: number): void {
    if (this.pasts.aheadUntil.next < now) this.#rejoin(now);
    const isDue = this.automaton.letter(bits.MinuteStart | bits.Due);
    const undue = this.automaton.letter(bits.MinuteStart);
    const letters = new Map<ScheduleGroup, number>();
    for (const group of restless) letters.set(group, undue);
    for (const group of due) letters.set(group, isDue);
    this.classes.all(letters, now);
  }

  /** The clock has passed the instants up to which some pasts were served ahead of it. */
  #rejoin(now: number): void {
    while (this.pasts.aheadUntil.next < now) this.#onTime(this.pasts.aheadUntil.take());
    this.#groups.dropEmpty();
  }

  #onTime(row: number): void {
    this.pasts.aheadUntil.delete(row);
    if (!this.groupOf(row).isAhead) return;
    const taken = this.classes.take(row);
    this.classes.put(row, { ...taken, group: this.#groups.of(taken.group.key) });
  }

  /** Whether only the last of many minutes, due or not, would matter to every group. */
  get isSteady(): boolean {
    const undue = this.automaton.letter(bits.MinuteStart);
    const due = this.automaton.letter(bits.MinuteStart | bits.Due);
    const isSteady = (group: ScheduleGroup): boolean =>
      this.classes.isSteady(group, group.matcher === undefined ? [undue] : [undue, due]);
    return this.pasts.aheadUntil.next === Number.POSITIVE_INFINITY && this.groups.every(isSteady);
  }

  // Initializations

  /** An initialization succeeds: its list is what counts from here on, in every past. */
  initialize({ list, isLive, plannedAt }: Initialization, now: number): void {
    if (this.#mayHaveClaimed) this.#maybeClaimed(now);
    const isChanged = !isSameList(list, this.registered);
    const isUnjudged = this.#reader.isUnjudged || now < this.#reader.latest || plannedAt !== now;
    const isAnyMoved = isChanged || isUnjudged || this.pasts.inDoubt.length > 0;
    const moves = isAnyMoved ? this.#moves(list, isUnjudged, plannedAt, now) : [];
    const flags = (isLive ? bits.Live : 0) | (isChanged ? bits.Changed : 0);
    const within = this.automaton.letter(bits.In | flags);
    const without = this.automaton.letter(bits.Out | flags);
    const { unregistered } = this.#groups;
    const taken = moves.map((move) => ({ ...move, from: this.classes.take(move.row) }));
    this.classes.all(
      new Map(this.groups.map((group) => [group, group === unregistered ? without : within])),
      now,
    );
    const firstCursor = this.#minuteStart(Math.max(plannedAt, now)) - 1;
    for (const { row, group, isRead, from } of taken) {
      const state = isRead
        ? this.#reader.reread(from.state, group, this.table.history[row], now)
        : from.state;
      const edge = this.automaton.edge(state, group === unregistered ? without : within);
      this.classes.move(row, from, edge, now, group);
      if (group === unregistered) {
        this.pasts.clearRetry(row);
        this.table.history[row].delayMs = Number.NaN;
      }
      if (this.automaton.probes[edge] & probes.firstComing) this.#firstComing(row, firstCursor, now);
    }
    for (const { name, retryDelayMs } of list)
      for (const row of this.pasts.of(this.task(name))) this.table.history[row].delayMs = retryDelayMs;
    this.registered = list;
    this.pasts.allStored();
    this.#reader.isUnjudged = false;
    this.pasts.mergeAll();
    this.#groups.dropEmpty();
  }

  /** Which pasts move one by one, to which group, and whether they are read again there. */
  #moves(list: readonly Enlisted[], isUnjudged: boolean, plannedAt: number, now: number): readonly Move[] {
    const listed = new Map(list.map(({ name, schedule }) => [this.task(name), schedule]));
    const before = [...this.registered.map(({ name }) => this.task(name)), ...this.pasts.inDoubt];
    const moves: Move[] = [];
    for (const task of new Set([...listed.keys(), ...before])) {
      const schedule = listed.get(task);
      if (isUnjudged && schedule !== undefined)
        this.#reader.judge(task, schedule, { servedBy: plannedAt, retriedBy: plannedAt, now });
      for (const row of this.pasts.of(task)) {
        const group = this.#reader.groupFor(row, schedule, now);
        const isRead = isUnjudged || group !== this.groupOf(row);
        if (isRead || this.pasts.isInDoubt(task)) moves.push({ row, group, isRead });
      }
    }
    return moves;
  }

  /** A name comes for the first time: it is served up to right before its minute, which may lie ahead of a clock that was set back. */
  #firstComing(row: number, cursor: number, now: number): void {
    const history = this.table.history[row];
    history.servedTo = cursor;
    history.isFirstComing = cursor <= now;
    this.pasts.clearRetry(row);
    if (cursor > now) this.#reader.readByClock(row, now);
  }

  /**
   * An initialization that a crash cut off, or that failed because of the store, may have been committed (T11, E9): the pasts that
   * its tasks would then have, if that was at one of these instants.
   */
  *#committed({ list, at: instants }: UncertainInitialization, now: number): Generator<Alternative> {
    const listed = new Map(list.map((enlisted) => [enlisted.name, enlisted]));
    const before = this.registered.map(({ name }) => name);
    const doubted = this.pasts.inDoubt.map((task) => this.table.nameOf(task));
    for (const name of new Set([...listed.keys(), ...before, ...doubted]))
      for (const origin of this.pasts.of(this.task(name)))
        for (const at of instants) {
          for (const past of this.#asCommitted(this.pasts.read(origin), listed.get(name), at, now))
            yield { origin, past };
        }
  }

  /** A past, with an initialization that was committed at an instant. None if nothing would be different, several if its retry may be. */
  #asCommitted(past: Past, enlisted: Enlisted | undefined, at: number, now: number): readonly Past[] {
    const { automaton } = this;
    const { unregistered } = this.#groups;
    const isNew = past.group === unregistered;
    if (enlisted === undefined) {
      const without = automaton.letter(bits.Out | bits.Changed);
      const state = automaton.after(automaton.rebuilt(past.state, 0), without);
      return isNew
        ? []
        : [{ ...past, state, group: unregistered, delayMs: Number.NaN, retry: undefined, stored: [] }];
    }
    const { schedule, retryDelayMs: delayMs } = enlisted;
    const group = this.#groups.of(schedule);
    const isUnjudged = this.#reader.isUnjudged || at < this.#reader.latest;
    const judged = isUnjudged ? servedAfterStep(past.servedTo, schedule, at) : past.servedTo;
    const servedTo = isNew ? this.#minuteStart(at) - 1 : judged;
    const isFirstComing = isNew || (past.isFirstComing && servedTo === past.servedTo);
    const reread = (state: number, when: number): number =>
      this.#reader.reread(state, group, { servedTo, isFirstComing }, when);
    // The dues from then until now count too.
    const state = reread(
      automaton.after(reread(past.state, at), automaton.letter(bits.In | bits.Changed)),
      now,
    );
    const kept = isUnjudged ? retriesAfterStep(past.retry, past.delayMs, at) : [past.retry];
    return (isNew ? [undefined] : kept)
      .map((retry) => {
        const withRetry = this.#reader.withRetry(state, retry, now);
        return { ...past, state: withRetry, group, servedTo, isFirstComing, delayMs, retry, stored: [] };
      })
      .filter((committed) => !isSamePast({ ...committed, state: past.state }, past));
  }

  /** An initialization failed because of the store, which may have taken it all the same (E9). */
  maybeInitialized(initialization: UncertainInitialization, now: number): void {
    for (const { origin, past } of [...this.#committed(initialization, now)])
      this.pasts.add(origin, past, now);
    this.pasts.mergeAll();
  }

  // Crashes and clock steps

  /** A crash. Answers how many tasks it leaves in doubt. */
  crash({ mayHaveClaimed, isStopping, ended, claimed, initializations }: Crash, now: number): number {
    const letter = this.automaton.letter(bits.Crash);
    const others: Alternative[] = initializations.flatMap((each) => [...this.#committed(each, now)]);
    for (const origin of ended.flatMap((task) => this.pasts.of(task))) {
      const past = this.pasts.read(origin);
      others.push({ origin, past: { ...past, state: past.stateBeforeEnd, retry: undefined } });
    }
    const called = this.#asCalled(claimed.flatMap((task) => this.pasts.of(task)));
    if (isStopping) others.push(...called);
    this.#mayHaveClaimed ||= mayHaveClaimed;
    for (const origin of this.pasts.unstored)
      for (const stored of this.pasts.read(origin).stored)
        others.push({ origin, past: { ...this.pasts.read(origin), ...stored, stored: [] } });
    // What a step moved, and the store may not know, is judged again by the next initialization.
    this.#reader.isUnjudged ||= this.pasts.unstored.size > 0;
    this.pasts.allStored();
    this.everyone(bits.Crash, now);
    if (!isStopping)
      for (const { origin, past } of called) this.#cutOff(origin, this.automaton.after(past.state, letter));
    this.#addCrashed(others, now);
    this.pasts.mergeAll();
    return this.pasts.inDoubt.length;
  }

  /** The pasts that tasks may have had before a crash. */
  #addCrashed(others: readonly Alternative[], now: number): void {
    const letter = this.automaton.letter(bits.Crash);
    for (const { origin, past } of others)
      this.pasts.add(origin, { ...past, state: this.automaton.after(past.state, letter) }, now);
  }

  /** A start was durable and not called: the crash has cut the run off. */
  #cutOff(row: number, state: number): void {
    this.classes.put(row, { ...this.classes.take(row), state, openAt: undefined });
    this.pasts.clearRetry(row);
  }

  /** The pasts in which a start was durable and not called. */
  #asCalled(rows: readonly number[]): readonly Alternative[] {
    return rows.map((origin) => {
      const past = this.pasts.read(origin);
      const state = this.automaton.after(past.state, this.automaton.letter(bits.RS));
      return { origin, past: { ...past, state, retry: undefined } };
    });
  }

  /** Whatever was to be started when a process died may have been cut off: its start durable, and in no record (T10). */
  #maybeClaimed(now: number): void {
    this.#mayHaveClaimed = false;
    const isPending = ({ state, group }: EquivalenceClass): boolean =>
      group !== this.#groups.unregistered && (this.automaton.probesOf(state) & probes.pending) !== 0;
    this.#addCrashed(this.#asCalled(this.classes.membersOf(isPending)), now);
  }

  /** A stop has taken starts back. If another scheduler had taken a run over, the store has refused that, and the run is cut off (E9). */
  maybeTakenOver(tasks: readonly number[], now: number): void {
    this.#addCrashed(this.#asCalled(tasks.flatMap((task) => this.pasts.of(task))), now);
  }

  /**
   * The clock was set back. An active scheduler judges that when it sees it: dues by where the clock landed, retries by when it
   * looked. Without one the next initialization judges.
   */
  clockSetBack(step: StepBack): void {
    const { from, to, seenAt } = step;
    this.#reader.latest = Math.max(from, this.#reader.latest);
    this.#reader.isUnjudged = seenAt === undefined;
    for (const { name, schedule } of this.registered) {
      const task = this.task(name);
      if (seenAt !== undefined) this.#seeStep(task, schedule, seenAt, step);
      else for (const row of this.pasts.of(task)) this.#reader.place(row, to);
    }
    this.pasts.mergeAll();
    this.#groups.dropEmpty();
  }

  #seeStep(task: number, schedule: string, seenAt: number, { to, mayHaveClaimed }: StepBack): void {
    const before = this.pasts.of(task).map((row) => ({ row, past: this.pasts.read(row) }));
    this.#reader.judge(task, schedule, { servedBy: to, retriedBy: seenAt, now: to });
    for (const { row, past } of before) {
      // A start that was on its way may still come (A2).
      if (!mayHaveClaimed || !(this.automaton.probesOf(past.state) & probes.pending)) continue;
      const kept = this.automaton.without(past.state, this.#theory.demands);
      const state = this.automaton.after(kept, this.automaton.letter(0));
      this.pasts.add(row, { ...this.pasts.read(row), state }, to);
    }
  }
}

function isSameList(a: readonly Enlisted[], b: readonly Enlisted[]): boolean {
  return (
    a === b ||
    (a.length === b.length &&
      a.every(
        ({ name, schedule, retryDelayMs }, i) =>
          name === b[i].name && schedule === b[i].schedule && Object.is(retryDelayMs, b[i].retryDelayMs),
      ))
  );
}
