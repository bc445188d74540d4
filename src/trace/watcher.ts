/**
 * Sees the main thread stand still: a callback that burns the processor, a machine that sleeps, a host that gives no time. The main
 * thread bumps a counter, from a timer and with each record; a thread sees it stop (watcher-thread.ts).
 *
 *     watching ──close, or the thread died──▶ over
 *
 * Neither timer nor thread keeps the process alive, and both do a few microseconds' work four times a second.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../thread.ts';
import { BEATS, CLOSED, FREEZES, MOVES, type Shared, type WatcherThreadOptions } from './watcher-cells.ts';
import { watcherThreadCode } from './watcher-thread-code.ts';

export interface Freeze {
  readonly from: number;
  readonly to: number;
}

export interface WatcherOptions {
  readonly frozenAfterMs: number;
  /** Called from the main thread's timer, to take what there is before it shows that it moves. */
  readonly onBeat: () => void;
  readonly onError: (error: unknown) => void;
}

const LONGEST_BEAT_MS = 250;
const SHORTEST_BEAT_MS = 5;
/** How long the main thread waits for a thread that was held up together with it. */
const PATIENCE_MS = 250;

export class Watcher {
  readonly #shared: Shared = {
    cells: new Int32Array(new SharedArrayBuffer(16)),
    stretch: new BigInt64Array(new SharedArrayBuffer(16)),
  };
  readonly #thread: Worker;
  readonly #timer: NodeJS.Timeout;
  readonly #suspiciousMs: number;
  readonly #ended: Promise<void>;
  #state: 'watching' | 'over' = 'watching';
  #freezes = 0;
  /** When the main thread last asked, which it does with each beat and each record. */
  #movedAt = Date.now();

  constructor({ frozenAfterMs, onBeat, onError }: WatcherOptions) {
    const beatMs = Math.min(Math.max(frozenAfterMs / 4, SHORTEST_BEAT_MS), LONGEST_BEAT_MS);
    this.#suspiciousMs = frozenAfterMs + 2 * beatMs;
    const thread: WatcherThreadOptions = { ...this.#shared, lookEveryMs: beatMs, frozenAfterMs };
    this.#thread = startThread(watcherThreadCode, 'trace watcher', thread);
    this.#thread.unref();
    this.#thread.on('error', onError);
    this.#ended = new Promise((resolve) => {
      this.#thread.once('exit', () => {
        this.#end();
        resolve();
      });
    });
    this.#timer = setInterval(() => {
      onBeat();
      Atomics.add(this.#shared.cells, BEATS, 1);
    }, beatMs).unref();
  }

  /**
   * A freeze that was laid down since the last time, if any. It is asked for before the main thread shows that it moves again. If
   * by its own reckoning it stood still and the thread has not said so, the thread stood still too, and gets a moment.
   */
  take(): Freeze | undefined {
    const { cells, stretch } = this.#shared;
    if (this.#state === 'over') return undefined;
    const stoodStillMs = Date.now() - this.#movedAt;
    this.#movedAt += stoodStillMs;
    let freezes = Atomics.load(cells, FREEZES);
    if (freezes === this.#freezes) {
      if (stoodStillMs <= this.#suspiciousMs) return undefined;
      Atomics.wait(cells, FREEZES, freezes, PATIENCE_MS);
      freezes = Atomics.load(cells, FREEZES);
      if (freezes === this.#freezes) return undefined;
    }
    this.#freezes = freezes;
    return { from: Number(Atomics.load(stretch, 0)), to: Number(Atomics.load(stretch, 1)) };
  }

  /** The main thread has written a record. */
  moved(): void {
    Atomics.add(this.#shared.cells, MOVES, 1);
  }

  /** Resolves when the thread has ended. */
  close(): Promise<void> {
    this.#end();
    this.#thread.ref();
    Atomics.store(this.#shared.cells, CLOSED, 1);
    Atomics.notify(this.#shared.cells, CLOSED);
    return this.#ended;
  }

  #end(): void {
    this.#state = 'over';
    clearInterval(this.#timer);
  }
}
