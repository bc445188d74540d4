/** What is wrong with a world, and since when nothing outside the scheduler has been, so that it must be prompt. */
import type { Timeline } from '../machine/timeline.ts';

/** A rule that a world saw broken. */
export interface Violation {
  /** The rule of the semantics that was broken. */
  readonly rule: string;
  readonly at: number;
  readonly because: string;
}

/** The longest backoff of the scheduler, and some: from then on a start must be prompt again. */
export const BACKOFF_MS = 12_000;

export class Verdicts {
  readonly violations: Violation[] = [];
  readonly timeline: Timeline;
  /** How long a start may take when nothing is the matter. */
  readonly boundMs: number;
  #calmFrom = 0;
  #steadyFrom = 0;

  constructor(timeline: Timeline, boundMs: number) {
    this.timeline = timeline;
    this.boundMs = boundMs;
  }

  blame(rule: string, because: string): void {
    this.violations.push({ rule, at: this.timeline.now, because });
  }

  /** Something outside the scheduler delays it: promptness counts from when that is over. */
  perturbed(graceMs: number): void {
    this.#steadyFrom = Math.max(this.#steadyFrom, this.timeline.passed + graceMs);
    this.#calmFrom = Math.max(this.#calmFrom, this.#steadyFrom);
  }

  /** No worker was free until now. Who waited must be served soon, and in the order in which they came. */
  workerFreed(): void {
    this.#calmFrom = Math.max(this.#calmFrom, this.timeline.passed);
  }

  /** From when on nothing outside the scheduler was the matter, but for workers that were busy. */
  get steadyFrom(): number {
    return this.#steadyFrom;
  }

  get calmFrom(): number {
    return this.#calmFrom;
  }
}
