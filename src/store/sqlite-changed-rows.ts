/** What has changed since somebody looked, on the thread of who looks. */
import { type Page, pageOf } from './page.ts';
import { rowPrint } from './row-print.ts';
import type { Reader } from './sqlite-read.ts';

/** Some rows, their numbers and their prints. */
export interface NumberedRows {
  readonly page: Page;
  readonly ids: Float64Array<ArrayBuffer>;
  readonly prints: Float64Array<ArrayBuffer>;
}

/** The rows of a page that have changed, which of its rows they are, and the numbers and prints of all. */
export interface ChangedRows extends NumberedRows {
  readonly places: readonly number[];
  readonly next: number | null;
}

/** As `pageAfter`, without the rows that still have these prints. If there are more or fewer rows now, all of them. */
export function changedAfter(reader: Reader, after: number, limit: number, known: Float64Array): ChangedRows {
  const { rows, ids } = reader.rowsAfter(after, limit);
  const prints = Float64Array.from(rows, rowPrint);
  const isSameSize = rows.length === known.length;
  const places: number[] = [];
  for (let place = 0; place < rows.length; place++)
    if (!isSameSize || prints[place] !== known[place]) places.push(place);
  const page = pageOf(
    places.map((place) => rows[place]),
    1,
    'checked',
  );
  const next = rows.length < limit ? null : (ids.at(-1) ?? null);
  return { page, places, ids, prints, next };
}

/** The rows with these numbers. */
export function numberedRows(reader: Reader, wanted: Iterable<number>): NumberedRows {
  const { rows, ids } = reader.numbered(wanted);
  return { page: pageOf(rows, 1, 'checked'), ids, prints: Float64Array.from(rows, rowPrint) };
}
