/** How the clock was set since the scheduler last noticed a step. */

/** The scheduler may take a smaller step for drift. */
const DRIFT_MS = 1000;

export class UnnoticedSteps {
  byMs = 0;
  /** How much of it may be taken for drift, because each small step by itself may be. */
  #driftMs = 0;

  set(byMs: number): void {
    this.byMs += byMs;
    if (Math.abs(byMs) < DRIFT_MS) this.#driftMs += Math.abs(byMs);
  }

  noticed(): void {
    this.byMs = 0;
    this.#driftMs = 0;
  }

  /** Whether it is too much to be drift. */
  get isStep(): boolean {
    return Math.abs(this.byMs) >= DRIFT_MS + this.#driftMs;
  }
}
