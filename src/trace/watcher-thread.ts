/**
 * The watcher's thread: this file is both the way to start it and the code that it runs.
 *
 * It sleeps, looks at the main thread's counters, and sleeps again. What it finds it lays down in shared memory, where the main
 * thread finds it before it writes its next record: so what is said of the main thread's absence is the thread's word, and yet only
 * one writes to the file, in one order. It lays down a freeze while it lasts, and moves its end on at each look; what a freeze is,
 * is decided in stillness.ts.
 */
import type { Worker } from 'node:worker_threads';
import { ownThread } from '../thread.ts';
import { type Look, StillnessJudge } from './stillness.ts';

/** Shared by both threads. The main thread writes `BEATS`, `MOVES` and `CLOSED`; the watcher everything else. */
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

interface ThreadOptions extends Shared {
  readonly lookEveryMs: number;
  readonly frozenAfterMs: number;
}

const thread = ownThread<ThreadOptions>(import.meta.url, 'trace watcher');

export const startWatcherThread = (options: ThreadOptions): Worker => thread.start(options);

function watch({ cells, stretch, lookEveryMs, frozenAfterMs }: ThreadOptions): void {
  const look = (): Look => ({
    beats: Atomics.load(cells, BEATS),
    moves: Atomics.load(cells, MOVES),
    wall: Date.now(),
    monotonic: performance.now(),
  });
  const judge = new StillnessJudge(look(), frozenAfterMs, lookEveryMs);
  while (Atomics.wait(cells, CLOSED, 0, lookEveryMs) === 'timed-out') {
    const stillness = judge.judge(look());
    if (stillness === undefined) continue;
    Atomics.store(stretch, 0, BigInt(stillness.from));
    Atomics.store(stretch, 1, BigInt(stillness.to));
    if (stillness.kind === 'begun') Atomics.add(cells, FREEZES, 1);
    Atomics.notify(cells, FREEZES);
  }
}

if (thread.options !== undefined) watch(thread.options);
