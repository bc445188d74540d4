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
import { Pasts } from './pasts.ts';
import { PastReader } from './reading.ts';
import { retryDelay } from './retry-delay.ts';
import { type ScheduleGroup, ScheduleGroups } from './schedule-groups.ts';
import { Slices, type TaskFindings } from './slices.ts';
import { type Past, skipsWhileRunning, type Task, TaskTable } from './task.ts';

export class Tasks {
  readonly table = new TaskTable();
  readonly automaton: Automaton;
  readonly slices: Slices;
  readonly pasts: Pasts;
  readonly groups = new ScheduleGroups<Past>();
  readonly reader: PastReader;
  /** Of the zone of the current list. */
  clock = civilClock('UTC');
  registered: readonly Enlisted[] = [];
  /** The tasks that go on after a pause, which the store may not know yet. */
  readonly resumedTasks = new Set<Task>();
  /** The tasks that have ended after a list had left them out: that they are forgotten may not be durable yet (I5). */
  readonly leaving = new Set<Task>();
  /**
   * How many runs have ended, and the last of them that is durable. What was asked for before a run ended is durable with that end, or before it: the
   * scheduler writes what has happened in its order.
   */
  ends = 0;
  durableEnd = 0;
  /** The tasks whose records are gone (E7), until the next list: what runs of them leaves nothing behind. */
  readonly gone = new Set<Task>();
  /** When a process died that may have made starts durable without a record, until the next one initializes. */
  mayHaveClaimedAt: number | undefined;

  constructor(automaton: Automaton, findings: TaskFindings) {
    this.automaton = automaton;
    this.slices = new Slices(automaton, findings, this.table);
    this.pasts = new Pasts(this.slices, findings);
    this.reader = new PastReader(this);
    this.slices.put(this.table.stranger.past, automaton.initial, this.groups.unregistered);
  }

  /** The task of a name. A name that is new has been a stranger until now. */
  task(name: string): Task {
    const known = this.table.find(name);
    if (known !== undefined) return known;
    const task = this.table.add(name);
    this.slices.put(task.past, this.slices.of(this.table.stranger.past).state, this.groups.unregistered);
    return task;
  }

  /** A task sees a letter. Returns what the probes say of it. */
  own(task: Task, bit: number, now: number): number {
    const letter = this.automaton.letter(bit);
    if (task.isInDoubt) this.pasts.admit(task, () => letter);
    this.slices.begin();
    for (const past of task.pasts) this.slices.see(past, letter, now);
    return task.past.probes;
  }

  /** A task is started, and served up to now whatever its past was. */
  started(task: Task, now: number): number {
    const letterOf = ({ history }: Past): number =>
      this.automaton.letter(history.decided === task.run ? bits.RS | bits.Decided : bits.RS);
    task.isCancelled = false;
    if (task.isInDoubt) this.pasts.admit(task, letterOf);
    this.slices.begin();
    const { past: first, pasts } = task;
    for (const past of pasts) {
      past.history.decidedFrom = this.owedSince(past, now);
      this.slices.see(past, letterOf(past), now);
    }
    for (const past of pasts) this.#serve(past, now);
    if (task.isInDoubt) this.pasts.merge(task);
    return first.probes;
  }

  #serve(past: Past, now: number): void {
    const { history } = past;
    // A newer due is new work, unless the task is paused, or that due is too old.
    const isUnserved = (past.probes & (probes.wasUnserved | probes.wasPaused)) === probes.wasUnserved;
    const isLate = isUnserved && (past.probes & probes.wasTooOld) !== 0;
    const isNewer = isUnserved && !isLate;
    const next = history.attempt + 1;
    history.attempt = isNewer ? 1 : next;
    history.servedTo = now;
    history.isFirstComing = false;
    history.startedAs = history.enlisted;
    history.stateBeforeEnd = 0;
    history.decided = undefined;
    // It waits for no retry any more (T2).
    if (history.retry !== undefined) this.pasts.setRetry(past, undefined, now);
    if (history.stored.length > 0) history.stored = [];
    // The start may have been decided before the due came that it serves, or before that was too old (A4).
    const mayBeNewer = isLate && (history.mayBeClaimed || !Number.isNaN(history.decidedFrom));
    history.mayBeClaimed = false;
    if (history.isWorkInDoubt || mayBeNewer || (isNewer && past.group.dueAfter(history.decidedFrom) <= now)) {
      history.isWorkInDoubt = false;
      if (next > 1) this.pasts.add(past, { ...this.pasts.read(past), attempt: isNewer ? next : 1 }, now);
    }
  }

  /** The start of a task is durable, and with it what has moved. A stop may end what was owed before it is called. */
  claimed({ pasts }: Task, now: number): void {
    for (const { history, openAt } of pasts) {
      history.decidedFrom = earliest(openAt, now);
      if (history.stored.length > 0) history.stored = [];
    }
  }

  /**
   * Since when a start was owed, if that was so long that something may have come due meanwhile, at a whole second, or become too old. NaN if not.
   */
  owedSince({ openAt, group }: Past, now: number): number {
    const since = earliest(openAt, now);
    const mayBeLate = group.rules.startWithinMs !== undefined && since < now;
    return mayBeLate || now - since >= 1000 || now % 1000 < now - since ? since : Number.NaN;
  }

  /**
   * A run ends, well, badly or by a stop, and may serve what came due up to an instant. Returns what the probes say. `bits.Crash` says that a stop
   * has interrupted it (T19).
   */
  ended(task: Task, bit: number, now: number, servedTo = now): number {
    task.endedAs = ++this.ends;
    const letters = new Map(
      task.pasts.map((past) => [past, this.automaton.letter(this.#ends(past, bit, servedTo))]),
    );
    const letterOf = (past: Past): number => letters.get(past) ?? 0;
    if (task.isInDoubt) this.pasts.admit(task, letterOf);
    this.slices.begin();
    for (const past of task.pasts) this.slices.see(past, letterOf(past), now);
    const { probes: seen } = task.past;
    // What has come due since is not served (K8).
    if (servedTo < now)
      for (const past of task.pasts)
        if (past.group.dueAfter(servedTo) <= now) this.reader.readAgain(past, now);
    return seen;
  }

  /** The run of a past ends. Returns what the past sees of that: the end may serve what came due meanwhile (H9). */
  #ends(past: Past, bit: number, servedTo: number): number {
    const { state, group, history } = this.slices.of(past);
    // A stray end, of no run, loses nothing.
    const isRunning = this.automaton.says(state, probes.running);
    if (isRunning) {
      // If a crash loses the end, the run was still going.
      history.stateBeforeEnd = state;
      history.attemptBeforeEnd = history.attempt;
      history.servedBeforeEnd = history.servedTo;
      const isLeaving = group === this.groups.unregistered && history.startedAs !== undefined;
      if (isLeaving && !this.gone.has(past.task)) this.leaving.add(past.task);
    }
    // An end of nothing is a stray one, however it is called.
    if (!isRunning) return bit === bits.Crash ? bits.REf : bit;
    if (bit === bits.REs) history.attempt = 0;
    // The attempt that a stop has interrupted is not used up (A13).
    else if (bit === bits.Crash) history.attempt = Math.max(history.attempt - 1, 0);
    if (!skipsWhileRunning(history)) return bit;
    history.servedTo = Math.max(history.servedTo, servedTo);
    return bit | bits.Passed;
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
    this.slices.begin();
    this.slices.see(past, this.automaton.letter(bits.RetryDue), now);
  }

  /** All tasks see a letter. */
  everyone(mask: number, now: number): void {
    const letter = this.automaton.letter(mask);
    for (const task of this.pasts.inDoubt) this.pasts.admit(task, () => letter);
    this.slices.begin();
    for (const { pasts } of this.table.all) for (const past of pasts) this.slices.see(past, letter, now);
  }

  /** Some groups are due. */
  due(groups: readonly ScheduleGroup<Past>[], now: number): void {
    const letter = this.automaton.letter(bits.Due);
    this.slices.begin();
    for (const group of groups) this.slices.schedule(group, letter, now);
  }

  /** The last due of a group has become too old to start for (H4). */
  stale(group: ScheduleGroup<Past>, now: number): void {
    for (const past of group.awake) if (past.openAt !== undefined) past.history.mayBeClaimed = true;
    this.slices.begin();
    this.slices.schedule(group, this.automaton.letter(bits.Stale), now);
  }
}

/** The first of these instants, of which some may be none, and now. */
function earliest(instants: readonly number[] | undefined, now: number): number {
  let first = now;
  if (instants !== undefined) for (const at of instants) if (at < first) first = at;
  return first;
}
