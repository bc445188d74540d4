/**
 * All tasks that a trace has spoken of, and what each event does to them. Every event goes to every past that a task may have had
 * (`pasts.ts`); nearly always there is one.
 *
 * Some events concern one task (a start, an end, a retry), the others all of them: a minute, a stop. What is more than a letter of the
 * automaton has a file of its own: `initializations`, `crashes`, `policies`, and `reading`, for clocks that are set back.
 */
import { civilClock } from '../calendar/civil-clock.ts';
import type { Enlisted } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import type { Automaton } from '../logic/automaton.ts';
import { probes } from '../logic/compiled.ts';
import type { Delay } from '../verdict/ledger.ts';
import { Classes, type EquivalenceClass } from './classes.ts';
import { Pasts } from './pasts.ts';
import { retryDelay } from './policies.ts';
import { PastReader } from './reading.ts';
import { type ScheduleGroup, ScheduleGroups } from './schedule-groups.ts';
import { nothingStored, type Past, type Task, TaskTable } from './task.ts';

export interface TaskFindings {
  /** A safety axiom breaks at this edge, for these pasts. */
  broken(mask: number, edge: number, pasts: readonly Past[], now: number): void;
  /** A demand that was open since then has ended at this edge, for a past or for all of a class. */
  ended(demand: number, openAt: number, edge: number, who: Past | EquivalenceClass, now: number): void;
  /** A delay of a task that is certain. */
  delayed(delay: Delay): void;
  /** The delays of demands that are open since these instants, if they end now. */
  owed(past: Past, openAt: readonly number[], now: number): readonly Delay[];
}

export class Tasks {
  readonly table = new TaskTable();
  readonly automaton: Automaton;
  readonly classes: Classes;
  readonly pasts: Pasts;
  readonly groups = new ScheduleGroups();
  readonly reader: PastReader;
  /** Of the zone of the current list. */
  clock = civilClock('UTC');
  registered: readonly Enlisted[] = [];
  /** The tasks that go on after a pause, which the store may not know yet. */
  readonly resumedTasks = new Set<Task>();
  /** The tasks that have ended after a list had left them out: that they are forgotten may not be durable yet (I5). */
  readonly leaving = new Set<Task>();
  /** When a process died that may have made starts durable without a record, until the next one initializes. */
  mayHaveClaimedAt: number | undefined;

  constructor(automaton: Automaton, findings: TaskFindings) {
    this.automaton = automaton;
    this.classes = new Classes(automaton, findings, this.table);
    this.pasts = new Pasts(this.classes, findings);
    this.reader = new PastReader(this);
    this.#enter(this.table.stranger, automaton.initial);
  }

  /** The task of a name. A name that is new has been a stranger until now. */
  task(name: string): Task {
    const known = this.table.find(name);
    if (known !== undefined) return known;
    const task = this.table.add(name);
    this.#enter(task, this.classes.of(this.table.stranger.past).state);
    return task;
  }

  #enter({ past }: Task, state: number): void {
    this.classes.put(past, { group: this.groups.unregistered, state, openAt: undefined, seen: 0 });
  }

  groupOf(past: Past): ScheduleGroup {
    return this.classes.of(past).group;
  }

  /** A task sees a letter. Returns what the probes say of it. */
  own(task: Task, bit: number, now: number): number {
    const letter = this.automaton.letter(bit);
    if (!task.isInDoubt) return this.classes.own(task.pasts[0], letter, now);
    this.pasts.admit(task, () => letter);
    const [seen] = task.pasts.map((past) => this.classes.own(past, letter, now));
    return seen;
  }

  /** A task is started, and served up to now whatever its past was. */
  started(task: Task, now: number): number {
    task.isCancelled = false;
    if (!task.isInDoubt) return this.#start(task.pasts[0], now);
    const letter = this.automaton.letter(bits.RS);
    this.pasts.admit(task, () => letter);
    const [seen] = task.pasts.map((past) => this.#start(past, now));
    this.pasts.merge(task);
    return seen;
  }

  #start(past: Past, now: number): number {
    const { history } = past;
    if (history.enlisted?.policy?.retry !== undefined) history.mayBeNewer = this.isOwedLonger(past, now);
    const seen = this.classes.own(past, this.automaton.letter(bits.RS), now);
    // A newer due is new work, unless the task is paused.
    const isNewer = (seen & (probes.wasUnserved | probes.wasPaused)) === probes.wasUnserved;
    const next = history.attempt + 1;
    history.attempt = isNewer ? 1 : next;
    history.servedTo = now;
    history.isFirstComing = false;
    history.startedAs = history.enlisted;
    history.stateBeforeEnd = 0;
    history.mayBeClaimed = false;
    // It waits for no retry any more (T2).
    if (history.retry !== undefined) this.pasts.setRetry(past, undefined, now);
    history.stored = nothingStored;
    if (this.classes.of(past).group.isAhead) this.#rejoin(past);
    // The start may have been decided before the due came that it serves (A4).
    if (history.isWorkInDoubt || (isNewer && history.mayBeNewer)) {
      history.isWorkInDoubt = false;
      if (next > 1) this.pasts.add(past, { ...this.pasts.read(past), attempt: isNewer ? next : 1 }, now);
    }
    return seen;
  }

  /** Whether a start was owed before the last due came. */
  isOwedLonger(past: Past, now: number): boolean {
    const { group, openAt = [] } = this.classes.of(past);
    const due = group.matcher?.previous(now, Number.NEGATIVE_INFINITY) ?? Number.NEGATIVE_INFINITY;
    return openAt.some((at) => at < due);
  }

  /** A run ends, well or badly. Returns what the probes say. */
  ended(task: Task, bit: number, now: number): number {
    for (const past of task.pasts) {
      this.#rememberRunning(past);
      if (bit === bits.REs) past.history.attempt = 0;
    }
    return this.own(task, bit, now);
  }

  /** If a crash loses the end, the run was still going. A stray end, of no run, loses nothing. */
  #rememberRunning(past: Past): void {
    const { state, group } = this.classes.of(past);
    if (!this.automaton.says(state, probes.running)) return;
    const { history } = past;
    history.stateBeforeEnd = state;
    history.attemptBeforeEnd = history.attempt;
    if (group === this.groups.unregistered && history.startedAs !== undefined) this.leaving.add(past.task);
  }

  /**
   * A run has failed: the retry comes after the delay of its registration (A6, H2), and directly after the failure if that is 0 (T13).
   * Work that was given up or cancelled is not retried (I4).
   */
  failed(task: Task, now: number): void {
    for (const past of task.pasts) {
      const { history } = past;
      const delayMs = task.isCancelled ? Number.NaN : retryDelay(history);
      if (!(delayMs >= 0)) {
        history.attempt = 0;
        continue;
      }
      const retry = { at: now + delayMs, delayMs, failedAt: now };
      this.pasts.setRetry(past, retry, now);
      // The end may be stored without what has moved the cursor during the run (I5).
      if (history.stored.length > 0) history.stored = history.stored.map((stored) => ({ ...stored, retry }));
      if (delayMs === 0) this.retryDue(past, now);
    }
  }

  retryDue(past: Past, now: number): void {
    this.classes.own(past, this.automaton.letter(bits.RetryDue), now);
  }

  everyone(mask: number, now: number): void {
    const letter = this.automaton.letter(mask);
    for (const task of this.pasts.inDoubt) this.pasts.admit(task, () => letter);
    this.classes.all(new Map(Array.from(this.groups, (group) => [group, letter])), now);
  }

  /** A minute begins: some groups are due, and some others would notice too. */
  minute(due: readonly ScheduleGroup[], restless: ReadonlySet<ScheduleGroup>, now: number): void {
    const undue = this.automaton.letter(bits.MinuteStart);
    const letters = new Map<ScheduleGroup, number>();
    for (const group of restless) letters.set(group, undue);
    for (const group of due) letters.set(group, this.automaton.letter(bits.MinuteStart | group.dueBits));
    this.classes.all(letters, now);
  }

  /** Some groups are due within a minute: they have jitter, or another zone than the list (H3, H5). */
  withinMinute(due: readonly ScheduleGroup[], now: number): void {
    const letterOf = ({ dueBits }: ScheduleGroup): number => this.automaton.letter(dueBits);
    this.classes.all(new Map(due.map((group) => [group, letterOf(group)])), now);
  }

  /** The first due has come that counts for a group that was ahead of the clock: its members are one with the others again. */
  caughtUp(ahead: ScheduleGroup): void {
    for (const past of this.classes.membersOf(({ group }) => group === ahead)) this.#rejoin(past);
    this.groups.dropEmpty();
  }

  /** The last due of a group has become too old to start for (H4). */
  stale(group: ScheduleGroup, now: number): void {
    this.classes.all(new Map([[group, this.automaton.letter(bits.Stale)]]), now);
  }

  #rejoin(past: Past): void {
    this.classes.regroup(past, this.groups.of(this.groupOf(past).schedule));
  }

  /** Whether only the last of many minutes, due or not, would matter to every group. */
  get isSteady(): boolean {
    const undue = this.automaton.letter(bits.MinuteStart);
    const dueOf = ({ dueBits }: ScheduleGroup): number => this.automaton.letter(bits.MinuteStart | dueBits);
    // With a limit on how old a due may be, the time of the last one matters.
    const isSteady = (group: ScheduleGroup): boolean =>
      group.rules.startWithinMs === undefined &&
      this.classes.isSteady(group, group.matcher === undefined ? [undue] : [undue, dueOf(group)]);
    return [...this.groups].every(isSteady);
  }
}
