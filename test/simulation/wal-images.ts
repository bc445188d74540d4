/**
 * What a file can look like after a crash. A scheduler works on a real file. Its write-ahead log is copied meanwhile, and cut in
 * many places: between two frames, within a frame, with a frame lost. SQLite must find the transactions that are whole.
 *
 * A log has a header of 32 bytes, and then frames: 24 bytes and a page each. A frame whose second word is not zero ends a
 * transaction. After a checkpoint the log begins anew over the old frames, with another salt in its header.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Batch, OpenOptions, Store, StoreSession } from '../../src/store/port.ts';

const HEADER = 32;
const FRAME_HEADER = 24;

/** A store that remembers what was read from it, what was committed, and how long the log was after each commit. */
export class LoggedStore implements Store {
  found: readonly unknown[] = [];
  readonly commits: { readonly batch: Batch; readonly walSize: number }[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get location(): string {
    return this.#store.location;
  }

  async open(options: OpenOptions): Promise<StoreSession> {
    const session = await this.#store.open(options);
    return {
      read: async (names) => {
        const records = await session.read(names);
        if (names === undefined) this.found = records;
        return records;
      },
      readPages: async function* (this: LoggedStore): AsyncGenerator<readonly unknown[]> {
        const found: unknown[] = [];
        for await (const page of session.readPages?.() ?? []) {
          found.push(...page);
          yield page;
        }
        this.found = found;
      }.bind(this),
      enroll: async (names) => session.enroll?.(names),
      close: () => session.close(),
      commit: async (batch) => {
        // The scheduler uses its lists again.
        const copy: Batch = Object.fromEntries(
          Object.entries(batch).map(([part, list]) => [part, [...list]]),
        );
        const result = await session.commit(batch);
        this.commits.push({ batch: copy, walSize: logOf(this.location).length });
        return result;
      },
    };
  }
}

/** A cut of the log, and how many of the scheduler's commits are whole in it. */
export interface Image {
  readonly title: string;
  readonly wal: Buffer;
  readonly commits: number;
}

export interface Crashed {
  readonly commits: readonly Batch[];
  readonly images: readonly Image[];
  /** Writes the file as it was, with a cut log, to a path. */
  lay(path: string, wal: Buffer): void;
}

/** The log of a file, without what is left of earlier ones behind it. */
function logOf(path: string): Buffer {
  const wal = readFileSync(`${path}-wal`);
  const frameSize = FRAME_HEADER + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let end = HEADER;
  while (end + frameSize <= wal.length && wal.subarray(end + 8, end + 16).equals(salt)) end += frameSize;
  return wal.subarray(0, end);
}

/** Copies a living store's file and log. Reading these two does not touch its locks; reading its -shm would. */
export function copyLiving(store: LoggedStore, into: string): Crashed {
  copyFileSync(store.location, into);
  const wal = logOf(store.location);
  const pageSize = wal.readUInt32BE(8);
  const frameSize = FRAME_HEADER + pageSize;
  const whole = (size: number): number => store.commits.filter(({ walSize }) => walSize <= size).length;
  const images: Image[] = [];
  for (let end = HEADER; end <= wal.length; end += frameSize) {
    const frame = (end - HEADER) / frameSize;
    images.push({ title: `${frame} frames`, wal: wal.subarray(0, end), commits: whole(end) });
    for (const torn of [1, FRAME_HEADER, FRAME_HEADER + pageSize / 2, frameSize - 1]) {
      if (end + torn >= wal.length) continue;
      const title = `${frame} frames and ${torn} bytes`;
      images.push({ title, wal: wal.subarray(0, end + torn), commits: whole(end) });
    }
  }
  // A disk writes in any order: the last frame of a transaction may be there while an earlier one is not.
  // What follows the last commit is a fold, which changes no record.
  const ends = [...store.commits.map(({ walSize }) => walSize), wal.length];
  for (const [index, end] of ends.entries()) {
    for (let at = ends[index - 1] ?? HEADER; at < end; at += frameSize) {
      const reordered = Buffer.from(wal.subarray(0, end));
      reordered.fill(0, at, at + frameSize);
      images.push({ title: `part ${index} without its frame at ${at}`, wal: reordered, commits: index });
    }
  }
  const lay = (path: string, cut: Buffer): void => {
    copyFileSync(into, path);
    writeFileSync(`${path}-wal`, cut);
  };
  return { commits: store.commits.map(({ batch }) => batch), images, lay };
}
