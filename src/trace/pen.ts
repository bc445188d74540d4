/**
 * Writes lines at the end of a file, and never anything but whole lines.
 *
 *     writing ──an error──▶ in trouble ──a write succeeds──▶ writing
 *                               └──more is held than fits──▶ given up        any ──close──▶ closed
 *
 * - *writing*: `flush` hands everything that was added to the kernel, in order.
 * - *in trouble*: what was added is kept, the trouble is reported once, and every flush tries again. A line of which only a part
 *   was written is taken back first.
 * - *given up*: a trace with a hole would blame the wrong party, so it ends where it is whole. This is reported, too.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { TraceFileError } from './errors.ts';
import { rotatedNumbers, rotatedPath } from './segments.ts';

export interface PenOptions {
  readonly path: string;
  readonly rotateBytes: number;
  /** How many rotated files are kept; the oldest go. */
  readonly keep: number;
  readonly tell: (error: TraceFileError) => void;
}

/** How much is held in trouble: minutes of a busy schedule, and nothing that a process would die of. */
const HELD_MAX = 16 * 1024 * 1024;

export class Pen {
  readonly #options: PenOptions;
  #fd: number;
  /** How many bytes of the file are whole lines. */
  #size: number;
  #rotateAt: number;
  #added = '';
  #state: 'writing' | 'in trouble' | 'given up' | 'closed' = 'writing';

  constructor(fd: number, options: PenOptions) {
    this.#options = options;
    this.#fd = fd;
    this.#size = fstatSync(fd).size;
    this.#rotateAt = options.rotateBytes;
  }

  add(line: string): void {
    if (this.#state === 'writing' || this.#state === 'in trouble') this.#added += line;
  }

  flush(): void {
    if (this.#added === '') return;
    try {
      if (this.#state === 'in trouble') ftruncateSync(this.#fd, this.#size);
      const bytes = writeWhole(this.#fd, this.#added);
      this.#added = '';
      this.#size += bytes;
      this.#state = 'writing';
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (this.#size >= this.#rotateAt) this.#rotate();
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.flush();
    this.#state = 'closed';
    closeSync(this.#fd);
  }

  #failed(error: unknown): void {
    const { path, tell } = this.#options;
    const wasWriting = this.#state === 'writing';
    this.#state = 'in trouble';
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      // Then the next flush takes the rest of the line back, before it writes.
    }
    if (this.#added.length > HELD_MAX) {
      this.#state = 'given up';
      this.#added = '';
      tell(new TraceFileError(path, 'could not be written for too long: the trace ends here', error));
    } else if (wasWriting) tell(new TraceFileError(path, 'cannot be written; what happens is held', error));
  }

  /** The file gets the next number, and an empty one its name. If that fails, the old one is written on. */
  #rotate(): void {
    const { path, rotateBytes, keep, tell } = this.#options;
    try {
      const numbers = rotatedNumbers(path);
      const number = (numbers.at(-1) ?? 0) + 1;
      renameUnlessGone(path, rotatedPath(path, number));
      const fresh = openSync(path, 'ax', fstatSync(this.#fd).mode & 0o777);
      closeSync(this.#fd);
      this.#fd = fresh;
      this.#size = 0;
      this.#rotateAt = rotateBytes;
      const old = [...numbers, number].slice(0, Math.max(0, numbers.length + 1 - keep));
      for (const gone of old) unlinkSync(rotatedPath(path, gone));
    } catch (error) {
      this.#rotateAt = this.#size + rotateBytes;
      tell(new TraceFileError(path, 'cannot be rotated; it is written on', error));
    }
  }
}

/** Answers how many bytes it was. The kernel may take less than all at once. */
function writeWhole(fd: number, text: string): number {
  let written = writeSync(fd, text);
  const total = Buffer.byteLength(text);
  if (written < total) {
    const bytes = Buffer.from(text);
    while (written < total) written += writeSync(fd, bytes, written);
  }
  return total;
}

/** An earlier rotation may have got no further than this. */
function renameUnlessGone(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
  }
}
