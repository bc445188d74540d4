/** What is wrong with a world. */
import type { WorldTime } from './judge.ts';

/** A rule that a world saw broken. */
export interface Violation {
  /** The rule of the semantics that was broken. */
  readonly rule: string;
  readonly at: number;
  readonly because: string;
}

/** Adds a violation, at the present instant. */
export type Blame = (rule: string, because: string) => void;

export class Violations {
  readonly all: Violation[] = [];
  readonly #time: WorldTime;

  constructor(time: WorldTime) {
    this.#time = time;
  }

  readonly blame: Blame = (rule, because) => {
    this.all.push({ rule, at: this.#time.now, because });
  };
}
