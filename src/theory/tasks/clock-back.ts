/**
 * What a clock that was set back means for one past of a task (B5). The judge is the scheduler when it sees the step, or the next
 * initialization when no scheduler was active.
 *
 * - At most a minute: nothing moves, and no instant that was served repeats.
 * - At most three hours: a task whose hour field is `*` goes on from now; another does not repeat.
 * - Farther: it was a correction, and every task goes on from now.
 */
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

/** A failed run waits for its retry. */
export interface Retry {
  readonly at: number;
  /** The delay of the registration under which it failed (A6). */
  readonly delayMs: number;
  readonly failedAt: number;
}

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
