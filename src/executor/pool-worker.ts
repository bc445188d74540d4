/**
 * One thread of a pool.
 *
 *     idle ──run──▶ busy ──the module has ended──▶ idle
 *       │             └──aborted──▶ over
 *       └──end, or it died (in `busy`, too)──▶ over
 *
 * Only a busy thread keeps the process alive. A run of a thread that dies fails with what the thread died of; so nobody waits for ever.
 */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import { startThread } from '../thread.ts';
import { moduleThreadCode } from './module-thread-code.ts';
import type { Job, ThreadOutcome } from './thread-runner.ts';

interface Run {
  readonly resolve: (outcome: ThreadOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export class PoolWorker {
  readonly #worker: Worker;
  #run: Run | undefined;
  #trouble: unknown;
  #isOver = false;

  constructor(resourceLimits: ResourceLimits | undefined) {
    // With the flags of the process: its module may need a loader.
    const more = resourceLimits === undefined ? {} : { resourceLimits };
    this.#worker = startThread(moduleThreadCode, 'inThread', undefined, more);
    this.#worker.on('message', (message: unknown) => {
      const outcome: ThreadOutcome | undefined = Reflect.get(Object(message), 'obbligato');
      if (outcome !== undefined) this.#run?.resolve(outcome);
    });
    this.#worker.on('messageerror', (error) => this.#run?.reject(error));
    this.#worker.on('error', (error) => {
      this.#trouble = error;
    });
    this.#worker.on('exit', (code) => this.#ended(code));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects if the thread dies, the job cannot be sent, or the signal is aborted, which ends the thread. */
  async run(job: Job, signal: AbortSignal | undefined): Promise<ThreadOutcome> {
    const { promise, ...run } = Promise.withResolvers<ThreadOutcome>();
    const aborted = (): void => {
      void this.end();
      run.reject(signal?.reason);
    };
    signal?.addEventListener('abort', aborted);
    this.#run = run;
    this.#worker.ref();
    try {
      this.#worker.postMessage(job);
      return await promise;
    } finally {
      this.#run = undefined;
      this.#worker.unref();
      signal?.removeEventListener('abort', aborted);
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }

  #ended(code: number): void {
    const wasAsked = this.#isOver;
    this.#isOver = true;
    if (this.#run !== undefined)
      this.#run.reject(this.#trouble ?? new Error(`worker exited with code: ${code}`));
    else if (!wasAsked && this.#trouble !== undefined)
      process.emitWarning(`a thread died between two runs: ${String(this.#trouble)}`, {
        type: 'ObbligatoWarning',
      });
  }
}
