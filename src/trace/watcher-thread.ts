/**
 * The program of the watcher's thread.
 *
 * It sleeps, looks at the main thread's counters, and sleeps again. What it finds it lays down in shared memory, where the main
 * thread finds it before it writes its next record: so what is said of the main thread's absence is the thread's word, and yet only
 * one writes to the file, in one order. It lays down a freeze while it lasts, and moves its end on at each look; what a freeze is,
 * is decided in stillness.ts.
 */
import { startedWith } from '../thread.ts';
import { type Look, StillnessJudge } from './stillness.ts';
import { BEATS, CLOSED, FREEZES, MOVES, type WatcherThreadOptions } from './watcher-cells.ts';

function watch({ cells, stretch, lookEveryMs, frozenAfterMs }: WatcherThreadOptions): void {
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

watch(startedWith<WatcherThreadOptions>('trace watcher'));
