/**
 * What a campaign and the threads that play its worlds say to each other. All threads take their seeds from one counter in shared memory, so
 * that none waits for another, and a campaign that is to end ends after the worlds that are being played.
 */
import type { FaultCounts, Violation } from '../../simulation/index.ts';
import type { Kind } from './kinds.ts';

/** What is wrong with one world. */
export interface Failure {
  readonly seed: number;
  readonly violation: Violation;
}

/** What one world had to tell. */
export interface Played {
  readonly counts: FaultCounts;
  readonly starts: number;
  readonly events: number;
  readonly simulatedMs: number;
  readonly failure: Failure | undefined;
}

/** Cells of the shared counter: how many seeds were given out, and whether no more are to be. */
const GIVEN = 0;
const ENDED = 1;

/** Which seeds of which kind there are, and how many of them were given out already. */
export class Seeds {
  readonly kind: Kind;
  readonly first: number;
  readonly count: number;
  readonly cells: Int32Array<SharedArrayBuffer>;

  constructor(kind: Kind, first: number, count: number, cells = new Int32Array(new SharedArrayBuffer(8))) {
    this.kind = kind;
    this.first = first;
    this.count = count;
    this.cells = cells;
  }

  /** The next seed; undefined if there is none, or the campaign is to end. */
  take(): number | undefined {
    if (Atomics.load(this.cells, ENDED) !== 0) return undefined;
    const index = Atomics.add(this.cells, GIVEN, 1);
    return index < this.count ? this.first + index : undefined;
  }

  end(): void {
    Atomics.store(this.cells, ENDED, 1);
  }
}

/** What a thread is started for. */
export type Job =
  | ({ readonly job: 'play' } & Pick<Seeds, 'kind' | 'first' | 'count' | 'cells'>)
  | { readonly job: 'shrink'; readonly kind: Kind; readonly failure: Failure };

/** What a player says: the seed that it begins with, so that one that dies can be asked for it, and what came of a world. */
export type Message = { readonly seed: number } | { readonly played: Played };
