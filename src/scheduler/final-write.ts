/**
 * The end of a stop (D7).
 *
 *     callbacks run ──the last has ended──▶ the store writes ──all is durable, or nothing can be──▶ over
 *                                                └──longer than `finalWriteMs`──▶ over, with what the store said. What is not durable is lost,
 *                                                                                  as in a crash: the next initialize repeats those runs (A10)
 *
 * Lists that came before the stop are put in force first (I5), though nothing starts by them.
 */
import { StoreSlowError } from '../store/errors.ts';
import type { Timer } from '../time/clock.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Writer } from './writer.ts';

export class FinalWrite {
  /** Undefined when everything is durable; otherwise why it is not. */
  readonly over: Promise<Error | undefined>;
  readonly #options: EngineOptions;
  readonly #patienceMs: number;
  readonly #resolve: (trouble: Error | undefined) => void;
  #timer: Timer | undefined;
  #areEditsOver = false;

  /** `edits` are over when the lists that came before are in force, or have failed; then `look` looks whether all is durable. */
  constructor(options: EngineOptions, patienceMs: number, edits: Promise<unknown>, look: () => void) {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    this.over = promise;
    this.#resolve = resolve;
    this.#options = options;
    this.#patienceMs = patienceMs;
    void edits.then(() => {
      this.#areEditsOver = true;
      look();
    });
  }

  /** Every callback has ended, and the writer was given what there was to write: if it is idle, nothing is left. */
  settle(writer: Writer): void {
    const { clock, session, location } = this.#options;
    if (writer.isLost || writer.isIdle) {
      this.#timer?.cancel();
      this.#timer = undefined;
      if (!writer.isLost && !this.#areEditsOver) return;
      const { trouble } = writer;
      // What a fenced instance leaves is known to the others, and not its to write (K4).
      const isFenced = session.sharing !== undefined;
      this.#resolve(writer.isLost && trouble instanceof Error && !isFenced ? trouble : undefined);
    } else
      this.#timer ??= clock.setTimer(() => {
        writer.abandon();
        const { trouble } = writer;
        const slow = new StoreSlowError({ path: location, waitedMs: this.#patienceMs });
        this.#resolve(trouble instanceof Error ? trouble : slow);
      }, this.#patienceMs);
  }
}
