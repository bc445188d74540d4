/** The columns of the live view: what each says of a row, and which of them go when the terminal is narrow. */
import type { Zone } from '../../cron/index.ts';
import type { Style } from '../terminal/style.ts';
import { fill, printable, truncate, widthOf } from '../terminal/text.ts';
import { clock, countdown, dayAndTime, duration, wholeDuration } from '../words.ts';
import type { Row } from './model.ts';

export interface Surroundings {
  readonly now: number;
  readonly zone: Zone;
  readonly style: Style;
  /** When a row starts next: its retry or its next due instant, whichever is first; in the past for a row that is owed a start. */
  nextOf(row: Row): number | undefined;
  /** Since when a row has been owed a start that has not come: no worker is free, or the store fails. */
  owedSince(row: Row): number | undefined;
}

interface Column {
  readonly head: string;
  readonly side: 'left' | 'right';
  /** The higher, the sooner it goes. */
  readonly rank: number;
  /** So that counting does not make the table jump. */
  readonly least: number;
  cell(row: Row, around: Surroundings): string;
}

const columns: readonly Column[] = [
  {
    head: 'TASK',
    side: 'left',
    rank: 0,
    least: 4,
    cell: (row, around) => `${symbolOf(row, around)} ${printable(row.name)}`,
  },
  { head: 'STATE', side: 'left', rank: 2, least: 12, cell: stateText },
  {
    head: 'NEXT',
    side: 'left',
    rank: 3,
    least: 5,
    cell: (row, { nextOf, now, zone }) => {
      const at = nextOf(row);
      if (at === undefined) return '';
      // A due instant is a whole minute; a retry comes to the second.
      return at % 60_000 === 0 ? dayAndTime(at, now, zone) : clock(at, zone);
    },
  },
  {
    head: 'IN',
    side: 'right',
    rank: 1,
    least: 6,
    cell: (row, { nextOf, now }) => {
      const at = nextOf(row);
      return at === undefined ? '' : at <= now ? 'now' : countdown(at - now);
    },
  },
  { head: 'LAST', side: 'left', rank: 4, least: 8, cell: lastOf },
  {
    head: 'AGO',
    side: 'right',
    rank: 5,
    least: 6,
    cell: ({ last }, { now }) => (last === undefined ? '' : wholeDuration(now - last.at)),
  },
  {
    head: 'RUNS',
    side: 'right',
    rank: 6,
    least: 4,
    cell: ({ succeeded, failed }) => String(succeeded + failed),
  },
  {
    head: 'FAILED',
    side: 'right',
    rank: 7,
    least: 6,
    cell: ({ failed }, { style }) => (failed === 0 ? style.dim('0') : style.red(String(failed))),
  },
  {
    head: 'LATE',
    side: 'right',
    rank: 8,
    least: 6,
    cell: ({ lateMs }, { style }) =>
      lateMs === undefined
        ? ''
        : lateMs > 1000
          ? style.yellow(duration(lateMs))
          : style.dim(duration(lateMs)),
  },
  {
    head: 'CRON',
    side: 'left',
    rank: 9,
    least: 0,
    cell: ({ cron }, { style }) => style.dim(truncate(cron, 24)),
  },
];

function symbolOf(row: Row, { owedSince, style }: Surroundings): string {
  const { state, last } = row;
  const { symbols, green, red, yellow, dim } = style;
  if (state.kind === 'running') return green(symbols.running);
  if (owedSince(row) !== undefined) return yellow(symbols.late);
  if (row.pausedAt !== undefined) return yellow(symbols.paused);
  if (state.kind === 'retry') return yellow(symbols.retry);
  return last?.outcome === 'failed' ? red(symbols.failed) : dim(symbols.waiting);
}

/** "running 5 s", "running 5 s, paused", "owed 2 min", "waiting". */
export function stateText(row: Row, { now, style, owedSince }: Surroundings): string {
  const { state } = row;
  const since = owedSince(row);
  if (since !== undefined) return style.yellow(`owed ${wholeDuration(now - since)}`);
  if (row.pausedAt !== undefined && state.kind !== 'running') return style.yellow('paused');
  switch (state.kind) {
    case 'running': {
      const text = `${state.isRestart ? 'restarted' : 'running'} ${wholeDuration(now - state.since)}`;
      const painted = state.isRestart ? style.yellow(text) : style.green(text);
      return row.pausedAt === undefined ? painted : `${painted}${style.yellow(', paused')}`;
    }
    case 'retry':
      return style.yellow('retry');
    case 'waiting':
      return style.dim('waiting');
  }
}

function lastOf({ last }: Row, { style: { symbols, green, red } }: Surroundings): string {
  if (last === undefined) return '';
  const took = last.durationMs === undefined ? '' : ` ${duration(last.durationMs)}`;
  return last.outcome === 'ok' ? green(`${symbols.ok}${took}`) : red(`${symbols.failed}${took}`);
}

const GAP = 2;

/** A heading and a line for each row, none wider than the terminal. Columns go until the rest has room, names are cut last. */
export function columnLines(rows: readonly Row[], width: number, around: Surroundings): string[] {
  const nameWidth = Math.min(40, Math.max(8, Math.floor(width * 0.4)));
  const cells = new Map(columns.map((column) => [column, rows.map((row) => column.cell(row, around))]));
  const widths = new Map(
    columns.map((column) => {
      const natural = Math.max(column.least, column.head.length, ...(cells.get(column) ?? []).map(widthOf));
      return [column, column.rank === 0 ? Math.min(natural, nameWidth) : natural];
    }),
  );
  const total = (shown: readonly Column[]): number =>
    shown.reduce((sum, column) => sum + (widths.get(column) ?? 0) + GAP, -GAP);
  let shown = [...columns];
  while (total(shown) > width && shown.length > 1) {
    const least = Math.max(...shown.map(({ rank }) => rank));
    shown = shown.filter(({ rank }) => rank !== least);
  }
  const [name] = shown;
  widths.set(name, Math.min(widths.get(name) ?? 0, width - (total(shown) - (widths.get(name) ?? 0))));
  const line = (textOf: (column: Column) => string): string =>
    shown
      .map((column) => {
        const columnWidth = widths.get(column) ?? 0;
        const text = textOf(column);
        return fill(column === name ? cutName(text, columnWidth) : text, columnWidth, column.side);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    around.style.dim(line(({ head }) => head)),
    ...rows.map((_, index) => line((column) => cells.get(column)?.[index] ?? '')),
  ];
}

/** The symbol before a name may be coloured, and stays; only the name is cut. */
function cutName(text: string, width: number): string {
  const blank = text.indexOf(' ');
  if (blank < 0) return truncate(text, width);
  const symbol = text.slice(0, blank + 1);
  return symbol + truncate(text.slice(blank + 1), width - widthOf(symbol));
}
