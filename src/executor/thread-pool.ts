/**
 * A pool of threads, each of which runs one module at a time.
 *
 *     a run:    waiting ──a place is free──▶ in a thread ──▶ ended      waiting ──aborted──▶ ended
 *     a thread: in use ⇄ idle ──after a while──▶ over
 *
 * No more threads are in use than there are places, and a thread is made only for a run that has none to use. What becomes of the thread of a run is the
 * run's own matter (pool-worker.ts): the next run uses another.
 */
import type { ResourceLimits } from 'node:worker_threads';
import { PoolWorker } from './pool-worker.ts';
import type { Job, ThreadOutcome } from './thread-runner.ts';

/** Something about the pool rather than about a thread; the message is the whole story. */
export class ThreadPoolError extends Error {}

const IDLE_MS_MAX = 10_000;

export class ThreadPool {
  readonly #threads: number;
  readonly #resourceLimits: ResourceLimits | undefined;
  /** Threads without a run, each with the timer that ends it. */
  readonly #idle = new Map<PoolWorker, NodeJS.Timeout>();
  #closing: Promise<void> | undefined;
  /** How many places are taken, and who waits for one, in order. */
  #taken = 0;
  readonly #waiting = new Set<() => void>();
  #emptied = (): void => {};

  constructor(threads: number, resourceLimits: ResourceLimits | undefined) {
    this.#threads = threads;
    this.#resourceLimits = resourceLimits;
  }

  /** Runs a job; rejects if the thread died, the job could not be sent, or the signal was aborted. */
  async run(job: Job, signal: AbortSignal | undefined): Promise<ThreadOutcome> {
    if (this.#closing !== undefined) {
      throw new ThreadPoolError(
        'its threads were closed with close(); make another callback with inThread()',
      );
    }
    await this.#enter(signal);
    let thread: PoolWorker | undefined;
    try {
      signal?.throwIfAborted(); // it may have been aborted after its place was given to it
      thread = this.#someThread();
      return await thread.run(job, signal);
    } finally {
      if (thread !== undefined) this.#putBack(thread);
      this.#leave();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => (this.#emptied = resolve));
    await Promise.all(Array.from(this.#idle.keys(), (thread) => this.#end(thread)));
  }

  /** The thread that was used last, since its modules are loaded; a new one if there is none. */
  #someThread(): PoolWorker {
    for (const [thread, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (!thread.isOver) return thread;
    }
    return new PoolWorker(this.#resourceLimits);
  }

  #putBack(thread: PoolWorker): void {
    const timer = setTimeout(() => void this.#end(thread), IDLE_MS_MAX).unref();
    this.#idle.set(thread, timer);
  }

  #end(thread: PoolWorker): Promise<void> {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    return thread.end();
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    if (this.#taken < this.#threads) {
      this.#taken++;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const aborted = (): void => {
      if (this.#waiting.delete(resolve)) reject(signal?.reason);
    };
    this.#waiting.add(resolve);
    signal?.addEventListener('abort', aborted);
    await promise.finally(() => signal?.removeEventListener('abort', aborted));
  }

  /** Gives the place to the first who waits, if anybody does. */
  #leave(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      if (--this.#taken === 0) this.#emptied();
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
