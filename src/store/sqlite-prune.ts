/**
 * Keeps the journal short, on the store's thread, in steps of bounded size. Only entries up to the marker are touched, so nothing goes
 * that a row does not say.
 *
 *     folded ──▶ starts and resets go, in a history of nothing ends too ──▶ what is too old goes ──▶ small entries of ends become one
 *
 * Age is counted from the newest end, so that a clock that is wrong while nothing runs deletes nothing.
 *
 * An entry goes as a whole, when its newest run is too old. So only entries of one span of time are put together: a thirtieth of what is
 * kept. Else an entry of a quiet scheduler would take in the newest runs for ever and never be old (J2).
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
const HOUR_MS = 3_600_000;
/** Into so many spans the days that are kept are divided. It is less than `SMALL_ENTRIES`, so that one small entry for each span can stay. */
const SPANS = 30;

type Job = 'folded' | 'old' | 'small';

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
      if (this.#deleteFolded()) this.#job = 'old';
    } else if (this.#job === 'old') {
      if (this.#deleteOld()) this.#job = 'small';
    } else return this.#mergeSmall();
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
   * Makes one entry of small ones of one span that follow one another. It gets the number of the first, so that the order stays. An entry
   * that is still small is put together with others another time.
   */
  #mergeSmall(): boolean {
    const small = this.#db
      .prepare(
        "SELECT seq, runs, at FROM journal WHERE seq > ? AND seq <= ? AND part = 'ends' AND runs < ? ORDER BY seq LIMIT ?",
      )
      .all(this.#mergedThrough, this.#marker, SMALL_RUNS, MERGED_PER_STEP)
      .map(({ seq, runs, at }) => ({ seq: Number(seq), runs: Number(runs), at: Number(at) }));
    if (small.length < SMALL_ENTRIES) return true;
    const spanMs = this.#spanMs;
    let [end, runs] = [0, 0];
    for (const { seq, runs: more, at } of small) {
      const follows = end === 0 || this.#areNeighbours(small[end - 1].seq, seq);
      const isOfSpan = Math.floor(at / spanMs) === Math.floor(small[0].at / spanMs);
      if (!follows || !isOfSpan || runs + more > RUNS_PER_ENTRY) break;
      [end, runs] = [end + 1, runs + more];
    }
    this.#mergedThrough = small[end - 1].seq;
    if (end > 1) this.#merge(small.slice(0, end).map(({ seq }) => seq));
    return false;
  }

  #merge(numbers: readonly number[]): void {
    const names = new RunNames();
    const parts = numbers.map((seq) => {
      const row = this.#db.prepare('SELECT * FROM journal WHERE seq = ?').get(seq);
      return readEntry(entryOf(row ?? {}), names, this.#path);
    });
    this.#db.prepare('DELETE FROM journal WHERE seq BETWEEN ? AND ?').run(numbers[0], this.#mergedThrough);
    const { part, runs, at, data, texts } = packEntry(joined(parts), names);
    this.#db
      .prepare('INSERT INTO journal (seq, part, runs, at, data, texts) VALUES (?, ?, ?, ?, ?, ?)')
      .run(numbers[0], part, runs, at, data, texts);
  }

  get #spanMs(): number {
    return this.#history === false ? HOUR_MS : Math.max((this.#history.keepDays * DAY_MS) / SPANS, HOUR_MS);
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

function joined(parts: readonly EntryRows[]): EntryRows {
  const width = ENTRY_WIDTHS.ends;
  const count = parts.reduce((sum, rows) => sum + rows.count, 0);
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
