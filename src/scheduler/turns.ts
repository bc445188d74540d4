/**
 * When an engine does its work: in turns, one macrotask each, so that nothing holds the event loop for long.
 *
 *     asleep ──the timer, or somebody plans a turn──▶ a turn ──▶ asleep until the next instant, a minute at the most
 *
 * A turn that is planned is planned once, however often it is asked for. What is too much for one turn plans the next one. Sleep is not
 * trusted (B5): the clock may be set meanwhile, or the machine suspended.
 */
import type { Clock, Timer } from '../time/clock.ts';
import type { Sizes } from './sizes.ts';

const LONGEST_SLEEP_MS = 60_000;
/** How many tasks are looked at or triggered per turn, for each that a batch can start: it is much less work. */
const LOOKS_PER_BATCH = 5;
/** After so many the clock is asked whether the turn has taken long enough. */
const LOOKS_PER_STEP = 1000;

export class Turns {
  readonly #clock: Clock;
  readonly #sizes: Sizes;
  readonly #turn: () => void;
  #isPlanned = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, sizes: Sizes, turn: () => void) {
    this.#clock = clock;
    this.#sizes = sizes;
    this.#turn = turn;
  }

  /** Plans a turn, as soon as the event loop allows. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#clock.defer(() => {
      this.#isPlanned = false;
      this.#turn();
    });
  }

  /**
   * Does something a step of some tasks at a time, until all is done or a turn's share is. The rest is left to the next turn. Answers
   * whether all is done.
   */
  inSteps(isDoneWith: (count: number) => boolean): boolean {
    const { batch, callSliceMs } = this.#sizes;
    const until = this.#clock.monotonic() + callSliceMs;
    for (let left = LOOKS_PER_BATCH * batch; left > 0; left -= LOOKS_PER_STEP) {
      if (isDoneWith(Math.min(left, LOOKS_PER_STEP))) return true;
      if (this.#clock.monotonic() >= until) break;
    }
    this.plan();
    return false;
  }

  /** The next turn comes at an instant, unless one is planned before. */
  sleepUntil(next: number): void {
    this.#timer?.cancel();
    const now = this.#clock.now();
    const delayMs = Math.min(Math.max(next - now, 0), LONGEST_SLEEP_MS);
    this.#timer = this.#clock.setTimer(this.#turn, delayMs);
  }

  /** Only what is planned comes from now on. */
  stopSleeping(): void {
    this.#timer?.cancel();
  }
}
