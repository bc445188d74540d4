/**
 * Runs of the past out of the journal, the newest first, some at a time, on a thread that only looks. One read transaction lasts from
 * the first to the last, so that the history is of one instant.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type HistoryQuery, outcomesOf, type PastRun } from '../core/history.ts';
import { ROW } from '../core/rows.ts';
import { RunNames } from '../core/run-names.ts';
import { ENTRY_WIDTHS, type EntryRows, pastRunAt } from './journal-entry.ts';
import { entryOf, readEntry } from './sqlite-journal.ts';

/** Runs per answer: the main thread unpacks them in about a millisecond. Who looks again and again needs only the newest. */
const RUNS_PER_ANSWER = 250;

export class HistoryReader {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #nameOf = new Map<number, string>();
  #runs: Generator<PastRun> | undefined;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** The next runs that are asked for; none after the last. All calls are about one query. */
  next(query: HistoryQuery): readonly PastRun[] {
    this.#runs ??= this.#walk(query);
    const runs: PastRun[] = [];
    const limit = Math.min(query.limit ?? RUNS_PER_ANSWER, RUNS_PER_ANSWER);
    while (runs.length < limit) {
      const { done, value } = this.#runs.next();
      if (done === true) break;
      runs.push(value);
    }
    return runs;
  }

  *#walk(query: HistoryQuery): Generator<PastRun> {
    const { task, since = Number.NEGATIVE_INFINITY } = query;
    const outcomes = outcomesOf(query);
    const ids = task === undefined ? undefined : this.#idsOf(task);
    if (ids?.size === 0) return;
    const entries = this.#db.prepare(
      "SELECT * FROM journal WHERE part IN ('ends', 'cutOffs') AND seq < ? ORDER BY seq DESC LIMIT 1",
    );
    for (
      let row = entries.get(Number.MAX_SAFE_INTEGER);
      row !== undefined;
      row = entries.get(Number(row.seq))
    ) {
      const entry = entryOf(row);
      if (entry.at !== null && entry.at < since) continue;
      const names = new RunNames();
      const rows = readEntry(entry, names, this.#path);
      for (let place = rows.count - 1; place >= 0; place--) {
        const id = rows.cells[place * ENTRY_WIDTHS[rows.part]];
        if (ids !== undefined && !ids.has(id)) continue;
        if (endedAt(rows, place) < since) continue;
        const run = pastRunAt(rows, place, names, this.#taskOf(id));
        if (outcomes === undefined || outcomes.includes(run.outcome)) yield run;
      }
    }
  }

  #idsOf(task: string): ReadonlySet<number> {
    const sql = 'SELECT id FROM task WHERE name = ? UNION SELECT id FROM forgotten WHERE name = ?';
    const stored = JSON.stringify(task);
    return new Set(
      this.#db
        .prepare(sql)
        .all(stored, stored)
        .map(({ id }) => Number(id)),
    );
  }

  #taskOf(id: number): string {
    let name = this.#nameOf.get(id);
    if (name === undefined) {
      const sql = 'SELECT name FROM task WHERE id = ? UNION ALL SELECT name FROM forgotten WHERE id = ?';
      name = String(JSON.parse(String(this.#db.prepare(sql).get(id, id)?.name ?? '"?"')));
      this.#nameOf.set(id, name);
    }
    return name;
  }
}

const endedAt = ({ part, cells }: EntryRows, place: number): number =>
  cells[place * ENTRY_WIDTHS[part] + ROW.endedAt];
