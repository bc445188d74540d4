/**
 * The journal of a file, on the store's thread: what is appended to it, and what its entries after the marker say.
 *
 * `folded_through` is the marker. The rows of the tasks say everything up to it, and may say more: they are folded in several
 * transactions, and the marker moves last. Replaying an entry that a row already says is harmless, because entries assign values and
 * never add to them, and all entries after the marker are replayed in their order. So a crash at any point loses nothing.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { RunNames } from '../core/run-names.ts';
import { StoreDamagedError } from './errors.ts';
import { DamagedEntry } from './journal-codec.ts';
import { type EntryRows, packEntry, type StoredEntry, unpackEntry } from './journal-entry.ts';
import { Unfolded } from './unfolded.ts';
import { STATE_COLUMNS } from './unfolded-slot.ts';

const ENTRY_COLUMNS = 'seq, part, runs, at, data, texts';

export class Journal {
  readonly path: string;
  /** The names that places in rows count, for as long as the file is held. */
  readonly names = new RunNames();
  #db: DatabaseSync;
  readonly #append: () => StatementSync;
  /** The state columns of a row. */
  #load: (id: number) => readonly unknown[] | undefined;
  #unfolded: Unfolded | undefined;
  /** The number of the last entry. */
  #last = 0;
  #marker = 0;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.path = path;
    this.#load = rowLoader(db);
    this.#append = once(() => db.prepare(`INSERT INTO journal (${ENTRY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`));
  }

  /** The number of the last entry: every later one is greater. */
  get last(): number {
    return this.#last;
  }

  /** The rows say everything up to this entry. */
  get marker(): number {
    return this.#marker;
  }

  /** What the rows do not say yet. Reads it from the journal if it is not known. */
  get unfolded(): Unfolded {
    this.#unfolded ??= this.#replay();
    return this.#unfolded;
  }

  /** How many rows of entries wait to be folded, as far as that is known. */
  get waiting(): number {
    return this.#unfolded?.entries ?? 0;
  }

  /** Reads what the rows do not say yet, so that damage shows now. */
  restore(): void {
    this.#unfolded ??= this.#replay();
  }

  /**
   * Goes on with the file after it was closed and opened again, for who only looks: entries that were appended meanwhile are replayed. Answers
   * false if it cannot: rows may have been written since that make what is known here old.
   */
  resume(db: DatabaseSync): boolean {
    const unfolded = this.#unfolded;
    if (unfolded === undefined || markerIn(db) !== this.#marker) return false;
    this.#db = db;
    this.#load = rowLoader(db);
    this.#unfolded = undefined; // until the entries are read: one of them may be damaged
    this.#replayAfter(this.#last, unfolded);
    this.#unfolded = unfolded;
    return true;
  }

  /** A transaction has failed: what was appended in it is not there. */
  spoil(): void {
    this.#unfolded = undefined;
  }

  /** Writes rows whose places are of `names`. The cells are used up. They must have been applied before. */
  append(rows: EntryRows): void {
    if (rows.count === 0) return;
    const { part, runs, at, data, texts } = packEntry(rows, this.names);
    this.#append().run(++this.#last, part, runs, at, data, texts);
  }

  /** Whether every entry is folded: then there is nothing to replay. */
  get isFolded(): boolean {
    return this.#last === this.#marker;
  }

  /** The rows say everything up to here. */
  moveMarker(seq: number): void {
    this.#db.prepare('UPDATE progress SET folded_through = ?').run(seq);
    this.#marker = seq;
  }

  #replay(): Unfolded {
    const unfolded = new Unfolded(this.names, (id) => this.#load(id));
    this.#marker = markerIn(this.#db);
    this.#last = this.#marker;
    this.#replayAfter(this.#last, unfolded);
    return unfolded;
  }

  #replayAfter(seq: number, unfolded: Unfolded): void {
    for (const entry of entriesAfter(this.#db, seq)) {
      unfolded.replay(readEntry(entry, this.names, this.path));
      this.#last = entry.seq;
    }
  }
}

const markerIn = (db: DatabaseSync): number =>
  Number(db.prepare('SELECT folded_through FROM progress').get()?.folded_through);

/** Prepared when it is needed: a table that lacks a column can still be read, and says whose record is damaged (E7). */
function rowLoader(db: DatabaseSync): (id: number) => readonly unknown[] | undefined {
  const load = once(() => {
    const columns = STATE_COLUMNS.map(([column]) => column).join(', ');
    const statement = db.prepare(`SELECT ${columns} FROM task WHERE id = ?`);
    statement.setReturnArrays(true);
    return statement;
  });
  return (id) => {
    const row: unknown = load().get(id);
    return Array.isArray(row) ? row : undefined;
  };
}

export interface NumberedEntry extends StoredEntry {
  readonly seq: number;
}

export function* entriesAfter(db: DatabaseSync, seq: number): Generator<NumberedEntry> {
  const statement = db.prepare(`SELECT ${ENTRY_COLUMNS} FROM journal WHERE seq > ? ORDER BY seq`);
  for (const row of statement.iterate(seq)) yield entryOf(row);
}

/** A row of the table, whose types are checked: the file may be damaged. */
export function entryOf(row: Readonly<Record<string, unknown>>): NumberedEntry {
  const { seq, part, runs, at, data, texts } = row;
  return {
    seq: Number(seq),
    part: String(part),
    runs: Number(runs),
    at: typeof at === 'number' ? at : null,
    data: data instanceof Uint8Array ? data : new Uint8Array(),
    texts: String(texts),
  };
}

export function readEntry(entry: NumberedEntry, names: RunNames, path: string): EntryRows {
  try {
    return unpackEntry(entry, names);
  } catch (error) {
    if (!(error instanceof DamagedEntry)) throw error;
    throw new StoreDamagedError(
      { path, reason: `entry ${entry.seq} of its journal: ${error.message}` },
      error,
    );
  }
}

/** Makes a value when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
