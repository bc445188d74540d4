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
import type { RecordOf } from '../../trace/record.ts';
import type { CivilClock } from '../calendar/civil-clock.ts';
import type { Enlisted, Schedule } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import type { Automaton } from '../logic/automaton.ts';
import { probes, retryHeld } from '../logic/compiled.ts';
import type { Pasts } from './pasts.ts';
import { delayUnder } from './retry-delay.ts';
import type { ScheduleGroup, ScheduleGroups } from './schedule-groups.ts';
import { type History, type Past, type Possibility, perhapsStored, type Retry, type Task } from './task.ts';

const MINUTE_MS = 60_000;
const FEW_HOURS_MS = 3 * 60 * MINUTE_MS;

/** How far a task counts as served, by a clock that may have been set back. */
function servedAfterStep(servedTo: number, { cron }: Schedule, now: number): number {
  const ahead = servedTo - now;
  if (ahead <= MINUTE_MS) return servedTo;
  const [, hourField] = cron.trim().split(/[ \t]+/);
  return ahead <= FEW_HOURS_MS && hourField !== '*' ? servedTo : now;
}

/**
 * When a retry comes: a deadline farther away than its delay becomes now + delay. A stored record keeps the failure and the
 * deadline, not the delay. So where the registration has got another delay meanwhile, a scheduler may take the longer of the two
 * for it, and there are two possible deadlines.
 */
function retriesAfterStep(past: Possibility, now: number): readonly (Retry | undefined)[] {
  const { retry, enlisted, attempt } = past;
  if (retry === undefined) return [undefined];
  const { at, delayMs, failedAt } = retry;
  const registeredMs = enlisted === undefined ? Number.NaN : delayUnder(enlisted, attempt);
  const delays = registeredMs >= 0 ? [delayMs, Math.max(at - failedAt, registeredMs)] : [delayMs];
  const deadlines = new Set(delays.map((delay) => Math.min(at, now + delay)));
  return Array.from(deadlines, (deadline) => (deadline === at ? retry : { ...retry, at: deadline }));
}

type Served = Readonly<Pick<History, 'servedTo' | 'isFirstComing'>>;

/** The readings of the clock by which a past is judged: the cursor by the first, a deadline by the second. */
type Readings = readonly [servedBy: number, retriedBy: number];

/** What a clock that may have been set back makes of a past (B5). Its retry may get two possible deadlines. */
export function judged(
  past: Possibility,
  schedule: Schedule,
  [servedBy, retriedBy]: Readings,
): readonly Pick<Possibility, 'servedTo' | 'isFirstComing' | 'retry'>[] {
  const servedTo = servedAfterStep(past.servedTo, schedule, servedBy);
  const isFirstComing = past.isFirstComing && servedTo === past.servedTo;
  return retriesAfterStep(past, retriedBy).map((retry) => ({ servedTo, isFirstComing, retry }));
}

interface Sight {
  /** An active scheduler saw the step. */
  readonly isSeen: boolean;
  /** A start may be on its way: the trace has durability records. */
  readonly mayHaveClaimed: boolean;
}

/** The tasks, as far as a reader of their pasts needs them. */
export interface ReadTasks {
  readonly automaton: Automaton;
  readonly pasts: Pasts;
  readonly groups: ScheduleGroups<Past>;
  readonly clock: CivilClock;
  readonly registered: readonly Enlisted[];
  task(name: string): Task;
}

export class PastReader {
  readonly #tasks: ReadTasks;
  /** Dues before this instant do not count: the trace begins here. */
  #beginsAt = Number.NaN;
  /** The clock was set back, and no scheduler has judged it yet. */
  isUnjudged = false;
  /** The latest instant that any clock has shown: up to there a task may count as served. */
  latest = Number.NEGATIVE_INFINITY;

  constructor(tasks: ReadTasks) {
    this.#tasks = tasks;
  }

  /** Whether a clock that was set back may be unjudged, for an initialization that was planned at an instant. */
  mayBeBehind(plannedAt: number, now: number): boolean {
    return this.isUnjudged || Math.min(plannedAt, now) < this.latest || plannedAt > now;
  }

  /** The trace begins here. A clock that is set back may begin it earlier. */
  begin(at: number): void {
    this.#beginsAt = Number.isNaN(this.#beginsAt) ? at : Math.min(at, this.#beginsAt);
  }

  /** The bits of a past that depend on its schedule, as it reads by another schedule or another clock (T5). */
  reread(
    state: number,
    group: ScheduleGroup<Past>,
    { servedTo, isFirstComing }: Served,
    now: number,
  ): number {
    const beganAfter = this.#beginsAt - 1;
    return this.#tasks.automaton.rebuilt(state, (kind) => {
      if (kind === 'too old') return group.dueAfter(beganAfter) <= now && group.tooOldFrom(now) <= now;
      // What a first coming leaves owed of its own minute is a question of its own. A clock that was set back has yet to reach it.
      if (kind === 'at first coming')
        return isFirstComing && servedTo < now && group.dueAfter(servedTo) === servedTo + 1;
      const floor = Math.max(isFirstComing ? servedTo + 1 : servedTo, beganAfter);
      return floor < now && group.dueAfter(floor) <= now;
    });
  }

  /** Whether a group has been due from the start of the minute of an instant on, until now. */
  isDueSince(group: ScheduleGroup<Past>, from: number, now: number): boolean {
    const minute = this.#tasks.clock.minuteStart(from);
    return group.dueAfter(minute - 1) <= now;
  }

  /**
   * Judges every past of a registered task by a clock that may have been set back (B5). `isKept` says of one in which the name was left out
   * whether it was still had (I5).
   */
  judge(
    task: Task,
    schedule: Schedule,
    by: Readings,
    now: number,
    isKept: (past: Past) => boolean = () => false,
  ): void {
    const { groups, pasts } = this.#tasks;
    for (const past of task.pasts) {
      const before = pasts.read(past);
      if (before.group === groups.unregistered && !isKept(past)) continue;
      const [first, ...others] = judged(before, schedule, by).map((after) => {
        const isMoved = after.servedTo !== before.servedTo || after.retry?.at !== before.retry?.at;
        const stored = isMoved ? perhapsStored(before) : before.stored;
        return this.byClock({ ...before, ...after, stored }, now);
      });
      pasts.become(past, first, now);
      for (const other of others) pasts.add(past, other, now);
    }
  }

  /** Reads a past again where it stands. */
  readAgain(past: Past, now: number): void {
    const { pasts } = this.#tasks;
    pasts.become(past, this.byClock(pasts.read(past), now), now);
  }

  /** A past, as it reads by a clock that was set back. */
  byClock(past: Possibility, now: number): Possibility {
    const { automaton } = this.#tasks;
    const state = this.reread(automaton.undemanded(past.state), past.group, past, now);
    return { ...past, state: this.withRetry(state, past.retry, now) };
  }

  /**
   * A state in which this is the retry that is waited for, due or not. That is a position of its own, so that what was owed right
   * before it is not owed right before what comes next.
   */
  withRetry(state: number, retry: Retry | undefined, now: number): number {
    const { automaton } = this.#tasks;
    const isDue = retry !== undefined && retry.at <= now;
    return automaton.seeing(automaton.without(state, retryHeld), isDue ? bits.RetryDue : 0);
  }

  /**
   * The clock was set back. An active scheduler judges that when it sees it, by what the clock shows then. Without one the next
   * initialization judges.
   */
  clockSetBack({ from, to, at }: RecordOf<'ClockStep'>, { isSeen, mayHaveClaimed }: Sight): void {
    const { automaton, pasts, registered } = this.#tasks;
    this.latest = Math.max(from, this.latest);
    this.isUnjudged = !isSeen;
    for (const { name, schedule } of isSeen ? registered : []) {
      const task = this.#tasks.task(name);
      const pending = pasts.instead(task.pasts, (past) =>
        mayHaveClaimed && automaton.says(past.state, probes.waits) ? [past] : [],
      );
      this.judge(task, schedule, [at, at], to);
      // A start that was on its way may still come (A2).
      for (const { origin, past } of pending) {
        const state = automaton.seeing(automaton.undemanded(past.state), 0);
        pasts.add(origin, { ...pasts.read(origin), state }, to);
      }
    }
    pasts.mergeAll();
  }
}
