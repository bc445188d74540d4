/**
 * The database's clock between two heartbeats (K6): what it showed, plus what a clock that nobody sets has counted since. A reading is as
 * good as its round trip was short, so the best of the last few counts. Steps of the host's own clock do not matter.
 */
const KEPT = 8;
/** How often the clock is read at first, until a reading is good. */
const FIRST_READINGS = 4;
/** Differences below this are of the measurement: time does not go back for them. */
const STEP_MS = 1000;

export class ServerClock {
  readonly #monotonic: () => number;
  readonly #readings: Array<{ readonly aheadMs: number; readonly tripMs: number }> = [];
  #aheadMs = 0;
  #last = Number.NEGATIVE_INFINITY;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  now(): number {
    const now = Math.floor(this.#monotonic() + this.#aheadMs);
    if (now < this.#last && this.#last - now < STEP_MS) return this.#last;
    this.#last = now;
    return now;
  }

  /**
   * Reads for the first time. An instance that stood still in the middle of a reading would be wrong by half of that time, and so would
   * everything that it writes. So it reads again while the round trip was long; not for ever, since the network may be that slow.
   */
  async begin(reading: () => Promise<void>): Promise<void> {
    for (let left = FIRST_READINGS; left > 0 && this.#tripMs > STEP_MS; left--) await reading();
  }

  /** The round trip of the reading that counts. */
  get #tripMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#readings.map(({ tripMs }) => tripMs));
  }

  /** The database showed `at` somewhere between two readings of the other clock. */
  read(at: number, sentAt: number, answeredAt: number): void {
    const reading = { aheadMs: at - (sentAt + answeredAt) / 2, tripMs: answeredAt - sentAt };
    const isStep = Math.abs(reading.aheadMs - this.#aheadMs) > Math.max(STEP_MS, reading.tripMs);
    if (isStep) this.#readings.length = 0;
    this.#readings.push(reading);
    if (this.#readings.length > KEPT) this.#readings.shift();
    this.#aheadMs = this.#readings.reduce((best, each) => (each.tripMs < best.tripMs ? each : best)).aheadMs;
  }
}
