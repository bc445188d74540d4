/**
 * What a clock that was set back does to a task (B5), much as classic cron has it. The cursor may now lie ahead of the clock;
 * how far decides:
 *
 * - up to a minute: nothing moves, and no instant that was served is served again;
 * - up to three hours, as when a daylight-saving mistake is corrected by hand: a task that runs in every hour carries on from
 *   now, others wait until the clock has caught up with what they already did;
 * - beyond: the old time was wrong. The cursor moves to now.
 */
import { MAX_INSTANT } from '../time/zone.ts';

/** How far ahead of the clock that counts a stamp may be where several instances share a store: each of them measures that clock (K6). */
export const AHEAD_MS = 1000;

const MINUTE_MS = 60_000;
const THREE_HOURS_MS = 3 * 3_600_000;

/** The cursor after looking at a clock that may have been set back. */
export function cursorAfterStep(servedThrough: number, now: number, cron: string): number {
  const ahead = servedThrough - now;
  if (ahead <= MINUTE_MS) return servedThrough;
  if (ahead <= THREE_HOURS_MS && !isEveryHour(cron)) return servedThrough;
  return now;
}

/** Whether the hour field is `*`, which is a matter of the text. */
export const isEveryHour = (cron: string): boolean => /^[ \t]*[^ \t]+[ \t]+\*[ \t]/.test(cron);

/**
 * A retry deadline that is farther away than its delay, which can only be if the clock was set back since: the delay begins
 * now. The delay is the distance from the failure to the deadline, or the registration's where a step has already moved the
 * deadline closer; so looking twice moves it once. `aheadMs` is how far ahead a clock may be that nobody has set: such a deadline stands.
 */
export function deadlineAfterStep(
  pendingRetryUntil: number,
  lastFailureAt: number,
  retryDelayMs: number,
  now: number,
  aheadMs = 0,
): number {
  const delay = Math.max(pendingRetryUntil - lastFailureAt, retryDelayMs);
  return pendingRetryUntil - now > delay + aheadMs ? Math.min(now + delay, MAX_INSTANT) : pendingRetryUntil;
}
