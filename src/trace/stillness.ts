/**
 * Decides, from looks at the main thread's counters, when it stood still. Pure: the watcher's thread looks.
 *
 *     moving ──nothing moved for frozenAfterMs──▶ still (a freeze begins, and grows with each look) ──something moved──▶ moving
 *
 * If the watching thread itself was held up, the machine slept, or was so busy that neither thread ran. Then the main thread's
 * timer cannot have fired more than once meanwhile, and the gap between the looks is a freeze. If it has fired more often, only
 * the watching thread was slow, and nothing is reported.
 */

/** What was to be seen at one look. Both clocks are read: one of them stands still while a machine sleeps, the other may be set. */
export interface Look {
  /** How often the main thread's timer went off. */
  readonly beats: number;
  /** How often the main thread wrote a record. */
  readonly moves: number;
  readonly wall: number;
  readonly monotonic: number;
}

/** `grown` is the freeze that was reported last, which has not ended yet. */
export interface Stillness {
  readonly kind: 'begun' | 'grown';
  readonly from: number;
  readonly to: number;
}

export class StillnessJudge {
  readonly #frozenAfterMs: number;
  readonly #lookEveryMs: number;
  #last: Look;
  /** The last look at which something had moved. */
  #moved: Look;
  #state: 'moving' | 'still' = 'moving';

  constructor(first: Look, frozenAfterMs: number, lookEveryMs: number) {
    this.#last = first;
    this.#moved = first;
    this.#frozenAfterMs = frozenAfterMs;
    this.#lookEveryMs = lookEveryMs;
  }

  judge(now: Look): Stillness | undefined {
    const last = this.#last;
    this.#last = now;
    const moved = this.#moved;
    if (now.beats === moved.beats && now.moves === moved.moves) {
      if (passed(moved, now) < this.#frozenAfterMs) return undefined;
      const kind = this.#state === 'still' ? 'grown' : 'begun';
      this.#state = 'still';
      return { kind, ...between(moved, now) };
    }
    this.#moved = now;
    this.#state = 'moving';
    const wereBothHeld =
      passed(last, now) >= this.#frozenAfterMs + this.#lookEveryMs && now.beats - last.beats <= 1;
    return wereBothHeld ? { kind: 'begun', ...between(last, now) } : undefined;
  }
}

const passed = (since: Look, now: Look): number =>
  Math.max(now.wall - since.wall, now.monotonic - since.monotonic);

/** By the wall clock, as everything in a trace; if that was set back meanwhile, there is nothing between. */
const between = (since: Look, now: Look): { readonly from: number; readonly to: number } => ({
  from: since.wall,
  to: Math.max(since.wall, now.wall),
});
