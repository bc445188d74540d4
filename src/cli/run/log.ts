/**
 * The output of `run` where it goes to a file: a disk without room costs lines of a log, and never the schedule.
 *
 *     writing ──an error──▶ losing ──room again──▶ writing
 *
 * While it loses, each line is tried and none is kept, since there may be any number of them. A line that was cut in two is ended
 * before anything else, so that every line is whole; then a line says how many were lost.
 */
import { fstatSync, writeSync } from 'node:fs';
import type { Output } from '../args/command.ts';
import { counted, messageOf } from '../terminal/text.ts';
import { Flow, type Loss } from './flow.ts';

/** Writes what it can, and answers how many bytes that was; throws if it was none. */
type Write = (bytes: Uint8Array) => number;

const NOTHING = new Uint8Array();

export class Log {
  readonly #writeSome: Write;
  readonly #tell: (loss: Loss) => void;
  #rest: Uint8Array = NOTHING;
  #loss: Loss | undefined;
  #isTelling = false;

  /** `tell` says in one write to this same log how much was lost. */
  constructor(writeSome: Write, tell: (loss: Loss) => void) {
    this.#writeSome = writeSome;
    this.#tell = tell;
  }

  write(text: string): void {
    if (this.#isTelling || this.isWhole()) this.#put(text);
    else this.#lose(text, '');
  }

  /** Whether everything so far is written, or reported as lost; tries to bring that about. */
  isWhole(): boolean {
    const loss = this.#loss;
    if (loss === undefined) return true;
    if (this.#drain() !== undefined) return false;
    this.#loss = undefined;
    if (loss.lines > 0) this.#report(loss);
    return this.#loss === undefined;
  }

  /** What is lost and not yet reported. */
  get loss(): Loss | undefined {
    return this.#loss;
  }

  #report(loss: Loss): void {
    this.#isTelling = true;
    this.#tell(loss);
    this.#isTelling = false;
    // Nothing of the report itself was written, else its rest would be kept: so it is still to be made.
    if (this.#loss !== undefined && this.#rest.length === 0) this.#loss = loss;
  }

  #put(text: string): void {
    const bytes = Buffer.from(text);
    this.#rest = bytes;
    const reason = this.#drain();
    if (reason === undefined) return;
    if (this.#rest.length < bytes.length) this.#loss = { lines: 0, reason };
    else {
      this.#rest = NOTHING;
      this.#lose(text, reason);
    }
  }

  /** Why the rest could not be written; nothing if it was. */
  #drain(): string | undefined {
    try {
      while (this.#rest.length > 0) this.#rest = this.#rest.subarray(this.#writeSome(this.#rest));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #lose(text: string, reason: string): void {
    const lines = text.split('\n').length - 1;
    this.#loss = { lines: (this.#loss?.lines ?? 0) + lines, reason: this.#loss?.reason ?? reason };
  }
}

/** An output that takes anything at any time, and neither waits nor fails. */
export interface LastingOutput extends Output {
  /** Resolves when a program may go on writing; undefined if it may now. */
  room?(): Promise<void> | undefined;
  /** Resolves when the process may end. */
  finish?(): Promise<void>;
}

/** What `run` writes to: a log, if its output is a file; a flow, if it is a pipe. What is lost in the end is reported on standard error. */
export function lasting(stdout: Output, tell: (loss: Loss) => void): LastingOutput {
  const { fd, isTTY } = stdout;
  if (fd === undefined || isTTY === true) return stdout;
  const status = fstatSync(fd);
  return status.isFIFO() || status.isSocket() ? flowOn(stdout, tell) : logOn(fd, tell);
}

function flowOn(stdout: Output, tell: (loss: Loss) => void): LastingOutput {
  const flow = new Flow((text, taken) => stdout.write(text, taken), tell);
  return {
    write: (text) => flow.write(text),
    room: () => flow.room(),
    async finish() {
      const loss = await flow.finish();
      if (loss === undefined) return;
      process.stderr.write(`${lossText(loss)}\n`);
      stdout.abandon?.();
    },
  };
}

export const lossText = ({ lines, reason }: Loss): string =>
  `${counted(lines, 'line')} of the log ${lines === 1 ? 'is' : 'are'} lost: ${reason}`;

function logOn(fd: number, tell: (loss: Loss) => void): Log {
  const log = new Log((bytes) => {
    const count = writeSync(fd, bytes);
    if (count === 0) throw new Error('nothing could be written');
    return count;
  }, tell);
  process.once('exit', () => {
    if (!log.isWhole() && log.loss !== undefined) process.stderr.write(`${lossText(log.loss)}\n`);
  });
  return log;
}
