/** Which rows are shown when there is no room for all: the most interesting ones, in the order in which they are registered. */
import type { Surroundings } from './columns.ts';
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
