/**
 * A look into a file that may follow another one, on the thread of who looks. It goes on with what the former one has read of the journal, and can say which
 * rows have changed since (`sqlite-row-mark.ts` says why that can be known).
 */
import type { DatabaseSync } from 'node:sqlite';
import { RunNames } from '../core/run-names.ts';
import { ENTRY_WIDTHS } from './journal-entry.ts';
import { numberedRows } from './sqlite-changed-rows.ts';
import type { FileOptions } from './sqlite-file.ts';
import { entriesAfter, Journal, readEntry } from './sqlite-journal.ts';
import { lookAt } from './sqlite-look.ts';
import type { Changes, LookMark } from './sqlite-messages.ts';
import { Reader } from './sqlite-read.ts';

/** More rows than this are read page by page: an answer is one message, which the main thread unpacks in one go. */
const MOST_ROWS = 5000;

/** A file that is open for a look. A file of version 1 has no journal. */
export type OpenLook = ReturnType<typeof lookAt> & {
  readonly journal: Journal | undefined;
  readonly reader: Reader;
};

export function openLook(options: FileOptions, former?: OpenLook): OpenLook {
  const look = lookAt(options);
  const { db, looked, close } = look;
  try {
    const isSame = looked.state !== '' && former?.looked.state === looked.state;
    const known = isSame && former.journal?.resume(db) === true ? former.journal : undefined;
    const journal = looked.version < 2 ? undefined : (known ?? new Journal(db, options.path));
    return { ...look, journal, reader: new Reader(db, journal, looked.version) };
  } catch (error) {
    close();
    throw error;
  }
}

export function changesIn(
  { db, looked: { state }, journal, reader }: OpenLook,
  since: LookMark | undefined,
): Changes {
  if (journal === undefined || state === '') return {};
  journal.restore();
  const mark = { state, seq: journal.last };
  const ids = since?.state === state ? idsAfter(db, journal, since.seq) : undefined;
  const isKnown = ids !== undefined && ids.size <= MOST_ROWS;
  return { mark, ...(isKnown && { rows: numberedRows(reader, ids) }) };
}

/** The tasks that entries after this one speak of; undefined if it is not known, since some of them may be pruned already. */
function idsAfter(db: DatabaseSync, journal: Journal, seq: number): ReadonlySet<number> | undefined {
  if (seq < journal.marker || seq > journal.last) return undefined;
  const ids = new Set<number>();
  for (const entry of entriesAfter(db, seq)) {
    const { part, count, cells } = readEntry(entry, new RunNames(), journal.path);
    const width = ENTRY_WIDTHS[part];
    for (let at = 0; at < count * width; at += width) ids.add(cells[at]);
  }
  return ids;
}
