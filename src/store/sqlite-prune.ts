/**
 * Keeps the journal short, on the store's thread, in steps of bounded size. Only entries up to the marker are touched, so nothing goes
 * that a row does not say.
 *
 *     folded ──▶ starts and resets go, in a history of nothing ends too ──▶ small entries of ends become one ──▶ what is too old goes
 *
 * Age is counted from the newest end, so that a clock that is wrong while nothing runs deletes nothing.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Retention } from '../core/history.ts';
import { ROW } from '../core/rows.ts';
import { RunNames } from '../core/run-names.ts';
import { ENTRY_WIDTHS, type EntryRows, packEntry } from './journal-entry.ts';
import { entryOf, type Journal, readEntry } from './sqlite-journal.ts';

const ENTRIES_PER_STEP = 64;
/** An entry of the history holds up to so many runs: it is quick to read, and a page or two of it is all that a look needs. */
const RUNS_PER_ENTRY = 4096;
/** Entries with fewer runs than this are small. They are put together once there are so many of them. */
const SMALL_RUNS = RUNS_PER_ENTRY / 2;
const SMALL_ENTRIES = 64;
const MERGED_PER_STEP = 256;
const DAY_MS = 86_400_000;

type Job = 'folded' | 'small' | 'old';

export class Pruner {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #history: Retention | false;
  #marker = 0;
  #mergedThrough = 0;
  #job: Job = 'folded';

  constructor(db: DatabaseSync, { path }: Journal, history: Retention | false) {
    this.#db = db;
    this.#path = path;
    this.#history = history;
  }

  begin(marker: number): void {
    this.#marker = marker;
    this.#mergedThrough = 0;
    this.#job = 'folded';
  }

  /** Answers whether all is done. */
  step(): boolean {
    if (this.#job === 'folded') {
      if (this.#deleteFolded()) this.#job = 'small';
    } else if (this.#job === 'small') {
      if (this.#mergeSmall()) this.#job = 'old';
    } else return this.#deleteOld();
    return false;
  }

  #deleteFolded(): boolean {
    const parts = this.#history === false ? '' : "AND part NOT IN ('ends', 'cutOffs')";
    const found = `SELECT seq FROM journal WHERE seq <= ? ${parts} ORDER BY seq LIMIT ?`;
    const deleted = this.#db
      .prepare(`DELETE FROM journal WHERE seq IN (${found})`)
      .run(this.#marker, ENTRIES_PER_STEP);
    return Number(deleted.changes) < ENTRIES_PER_STEP;
  }

  /**
   * Makes one entry of small ones that follow one another. It gets the number of the first, so that the order stays. An entry that is
   * still small is put together with others another time.
   */
  #mergeSmall(): boolean {
    const small = this.#db
      .prepare(
        "SELECT seq FROM journal WHERE seq > ? AND seq <= ? AND part = 'ends' AND runs < ? ORDER BY seq LIMIT ?",
      )
      .all(this.#mergedThrough, this.#marker, SMALL_RUNS, MERGED_PER_STEP)
      .map(({ seq }) => Number(seq));
    if (small.length < SMALL_ENTRIES) return true;
    const names = new RunNames();
    const parts: EntryRows[] = [];
    let runs = 0;
    for (const seq of small) {
      const entry = entryOf(this.#db.prepare('SELECT * FROM journal WHERE seq = ?').get(seq) ?? {});
      const follows = parts.length === 0 || this.#areNeighbours(this.#mergedThrough, seq);
      if (!follows || runs + entry.runs > RUNS_PER_ENTRY) break;
      parts.push(readEntry(entry, names, this.#path));
      runs += entry.runs;
      this.#mergedThrough = seq;
    }
    if (parts.length > 1) {
      this.#db.prepare('DELETE FROM journal WHERE seq BETWEEN ? AND ?').run(small[0], this.#mergedThrough);
      const { part, at, data, texts } = packEntry(joined(parts, runs), names);
      this.#db
        .prepare('INSERT INTO journal (seq, part, runs, at, data, texts) VALUES (?, ?, ?, ?, ?, ?)')
        .run(small[0], part, runs, at, data, texts);
    }
    return false;
  }

  #areNeighbours(first: number, second: number): boolean {
    const sql = 'SELECT 1 FROM journal WHERE seq > ? AND seq < ? LIMIT 1';
    return this.#db.prepare(sql).get(first, second) === undefined;
  }

  /** J2. Whole entries go, the oldest first, so that never fewer than `keepRuns` are kept. */
  #deleteOld(): boolean {
    if (this.#history !== false) {
      const { keepDays, keepRuns } = this.#history;
      const kept = this.#db
        .prepare("SELECT sum(runs) AS runs, max(at) AS newest FROM journal WHERE part IN ('ends', 'cutOffs')")
        .get();
      let runs = Number(kept?.runs ?? 0);
      const oldest = Number(kept?.newest ?? 0) - keepDays * DAY_MS;
      const entries = this.#db
        .prepare('SELECT seq, runs, at FROM journal WHERE seq <= ? ORDER BY seq LIMIT ?')
        .all(this.#marker, ENTRIES_PER_STEP);
      const going = entries.findIndex((entry) => {
        const isOver = runs - Number(entry.runs) >= keepRuns || Number(entry.at) < oldest;
        if (isOver) runs -= Number(entry.runs);
        return !isOver;
      });
      const last = entries.at(going === -1 ? -1 : going - 1);
      if (going !== 0 && last !== undefined) {
        this.#db.prepare('DELETE FROM journal WHERE seq <= ?').run(Number(last.seq));
        if (going === -1 && entries.length === ENTRIES_PER_STEP) return false;
      }
    }
    this.#db.exec('DELETE FROM forgotten WHERE seq < coalesce((SELECT min(seq) FROM journal), seq + 1)');
    return true;
  }
}

function joined(parts: readonly EntryRows[], count: number): EntryRows {
  const width = ENTRY_WIDTHS.ends;
  const cells = new Float64Array(count * width);
  const errors = parts.flatMap((rows) => rows.errors);
  let [at, errorsBefore] = [0, 0];
  for (const rows of parts) {
    cells.set(rows.cells, at);
    const from = at;
    at += rows.cells.length;
    for (let cell = from + ROW.error; cell < at; cell += width)
      if (cells[cell] !== 0) cells[cell] += errorsBefore;
    errorsBefore += rows.errors.length;
  }
  return { part: 'ends', count, cells, errors };
}
