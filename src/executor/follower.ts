import type { Run } from './task.ts';

/** Gets the end of each run that is followed. */
export interface RunEnds {
  succeeded(run: Run): void;
  failed(run: Run, error: unknown): void;
}

/** How many followers are kept for later; beyond that, the memory of a burst is given back. */
const FREE_MAX = 1_024;

/**
 * Waits for the promise of one run after another. The two functions that a promise must be given belong to the
 * follower, which is used again when its run has ended: so they are made once for each run *at the same time*, not
 * once for each run.
 *
 * *free* or *following* one run, entered by `follow` and left when the promise settles. A native promise
 * settles once, so a follower is never called for the run it followed before.
 */
export class Followers {
  readonly #ends: RunEnds;
  readonly #free: Follower[] = [];

  constructor(ends: RunEnds) {
    this.#ends = ends;
  }

  /** `promise` must be a native one, for the reason above. */
  follow(run: Run, promise: Promise<unknown>): void {
    const follower = this.#free.pop() ?? new Follower(this.#ends, this.#free);
    follower.run = run;
    promise.then(follower.fulfilled, follower.rejected);
  }
}

class Follower {
  run: Run | undefined = undefined;
  readonly fulfilled: () => void;
  readonly rejected: (error: unknown) => void;

  constructor(ends: RunEnds, free: Follower[]) {
    const leave = (): Run => {
      const { run } = this;
      if (run === undefined) throw new Error('Executor invariant broken: a promise settles once');
      this.run = undefined;
      if (free.length < FREE_MAX) free.push(this);
      return run;
    };
    this.fulfilled = () => ends.succeeded(leave());
    this.rejected = (error) => ends.failed(leave(), error);
  }
}
