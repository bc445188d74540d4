/** The journal of a file that is held for maintenance: entries that cannot be read, and runs that are to be forgotten. */
import type { DatabaseSync } from 'node:sqlite';
import { RunNames } from '../../core/run-names.ts';
import { DamagedEntry } from '../journal-codec.ts';
import { ENTRY_WIDTHS, type EntryRows, packEntry, unpackEntry } from '../journal-entry.ts';
import { entryOf, type NumberedEntry } from '../sqlite-journal.ts';
import type { JournalProblem } from './port.ts';

export function damagedEntries(db: DatabaseSync): readonly JournalProblem[] {
  const problems: JournalProblem[] = [];
  for (const entry of entries(db)) {
    try {
      unpackEntry(entry, new RunNames());
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      problems.push({ entry: entry.seq, runs: entry.runs, reason: error.message });
    }
  }
  return problems;
}

export function dropEntries(db: DatabaseSync, problems: readonly JournalProblem[]): void {
  const drop = db.prepare('DELETE FROM journal WHERE seq = ?');
  for (const { entry } of problems) drop.run(entry);
}

/** Takes the runs of some tasks out of the history. All entries must be folded. */
export function forgetRuns(db: DatabaseSync, ids: ReadonlySet<number>): void {
  const write = db.prepare('UPDATE journal SET runs = ?, at = ?, data = ?, texts = ? WHERE seq = ?');
  const drop = db.prepare('DELETE FROM journal WHERE seq = ?');
  for (const entry of [...entries(db)]) {
    const names = new RunNames();
    const rows = unpackEntry(entry, names);
    const kept = without(rows, ids);
    if (kept.count === rows.count) continue;
    const { runs, at, data, texts } = packEntry(kept, names);
    if (kept.count === 0) drop.run(entry.seq);
    else write.run(runs, at, data, texts, entry.seq);
  }
  const forget = db.prepare('DELETE FROM forgotten WHERE id = ?');
  for (const id of ids) forget.run(id);
}

function* entries(db: DatabaseSync): Generator<NumberedEntry> {
  for (const row of db.prepare('SELECT * FROM journal ORDER BY seq').iterate()) yield entryOf(row);
}

function without({ part, count, cells, errors }: EntryRows, ids: ReadonlySet<number>): EntryRows {
  const width = ENTRY_WIDTHS[part];
  let kept = 0;
  for (let row = 0; row < count; row++) {
    if (ids.has(cells[row * width])) continue;
    cells.copyWithin(kept * width, row * width, (row + 1) * width);
    kept++;
  }
  return { part, count: kept, cells, errors };
}
