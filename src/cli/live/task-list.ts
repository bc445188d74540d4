/** The list of tasks as lines: a heading, the rows that are shown, and a line about those that are not. */
import { fill, truncate } from '../terminal/text.ts';
import { chooseRows, orderedRows, rowsAround } from './choose.ts';
import { columnLines, type Surroundings } from './columns.ts';
import { type Hands, isChosen } from './hands.ts';
import type { Row } from './model.ts';

/** At most `room` lines. */
export function taskLines(
  rows: readonly Row[],
  room: number,
  width: number,
  around: Surroundings,
  hands: Hands,
): string[] {
  if (rows.length === 0) return [truncate('There are no tasks', width)];
  const lines = isChosen(hands)
    ? chosenLines(rows, room, width, around, hands)
    : interestingLines(rows, room, width, around);
  return lines.slice(0, Math.max(1, room));
}

function interestingLines(rows: readonly Row[], room: number, width: number, around: Surroundings): string[] {
  const isCrowded = rows.length > room - 1;
  const shown = chooseRows(rows, Math.max(1, isCrowded ? room - 2 : room - 1), around);
  const lines = columnLines(shown, width, around);
  if (isCrowded) lines.push(around.style.dim(truncate(hiddenWords(rows, shown, around), width)));
  return lines;
}

/** The part of the list around the selected task, which is marked, and a line that says which part it is. */
function chosenLines(
  rows: readonly Row[],
  room: number,
  width: number,
  around: Surroundings,
  hands: Hands,
): string[] {
  const { style } = around;
  const ordered = orderedRows(rows, hands, around);
  const shown = rowsAround(ordered, hands.selected, Math.max(1, room - 2));
  const [head, ...lines] = columnLines(shown, width, around);
  const marked = lines.map((line, index) =>
    shown[index].name === hands.selected ? style.inverse(fill(line, width)) : line,
  );
  const first = shown.length === 0 ? 0 : ordered.indexOf(shown[0]) + 1;
  const words = [
    `  ${first}–${first === 0 ? 0 : first + shown.length - 1} of ${ordered.length}, ${hands.sort}`,
    ...(hands.filter === '' ? [] : [`with "${hands.filter}" in the name`]),
  ];
  return [head, ...marked, style.dim(truncate(words.join(', '), width))];
}

/** "and 17 more: 2 running, 15 waiting". */
function hiddenWords(rows: readonly Row[], shown: readonly Row[], { owedSince }: Surroundings): string {
  const kinds = ['running', 'owed', 'retry', 'paused', 'waiting'] as const;
  const kindOf = (row: Row): (typeof kinds)[number] => {
    if (owedSince(row) !== undefined) return 'owed';
    return row.pausedAt !== undefined && row.state.kind !== 'running' ? 'paused' : row.state.kind;
  };
  const count = (list: readonly Row[], kind: (typeof kinds)[number]): number =>
    list.reduce((sum, row) => sum + (kindOf(row) === kind ? 1 : 0), 0);
  const parts = kinds
    .map((kind) => [kind, count(rows, kind) - count(shown, kind)] as const)
    .filter(([, hidden]) => hidden > 0)
    .map(([kind, hidden]) => `${hidden} ${kind === 'retry' ? 'to be retried' : kind}`);
  return `  … and ${rows.length - shown.length} more: ${parts.join(', ')}`;
}
