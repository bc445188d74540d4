/**
 * How late a task started: from the first due instant that its run serves to the call. One run serves all that came due since the start before it, so the instant
 * that a run is filed under, the last of them, would hide an outage of hours.
 *
 * The first one is worked out from the start before, because a store does not keep it. So a pause between the two starts counts as well, once the run has ended.
 */
import type { Run } from './past.ts';
import type { TaskEntry } from './task-entry.ts';

/** Of the run that goes on, or else of the latest that came due; NaN if there is none. A retry and a request are due when they start. */
export function latenessOf(entry: TaskEntry, runs: readonly Run[]): number {
  const { calendar, record } = entry;
  if (calendar === undefined) return Number.NaN;
  const { run, servedThrough } = record;
  if (run?.reason === 'due') return between(calendar.next(servedThrough), run.startedAt, entry);
  const place = runs.findLastIndex(({ reason }) => reason === 'due');
  if (place < 0) return Number.NaN;
  const { calledAt, scheduledFor } = runs[place];
  const before = runs[place - 1];
  // What came before the first run that is known may be forgotten. A jitter has moved the due instant, and the calendar knows by how much.
  const after = before === undefined ? scheduledFor - 1 : servedUntil(before, entry);
  return between(calendar.next(after), calledAt, entry);
}

/** A task that skips what comes due while it runs owes nothing of that. When a run was cut off is not known. */
const servedUntil = ({ calledAt, endedAt, outcome }: Run, { policy }: TaskEntry): number =>
  policy.whileRunning === 'skip' && outcome !== 'cut off' ? endedAt : calledAt;

/** What is older than the task may start is not served by anything, and nobody is late for what came due before the task was there. */
function between(firstDue: number, calledAt: number, { policy, calendar, record }: TaskEntry): number {
  const { startWithinMs = Number.POSITIVE_INFINITY } = policy;
  const oldest = calledAt - startWithinMs;
  const due = firstDue < oldest ? (calendar?.next(oldest - 1) ?? firstDue) : firstDue;
  return Math.max(0, calledAt - Math.max(due, record.firstSeenAt));
}
