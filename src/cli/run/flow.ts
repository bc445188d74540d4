/**
 * The output of `run` where it goes to a pipe. A slow reader holds programs back for a moment, and a reader that has stopped costs lines of
 * the log; neither costs the schedule, and neither fills the memory.
 *
 *     flowing ──much is not taken yet──▶ full: programs wait ──most is taken──▶ flowing
 *        │                                 └──nothing is taken for PATIENCE_MS──┐
 *        └──far too much is not taken yet───────────────────────────────────────┴▶ losing ──most is taken──▶ flowing
 *
 * While it loses, lines are counted and dropped; afterwards a line says how many.
 */

/** Lines that the output did not take. */
export interface Loss {
  readonly lines: number;
  /** The first error. */
  readonly reason: string;
}

/** Hands a text to the pipe, and calls back when the reader has taken it. */
type Write = (text: string, taken: () => void) => unknown;

/** What may wait for the reader before programs are held back. */
const FULL_BYTES = 2 ** 18;
/** With this much waiting, no more is taken. A callback that writes in a loop lets nothing be taken meanwhile, so this is generous. */
const MOST_BYTES = 2 ** 25;
/** What Node keeps of one write, in addition to its text. */
const WRITE_BYTES = 256;
/** How long the reader may take nothing. */
export const PATIENCE_MS = 5000;

export class Flow {
  readonly #write: Write;
  readonly #tell: (loss: Loss) => void;
  #waitingBytes = 0;
  #waitingLines = 0;
  #lostLines = 0;
  #isLosing = false;
  #room: PromiseWithResolvers<void> | undefined;
  #patience: NodeJS.Timeout | undefined;
  #onTaken = (): void => {};

  /** `tell` says in one write to this same flow how much was lost. */
  constructor(write: Write, tell: (loss: Loss) => void) {
    this.#write = write;
    this.#tell = tell;
  }

  write(text: string): void {
    const bytes = text.length + WRITE_BYTES;
    const lines = text.split('\n').length - 1;
    if (this.#waitingBytes > MOST_BYTES) this.#lose();
    if (this.#isLosing) {
      this.#lostLines += lines;
      return;
    }
    this.#waitingBytes += bytes;
    this.#waitingLines += lines;
    this.#write(text, () => this.#taken(bytes, lines));
    if (this.#waitingBytes <= FULL_BYTES || this.#room !== undefined) return;
    this.#room = Promise.withResolvers();
    this.#wait(() => this.#lose());
  }

  /** Resolves when a program may go on writing; undefined if it may now. */
  room(): Promise<void> | undefined {
    return this.#room?.promise;
  }

  /** Resolves when everything is taken, or when nothing was for too long: then to what is lost. */
  async finish(): Promise<Loss | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onTaken = () => {
      if (this.#waitingBytes === 0) resolve();
      else this.#wait(resolve);
    };
    this.#onTaken();
    await promise;
    clearTimeout(this.#patience);
    const lines = this.#lostLines + this.#waitingLines;
    return lines === 0 ? undefined : lossOf(lines);
  }

  #taken(bytes: number, lines: number): void {
    this.#waitingBytes -= bytes;
    this.#waitingLines -= lines;
    if (this.#waitingBytes <= FULL_BYTES / 2) this.#flow();
    else if (this.#room !== undefined) this.#wait(() => this.#lose());
    this.#onTaken();
  }

  #flow(): void {
    this.#letProgramsGoOn();
    this.#isLosing = false;
    const lines = this.#lostLines;
    this.#lostLines = 0;
    if (lines > 0) this.#tell(lossOf(lines));
  }

  /** Calls back if nothing is taken for too long. */
  #wait(givenUp: () => void): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(givenUp, PATIENCE_MS);
  }

  #lose(): void {
    this.#letProgramsGoOn();
    this.#isLosing = true;
  }

  #letProgramsGoOn(): void {
    clearTimeout(this.#patience);
    this.#room?.resolve();
    this.#room = undefined;
  }
}

const lossOf = (lines: number): Loss => ({ lines, reason: 'their reader is too slow, or has stopped' });
