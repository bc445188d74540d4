/**
 * When the journal is folded and pruned: after the store's thread has had nothing to do for a while, or when very much waits. While
 * nothing is written, no timer runs.
 */
import type { Folder } from './sqlite-fold.ts';

const IDLE_MS = 1000;
/** Trouble that a step meets (a full disk, another program that writes) is reported by the next batch, which meets it too. */
const TROUBLE_MS = 10_000;
/** So many rows are folded while batches come: replaying more would keep the next opening waiting. */
const MANY = 2_000_000;
/** Up to so many are folded at the closing, so that the rows of a file at rest say everything. The next opening replays more. */
const FEW = 20_000;

export class Background {
  readonly #folder: Folder;
  readonly #isFree: () => boolean;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** `isFree` says whether no batch is half written. */
  constructor(folder: Folder, isFree: () => boolean, idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
    this.#folder = folder;
    this.#isFree = isFree;
  }

  /** A request was served. */
  wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#immediate !== undefined || !this.#isFree() || this.#folder.isResting) return;
    if (this.#folder.isWorking || this.#folder.waiting > MANY) this.#go();
    else this.#later(this.#idleMs);
  }

  /** The file is about to be closed. */
  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    if (!this.#isFree()) return;
    try {
      while (!this.#folder.isResting && this.#folder.waiting < FEW) this.#folder.step();
    } catch {
      // The journal has everything; the next opening replays it.
    }
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => this.#go(), ms);
  }

  #go(): void {
    this.#immediate = setImmediate(() => {
      this.#immediate = undefined;
      if (!this.#isFree()) return;
      try {
        this.#folder.step();
      } catch {
        this.#later(TROUBLE_MS);
        return;
      }
      if (!this.#folder.isResting) this.#go();
    });
  }
}
