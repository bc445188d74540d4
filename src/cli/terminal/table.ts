/** Tables: columns in line, and in a narrow terminal the widest cells give way first. */
import { fill, truncate, widthOf } from './text.ts';

const GAP = '  ';
/** Narrower than this a column says nothing any more. */
const NARROWEST = 6;

/**
 * Rows of cells as lines, each column as wide as its widest cell, all of it at most `width` columns. Those that are `whole` are never
 * cut, even if there is no room for them: half a date is none.
 */
export function table(
  rows: ReadonlyArray<readonly string[]>,
  width: number,
  whole: readonly number[] = [],
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  shrink(widths, width, whole);
  const least = Math.max(0, ...whole.map((column) => widths[column]));
  return rows.map((row) => {
    const cells = row.map((cell, column) => fill(truncate(cell, widths[column]), widths[column]));
    return truncate(cells.join(GAP).trimEnd(), Math.max(width, least));
  });
}

/** Takes from the widest column, one at a time, until all fit or none can give any more. */
function shrink(widths: number[], width: number, whole: readonly number[]): void {
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    const most = Math.max(NARROWEST, ...widths.filter((_, column) => !whole.includes(column)));
    if (most === NARROWEST) return;
    const widest = widths.findIndex((each, column) => each === most && !whole.includes(column));
    widths[widest]--;
    excess--;
  }
}

/** Whether no cell of a row has to give way. */
export const fits = (rows: ReadonlyArray<readonly string[]>, width: number): boolean =>
  table(rows, Number.POSITIVE_INFINITY).every((line) => widthOf(line) <= width);

/** A wider cell is cut rather than let a column go for its sake. */
const WIDE_ENOUGH = 24;

/** The same rows without as many of the columns that can be spared, in that order, as must go for the rest to fit. */
export function withoutSpare(
  rows: ReadonlyArray<readonly string[]>,
  width: number,
  spare: readonly number[],
): ReadonlyArray<readonly string[]> {
  const widest = Math.max(
    ...rows.map((row) =>
      row.reduce((sum, cell) => sum + Math.min(widthOf(cell), WIDE_ENOUGH) + GAP.length, -GAP.length),
    ),
  );
  const [first, ...others] = spare;
  if (widest <= width || first === undefined) return rows;
  const without = rows.map((row) => row.filter((_, column) => column !== first));
  const moved = others.map((column) => (column > first ? column - 1 : column));
  return withoutSpare(without, width, moved);
}
