/** What the timer sources know of time, and waiting for any length of it. */
import type { Clock as WholeClock } from '../time/clock.ts';

/** The part of the clock port that the executor needs. */
export type Clock = Pick<WholeClock, 'now' | 'setTimer'>;

/** Node keeps a timer's delay in 31 bits; anything longer fires after one millisecond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits for any time, in as many timers as it takes (B6); answers how to call it off. */
export function wait(clock: Clock, delayMs: number, fire: () => void): () => void {
  let leftMs = delayMs;
  let cancel: () => void;
  const arm = (): void => {
    const legMs = Math.min(leftMs, LONGEST_TIMER_MS);
    leftMs -= legMs;
    const timer = clock.setTimer(leftMs > 0 ? arm : fire, legMs);
    cancel = () => timer.cancel();
  };
  arm();
  return () => cancel();
}
