/**
 * Reads a trace as a stream: a file of any size, with the rotated ones before it, in the memory of one piece. A malformed line is
 * reported with its number and never ends the reading: the caller decides what to do about it.
 */
import { closeSync, fstatSync, openSync, read, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TraceFileError } from './errors.ts';
import { Lines, type TraceEntry } from './lines.ts';
import { rotatedNumbers, rotatedPath } from './segments.ts';

const readPiece = promisify(read);
const PIECE_BYTES = 256 * 1024;

/**
 * A path, and the rotated files of it are read first; or pieces of text, cut anywhere. (Lines as `readline` gives them have lost
 * their ends: put them back.)
 */
export type TraceSource = string | URL | AsyncIterable<string | Uint8Array> | Iterable<string>;

/** A trace as it is read, entry by entry. */
export interface TraceReading extends AsyncIterable<TraceEntry> {
  /** The same in the batches in which it comes, for those who count nanoseconds. Read either, once. */
  batches(): AsyncGenerator<readonly TraceEntry[], void>;
  /** How much has been read so far. */
  readonly bytesRead: number;
  /** How much there is in all the files, as of now; undefined for a stream. */
  readonly bytesTotal: number | undefined;
}

/**
 * Reads a trace: from a file, with the rotated ones before it, or from text that comes from elsewhere. A malformed line is
 * reported as a `problem`, and reading goes on.
 */
export function readTrace(source: TraceSource): TraceReading {
  if (typeof source === 'string') return new Reading(source);
  return source instanceof URL ? new Reading(fileURLToPath(source)) : new Reading(source);
}

class Reading implements TraceReading {
  readonly #source: Exclude<TraceSource, URL>;
  #bytesRead = 0;

  constructor(source: Exclude<TraceSource, URL>) {
    this.#source = source;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  get bytesTotal(): number | undefined {
    if (typeof this.#source !== 'string') return undefined;
    const path = this.#source;
    const files = [...numbersOf(path).map((number) => rotatedPath(path, number)), path];
    return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  /** Written out, since a generator's `yield` would cost as much again as reading does. */
  [Symbol.asyncIterator](): AsyncIterator<TraceEntry, undefined> {
    const batches = this.batches();
    let batch: readonly TraceEntry[] = [];
    let index = 0;
    const nextBatch = async (): Promise<IteratorResult<TraceEntry, undefined>> => {
      while (index >= batch.length) {
        const result = await batches.next();
        if (result.done) return { done: true, value: undefined };
        batch = result.value;
        index = 0;
      }
      return { done: false, value: batch[index++] };
    };
    return {
      next: () =>
        index < batch.length ? Promise.resolve({ done: false, value: batch[index++] }) : nextBatch(),
      return: async () => {
        batch = [];
        await batches.return();
        return { done: true, value: undefined };
      },
    };
  }

  async *batches(): AsyncGenerator<readonly TraceEntry[], void> {
    if (typeof this.#source === 'string') yield* this.#files(this.#source);
    else yield* this.#stream(this.#source);
  }

  async *#stream(
    source: AsyncIterable<string | Uint8Array> | Iterable<string>,
  ): AsyncGenerator<readonly TraceEntry[], void> {
    const lines = new Lines('');
    for await (const piece of source) {
      this.#bytesRead += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
      yield lines.take(piece);
    }
    yield lines.end();
  }

  /**
   * The rotated files, oldest first, then the current one. A live recorder may rotate meanwhile, so what comes next is asked for
   * each time; and when the current file is open, once more whether it had just been given a number.
   */
  async *#files(path: string): AsyncGenerator<readonly TraceEntry[], void> {
    let last = 0;
    let found = false;
    const next = (): number | undefined => numbersOf(path).find((number) => number > last);
    for (;;) {
      const number = next();
      const file = number === undefined ? path : rotatedPath(path, number);
      const fd = open(file);
      if (number === undefined && next() !== undefined) {
        if (fd !== undefined) closeSync(fd);
        continue;
      }
      if (number !== undefined) last = number;
      if (fd !== undefined) {
        found = true;
        yield* this.#file(file, fd);
      }
      if (number !== undefined) continue;
      if (!found) throw new TraceFileError(path, 'does not exist: is the path right?');
      return;
    }
  }

  async *#file(file: string, fd: number): AsyncGenerator<readonly TraceEntry[], void> {
    const lines = new Lines(file);
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    try {
      if (fstatSync(fd).isDirectory()) throw new TraceFileError(file, 'is a directory: name a file in it');
      for (;;) {
        const { bytesRead } = await readPiece(fd, piece, 0, PIECE_BYTES, null);
        if (bytesRead === 0) break;
        this.#bytesRead += bytesRead;
        yield lines.take(piece.subarray(0, bytesRead));
      }
      yield lines.end();
    } catch (error) {
      throw error instanceof TraceFileError ? error : new TraceFileError(file, 'cannot be read', error);
    } finally {
      closeSync(fd);
    }
  }
}

/** A folder that is not there holds no rotated file; that the current one is missing too is found when it is opened. */
function numbersOf(path: string): number[] {
  try {
    return rotatedNumbers(path);
  } catch {
    return [];
  }
}

/** Undefined if it is not there (any more). */
function open(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return undefined;
    throw new TraceFileError(file, 'cannot be read', error);
  }
}
