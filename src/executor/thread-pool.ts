/**
 * A pool of threads: piscina, loaded when first needed, behind a queue of our own.
 *
 * The queue is ours because piscina starts no new thread for those that wait in *its* queue when a thread dies or is
 * killed by an abort; with one thread they would wait for ever. Never more runs are handed over than there may be
 * threads, so its queue only ever holds runs whose thread is being started.
 *
 *     waiting ──a place is free──▶ handed over ──▶ ended      waiting ──aborted──▶ ended
 *
 * Idle threads do not keep the process alive, and end after a while.
 */
import type { ResourceLimits } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { type Job, runnerPath, type ThreadOutcome } from './thread-runner.ts';

/** Something about the pool rather than about a thread; the message is the whole story. */
export class ThreadPoolError extends Error {}

const IDLE_MS_MAX = 10_000;

export class ThreadPool {
  readonly #threads: number;
  readonly #resourceLimits: ResourceLimits | undefined;
  #opening: Promise<Piscina> | undefined;
  #closing: Promise<void> | undefined;
  /** How many places are taken, and who waits for one, in order. */
  #taken = 0;
  readonly #waiting = new Set<() => void>();
  /** How to fail each run that was handed over. */
  readonly #handedOver = new Set<(error: unknown) => void>();
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
    try {
      this.#opening ??= this.#open();
      return await this.#handOver(await this.#opening, job, signal);
    } finally {
      this.#leave();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => (this.#emptied = resolve));
    await (await this.#opening?.catch(() => undefined))?.destroy();
  }

  async #open(): Promise<Piscina> {
    const { Piscina } = await import('piscina').catch((error: unknown) => {
      this.#opening = undefined; // perhaps it is installed by the next time
      throw missing(error);
    });
    const pool = new Piscina({
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: IDLE_MS_MAX,
      // Otherwise a thread without a run is frozen, with every connection and timer that its module keeps.
      atomics: 'disabled',
      ...(this.#resourceLimits === undefined ? {} : { resourceLimits: this.#resourceLimits }),
    });
    let error: unknown;
    pool.on('error', (reason: unknown) => (error = reason));
    // This event comes for every thread that ends, and before the one with the reason. So both are looked at afterwards.
    pool.on('workerDestroy', () => {
      setImmediate(() => {
        this.#threadDied(pool, error);
        error = undefined;
      });
    });
    return pool;
  }

  #handOver(pool: Piscina, job: Job, signal: AbortSignal | undefined): Promise<ThreadOutcome> {
    return new Promise((resolve, reject) => {
      const leave = (): void => void this.#handedOver.delete(reject);
      this.#handedOver.add(reject);
      pool
        .run(job, { filename: runnerPath, name: 'runModule', signal: signal ?? null })
        .then(resolve, reject)
        .finally(leave);
    });
  }

  /**
   * A thread is gone. If it had a run, that was failed. If it had none and was the last one, then runs may have been
   * waiting for it to start, and nothing would ever start another: they fail with it.
   */
  #threadDied(pool: Piscina, error: unknown): void {
    if (pool.threads.length === 0 && this.#handedOver.size > 0) {
      this.#opening = undefined;
      for (const fail of this.#handedOver) fail(error ?? new Error('it ended as it was being started'));
      void pool.destroy();
    } else if (error !== undefined) {
      process.emitWarning(`a thread died between two runs: ${String(error)}`, { type: 'ObbligatoWarning' });
    }
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

function missing(error: unknown): unknown {
  const isMissing =
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes('piscina');
  if (!isMissing) return error;
  return new ThreadPoolError(
    'inThread() needs the package piscina, which is not installed: npm install piscina',
    {
      cause: error,
    },
  );
}
