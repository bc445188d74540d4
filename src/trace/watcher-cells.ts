/** What the main thread and the watcher's thread share: a few cells of memory. */

/** The main thread writes `BEATS`, `MOVES` and `CLOSED`; the watcher everything else. */
export interface Shared {
  readonly cells: Int32Array<SharedArrayBuffer>;
  /** The freeze laid down last: from, to, in epoch milliseconds. */
  readonly stretch: BigInt64Array<SharedArrayBuffer>;
}

/** How often the main thread's timer went off. */
export const BEATS = 0;
/** How often the main thread wrote a record. */
export const MOVES = 1;
/** How many freezes were laid down. */
export const FREEZES = 2;
export const CLOSED = 3;

/** What the watcher's thread is started with. */
export interface WatcherThreadOptions extends Shared {
  readonly lookEveryMs: number;
  readonly frozenAfterMs: number;
}
