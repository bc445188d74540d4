/** By how many whole minutes the jitter of a task moves its due instants (H5). */
import { dueInstants } from '../index.ts';
import type { TaskEntry } from './task-entry.ts';

const MINUTE_MS = 60_000;

/** The distance between the first due instant after an instant with jitter and without: the same for all of them. */
export function jitterMinutes({ record, policy, calendar, timeZone }: TaskEntry): number {
  const { jitterMs: _jitter, ...plain } = policy;
  const still = dueInstants({ name: record.name, cron: record.cron, policy: plain }, timeZone);
  const due = still.next(0);
  return Math.floor(((calendar?.next(due - 1) ?? due) - due) / MINUTE_MS);
}
