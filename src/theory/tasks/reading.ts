/**
 * How one past of a task is read: with another schedule (T5), and by a clock that was set back (B5).
 *
 * The judge of a clock that was set back is the scheduler when it sees the step, or the next initialization when no scheduler was
 * active. How far the task was served decides.
 *
 * - At most a minute ahead of the clock: nothing moves, and no instant that was served repeats.
 * - At most three hours: a task whose hour field is `*` goes on from now; another does not repeat.
 * - Farther: it was a correction, and every task goes on from now.
 */
import { bits } from '../logic/atoms.ts';
import { type CompiledTheory, retryHeld } from '../logic/compiled.ts';
import type { Rebuild } from '../logic/program.ts';
import type { Classes } from './classes.ts';
import type { Pasts } from './pasts.ts';
import type { ScheduleGroup, ScheduleGroups } from './schedule-groups.ts';
import type { History, Retry, TaskTable } from './task-table.ts';

const MINUTE_MS = 60_000;
const FEW_HOURS_MS = 3 * 60 * MINUTE_MS;

/** How far a task counts as served, by a clock that may have been set back. `schedule` is a key of `scheduleKey`. */
export function servedAfterStep(servedTo: number, schedule: string, now: number): number {
  const ahead = servedTo - now;
  if (ahead <= MINUTE_MS) return servedTo;
  if (ahead <= FEW_HOURS_MS && hourField(schedule) !== '*') return servedTo;
  return now;
}

const hourField = (schedule: string): string | undefined =>
  schedule
    .split('\n')[1]
    .trim()
    .split(/[ \t]+/)[1];

/**
 * When a retry comes: a deadline farther away than its delay becomes now + delay. A stored record keeps the failure and the
 * deadline, not the delay. So where the registration has got another delay meanwhile, a scheduler may take the longer of the two
 * for it, and there are two possible deadlines.
 */
export function retriesAfterStep(
  retry: Retry | undefined,
  registeredDelayMs: number,
  now: number,
): readonly (Retry | undefined)[] {
  if (retry === undefined) return [undefined];
  const { at, delayMs, failedAt } = retry;
  const delays = Number.isNaN(registeredDelayMs)
    ? [delayMs]
    : [delayMs, Math.max(at - failedAt, registeredDelayMs)];
  const deadlines = new Set(delays.map((delay) => Math.min(at, now + delay)));
  return Array.from(deadlines, (deadline) => (deadline === at ? retry : { ...retry, at: deadline }));
}

type Served = Readonly<Pick<History, 'servedTo' | 'isFirstComing'>>;

/** The readings of the clock by which a past is judged. */
export interface JudgedBy {
  /** Dues count from here on. */
  readonly servedBy: number;
  /** Delays begin here. */
  readonly retriedBy: number;
  readonly now: number;
}

/** What a past is read from. */
export interface ReadParts {
  readonly theory: CompiledTheory;
  readonly table: TaskTable;
  readonly classes: Classes;
  readonly pasts: Pasts;
  readonly groups: ScheduleGroups;
}

export class PastReader {
  readonly #parts: ReadParts;
  /** Dues before this instant do not count: the trace begins here. */
  #beginsAt = Number.NaN;
  /** The clock was set back, and no scheduler has judged it yet. */
  isUnjudged = false;
  /** The latest instant that any clock has shown: up to there a task may count as served. */
  latest = Number.NEGATIVE_INFINITY;

  constructor(parts: ReadParts) {
    this.#parts = parts;
  }

  /** The trace begins here. A clock that is set back may begin it earlier. */
  begin(at: number): void {
    this.#beginsAt = Number.isNaN(this.#beginsAt) ? at : Math.min(at, this.#beginsAt);
  }

  /** The bits of a past that depend on its schedule, as it reads by another schedule or another clock (T5). */
  reread(state: number, group: ScheduleGroup, past: Served, now: number): number {
    const { automaton } = this.#parts.theory;
    const values = automaton.program.rebuilds.reduce(
      (mask, { kind }, i) => (this.#reads(kind, group, past, now) ? mask | (1 << i) : mask),
      0,
    );
    return automaton.rebuilt(state, values);
  }

  #reads(
    kind: Rebuild['kind'],
    group: ScheduleGroup,
    { servedTo, isFirstComing }: Served,
    now: number,
  ): boolean {
    const { matcher } = group;
    if (matcher === undefined) return false;
    if (kind === 'this minute') {
      const minute = matcher.minuteStart(now);
      return minute >= this.#beginsAt && matcher.isDue(minute);
    }
    // What a first coming leaves owed of its own minute is a question of its own. A clock that was set back has yet to reach it.
    if (kind === 'at first coming') return isFirstComing && servedTo < now && matcher.isDue(servedTo + 1);
    const floor = Math.max(isFirstComing ? servedTo + 1 : servedTo, this.#beginsAt - 1);
    return floor < now && group.dueAfter(floor) <= now;
  }

  /** Judges every past of a registered task by a clock that may have been set back (B5). A retry may get two possible deadlines. */
  judge(task: number, schedule: string, { servedBy, retriedBy, now }: JudgedBy): void {
    for (const row of this.#parts.pasts.of(task)) {
      const before = this.#parts.pasts.read(row);
      if (before.group === this.#parts.groups.unregistered) continue;
      const history = this.#parts.table.history[row];
      history.servedTo = servedAfterStep(before.servedTo, schedule, servedBy);
      if (history.servedTo !== before.servedTo) history.isFirstComing = false;
      const [first, ...others] = retriesAfterStep(before.retry, before.delayMs, retriedBy);
      this.#parts.pasts.setRetry(row, first, now);
      if (history.servedTo !== before.servedTo || first?.at !== before.retry?.at)
        this.#parts.pasts.setStored(row, [
          ...before.stored,
          { servedTo: before.servedTo, retry: before.retry },
        ]);
      this.readByClock(row, now);
      for (const retry of others) {
        const past = this.#parts.pasts.read(row);
        this.#parts.pasts.add(row, { ...past, retry, state: this.withRetry(past.state, retry, now) }, now);
      }
    }
  }

  /** Reads a past again by a clock that was set back; what was demanded before is no longer. */
  readByClock(row: number, now: number): void {
    this.place(row, now);
    const { automaton, demands } = this.#parts.theory;
    const { group, state, seen } = this.#parts.classes.take(row);
    const history = this.#parts.table.history[row];
    const read = this.reread(automaton.without(state, demands), group, history, now);
    const after = this.withRetry(read, history.retry, now);
    this.#parts.classes.put(row, { group, state: after, openAt: undefined, seen });
  }

  /**
   * A state in which this is the retry that is waited for, due or not. That is a position of its own, so that what was owed right
   * before it is not owed right before what comes next.
   */
  withRetry(state: number, retry: Retry | undefined, now: number): number {
    const { automaton } = this.#parts.theory;
    const isDue = retry !== undefined && retry.at <= now;
    return automaton.after(
      automaton.without(state, [retryHeld]),
      automaton.letter(isDue ? bits.RetryDue : 0),
    );
  }

  /** Puts a past into the group of its schedule that it belongs to: ahead of the clock, or not. */
  place(row: number, now: number): void {
    const { group } = this.#parts.classes.of(row);
    const to = this.groupFor(row, group === this.#parts.groups.unregistered ? undefined : group.key, now);
    if (to !== group) this.#parts.classes.put(row, { ...this.#parts.classes.take(row), group: to });
  }

  /** The group that a past belongs to with a schedule, by how far it was served; without one, that of no registration. */
  groupFor(row: number, schedule: string | undefined, now: number): ScheduleGroup {
    const { table, classes, pasts, groups } = this.#parts;
    const isNew = classes.of(row).group === groups.unregistered;
    const servedTo = isNew ? Number.NEGATIVE_INFINITY : table.history[row].servedTo;
    const group = schedule === undefined ? groups.unregistered : groups.servedTo(schedule, servedTo, now);
    if (group.isAhead) pasts.aheadUntil.set(row, servedTo);
    else pasts.aheadUntil.delete(row);
    return group;
  }
}
