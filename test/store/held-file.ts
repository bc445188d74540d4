/** A store's file in this thread, where a test can take every step of its own: a batch, a fold, a look from outside. */
import type { HistoryQuery, PastRun, Retention } from '../../src/core/history.ts';
import { unpackPage } from '../../src/store/page-records.ts';
import type { Batch, Refusal } from '../../src/store/port.ts';
import { holdFile as holdLocked } from '../../src/store/sqlite-file.ts';
import { Folder } from '../../src/store/sqlite-fold.ts';
import { HistoryReader } from '../../src/store/sqlite-history.ts';
import { Journal } from '../../src/store/sqlite-journal.ts';
import { lookAt } from '../../src/store/sqlite-look.ts';
import { identityOf } from '../../src/store/sqlite-place.ts';
import { newMark, Possession, takePossession } from '../../src/store/sqlite-possession.ts';
import { Reader } from '../../src/store/sqlite-read.ts';
import { Writer } from '../../src/store/sqlite-write.ts';
import { sheetsOf } from '../../src/store/wire.ts';

const options = (path: string) => ({ path, waitMs: 0, busyTimeoutMs: 0 });
const byName = {
  ids: undefined,
  sharedCells: () => new Float64Array(),
  newNames: () => ({ list: 0, names: [] }),
};
export const KEEP_ALL: Retention = { keepDays: 1e9, keepRuns: 1e9 };

export async function holdFile(path: string, history: Retention | false = KEEP_ALL) {
  const { db, close } = await holdLocked(options(path));
  const mark = newMark();
  takePossession(db, path, mark);
  const possession = new Possession(db, path, mark, identityOf(path) ?? '');
  const journal = new Journal(db, path);
  journal.restore();
  const writer = new Writer(db, possession, journal, history !== false);
  const folder = new Folder(db, journal, history);
  const reader = new Reader(db, journal);
  return {
    db,
    folder,
    close,
    commit: (batch: Batch): readonly Refusal[] =>
      writer.write([...sheetsOf(batch, 5000, byName)], true).refused.map(({ id: _, ...refusal }) => refusal),
    records: () => recordsOf(reader),
    foldAll(): void {
      while (!folder.isResting) folder.step();
    },
  };
}

/** What another program sees, which is what is there after a crash. */
export function look(path: string): {
  readonly records: readonly unknown[];
  readonly history: readonly PastRun[];
} {
  const { db, close } = lookAt(options(path));
  try {
    const reader = new Reader(db, new Journal(db, path));
    return { records: recordsOf(reader), history: walk(new HistoryReader(db, path), {}) };
  } finally {
    close();
  }
}

function recordsOf(reader: Reader): readonly unknown[] {
  const records: unknown[] = [];
  unpackPage(reader.pageAfter(Number.MIN_SAFE_INTEGER, 1e6).page, records);
  return records;
}

function walk(reader: HistoryReader, query: HistoryQuery): readonly PastRun[] {
  const runs: PastRun[] = [];
  for (let some = reader.next(query); some.length > 0; some = reader.next(query)) runs.push(...some);
  return runs;
}
