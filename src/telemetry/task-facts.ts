/**
 * What the record of a task says at an instant, for metrics:
 *
 *     running    a run is unfinished
 *     paused     an operator has paused it, also if its run was cut off: it does not start again before it is resumed
 *     cut_off    a run is unfinished and its scheduler is dead; it starts again with the next scheduler
 *     owed       a due instant or a retry has come, and it has not been started
 *     retrying   it failed, and waits for its retry
 *     waiting    none of these
 *
 * *Owed since* is the first due instant or retry deadline that has come and is not served. A due that comes while the task runs is owed
 * too, unless its policy skips it: so a run that hangs shows. What a policy does not want served any more (`startWithin`) is not owed.
 */
import { isRunCutOff, stateOfTask, type Timetable, timetableFor } from '../config.ts';
import type { Calendar, Inspection, TaskRecord, TaskState } from '../index.ts';

export const STATES = ['waiting', 'owed', 'running', 'retrying', 'paused', 'cut_off'] as const;
export type State = (typeof STATES)[number];

/** Labels of metrics have no blanks. */
const NAMES: Readonly<Record<TaskState, State>> = {
  running: 'running',
  paused: 'paused',
  'cut off': 'cut_off',
  owed: 'owed',
  retry: 'retrying',
  waiting: 'waiting',
};

export interface TaskFacts {
  readonly state: State;
  /** `null` if nothing is owed. */
  readonly owedSince: number | null;
  /** `null` if there is none. */
  readonly nextDue: number | null;
  readonly timeZone: string;
}

interface ReadBy {
  readonly owner: Inspection['owner'];
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;
const MOST_ANSWERS = 1000;

export class TaskReader {
  /** By calendar: the first due after a minute. Many tasks share calendars, and are served in the same minute. */
  readonly #after = new WeakMap<Calendar, Map<number, number>>();

  /** The zone is the scheduler's, for tasks that have none of their own. */
  read(record: TaskRecord, { owner, timeZone }: ReadBy, now: number): TaskFacts {
    const { run, work, servedThrough, pausedAt, pendingRetryUntil } = record;
    const timetable = timetableFor(record, timeZone);
    const { policy } = timetable;
    const isCutOff = isRunCutOff(record, owner);
    // A start moves the cursor only when its end is written; what a run serves is not due again.
    const served = run === null || work === null ? servedThrough : Math.max(servedThrough, run.startedAt);
    const oldest = now - (policy.startWithinMs ?? Number.POSITIVE_INFINITY) - 1;
    const firstDue = this.#next(timetable, Math.max(served, oldest));
    const isSkipping = run !== null && !isCutOff && policy.whileRunning === 'skip';
    const reasons = [
      ...(isSkipping ? [] : [firstDue]),
      ...(pendingRetryUntil === null ? [] : [pendingRetryUntil]),
      ...(isCutOff && run !== null && run.cutOffAt !== null ? [run.cutOffAt] : []),
    ];
    const first = pausedAt === null ? Math.min(...reasons) : Number.POSITIVE_INFINITY;
    const owedSince = first <= now ? first : null;
    const nextDue = this.#next(timetable, now);
    const state = NAMES[stateOfTask(record, owner, owedSince)];
    const own = policy.timeZone ?? timeZone;
    return { state, owedSince, nextDue: Number.isFinite(nextDue) ? nextDue : null, timeZone: own };
  }

  /** Of an expression that makes no sense nothing is due: the scheduler will refuse it, and say why. */
  #next({ policy, calendar }: Timetable, from: number): number {
    if (calendar === undefined) return Number.POSITIVE_INFINITY;
    if (policy.jitterMs !== undefined) return calendar.next(from);
    // Without jitter a due instant begins a minute: within a minute the answer is the same.
    const after = this.#after.get(calendar) ?? new Map<number, number>();
    this.#after.set(calendar, after);
    const minute = Math.floor(from / MINUTE_MS);
    let due = after.get(minute);
    if (due === undefined || due <= from) {
      due = calendar.next(from);
      if (after.size >= MOST_ANSWERS) after.clear();
      after.set(minute, due);
    }
    return due;
  }
}
