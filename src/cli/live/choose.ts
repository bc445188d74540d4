/**
 * Which rows are shown, in which order. Before a key is pressed: all, or if there is no room for all the most interesting ones, in the order
 * in which they are registered. Afterwards: the part around the selected task of the list as it was filtered and sorted.
 */
import type { Surroundings } from './columns.ts';
import type { Hands } from './hands.ts';
import type { Row } from './model.ts';

/** The lower, the more interesting: running, owed a start, waiting for a retry, failed in its last run, and then by the next start. */
function boredom(row: Row, isOwed: boolean): number {
  if (row.state.kind === 'running') return 0;
  if (isOwed) return 1;
  if (row.state.kind === 'retry') return 2;
  return row.last?.outcome === 'failed' ? 3 : 4;
}

export function chooseRows(
  rows: readonly Row[],
  room: number,
  { nextOf, owedSince }: Pick<Surroundings, 'nextOf' | 'owedSince'>,
): readonly Row[] {
  if (rows.length <= room) return rows;
  // Insertion into a short sorted list: there may be a hundred thousand rows, and there are a few dozen places.
  const chosen: { readonly index: number; readonly boredom: number; readonly next: number }[] = [];
  rows.forEach((row, index) => {
    const entry = {
      index,
      boredom: boredom(row, owedSince(row) !== undefined),
      next: nextOf(row) ?? Number.POSITIVE_INFINITY,
    };
    const isBefore = (other: typeof entry): boolean =>
      entry.boredom < other.boredom || (entry.boredom === other.boredom && entry.next < other.next);
    const last = chosen.at(-1);
    if (chosen.length >= room && (last === undefined || !isBefore(last))) return;
    const place = chosen.findIndex(isBefore);
    chosen.splice(place < 0 ? chosen.length : place, 0, entry);
    if (chosen.length > room) chosen.pop();
  });
  return chosen
    .map(({ index }) => index)
    .sort((a, b) => a - b)
    .map((index) => rows[index]);
}

/** The rows that the filter leaves, in the chosen order. */
export function orderedRows(
  rows: readonly Row[],
  { filter, sort }: Hands,
  { nextOf, owedSince }: Pick<Surroundings, 'nextOf' | 'owedSince'>,
): readonly Row[] {
  const wanted = filter.toLowerCase();
  const left = wanted === '' ? rows : rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (sort === 'as registered') return left;
  if (sort === 'by name') return left.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const next = new Map(left.map((row) => [row, nextOf(row) ?? Number.POSITIVE_INFINITY]));
  const rank = (row: Row): number => (sort === 'by state' ? boredom(row, owedSince(row) !== undefined) : 0);
  return left.toSorted((a, b) => rank(a) - rank(b) || (next.get(a) ?? 0) - (next.get(b) ?? 0));
}

/** As many rows as there is room for, with the selected one in the middle if possible. */
export function rowsAround(rows: readonly Row[], selected: string | undefined, room: number): readonly Row[] {
  const place = Math.max(
    0,
    rows.findIndex(({ name }) => name === selected),
  );
  const top = Math.min(Math.max(0, place - Math.floor(room / 2)), Math.max(0, rows.length - room));
  return rows.slice(top, top + room);
}
