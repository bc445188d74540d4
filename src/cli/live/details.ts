/** The screens of the live view besides its list: one task, and the keys. Pure. */
import type { PastRun } from '../../index.ts';
import { whenText } from '../schedule/when.ts';
import { table } from '../terminal/table.ts';
import { fill, oneLine, printable, truncate, widthOf, wrap } from '../terminal/text.ts';
import { clock, dayAndTime, distanceText, duration, localText } from '../words.ts';
import { type Surroundings, stateText } from './columns.ts';
import type { LogLine, Row } from './model.ts';

/** What is known of the past of a task; undefined while it is being looked up. */
export type Past = readonly PastRun[] | 'not kept' | undefined;

export interface TaskDetails {
  readonly row: Row;
  readonly past: Past;
  readonly log: readonly LogLine[];
  readonly timeZone: string;
}

/** One task: when it is due, how its last runs ended, what it threw last, what it wrote. At most `room` lines. */
export function taskScreen(
  { row, past, log, timeZone }: TaskDetails,
  room: number,
  width: number,
  around: Surroundings,
): string[] {
  const { style, now, zone, nextOf } = around;
  const next = nextOf(row);
  const taskZone = row.policy?.timeZone ?? timeZone;
  const words = whenText(row, taskZone);
  const head = [
    `${style.bold(truncate(printable(row.name), width - 20))}  ${stateText(row, around)}`,
    truncate(`${words}  (${printable(row.cron)}, ${printable(taskZone)})`, width),
    next === undefined
      ? ''
      : truncate(`Next start: ${localText(zone, next)}, ${distanceText(next - now)}`, width),
  ];
  const own = log.filter(({ task, isOutput }) => task === row.name && isOutput);
  const thrown = lastErrorOf(past);
  const left = room - head.length - 4;
  // A share of what is left is for the runs, one for what the task wrote, and if it threw something with a stack, one for that. What one does not need, another gets.
  const share = Math.ceil(left / (thrown.length > 1 ? 3 : 2));
  const runs = runLines(past, Math.max(2, share), width, around);
  const error = errorLines(thrown, left - runs.length - Math.min(share, own.length), width, around);
  const forOutput = Math.max(0, left - runs.length - error.length);
  const output = own
    .slice(-forOutput)
    .map(({ at, text }) => truncate(`  ${style.dim(clock(at, zone))}  ${oneLine(text)}`, width));
  return [
    ...head,
    ...error,
    '',
    style.dim('LAST RUNS'),
    ...runs,
    ...(forOutput === 0 || output.length === 0 ? [] : ['', style.dim('OUTPUT'), ...output]),
  ].slice(0, room);
}

function runLines(past: Past, room: number, width: number, { now, zone, style }: Surroundings): string[] {
  if (past === undefined) return ['  looking them up…'];
  if (past === 'not kept') return ['  This store keeps no history'];
  if (past.length === 0) return ['  none yet'];
  const rows = past
    .slice(0, room)
    .map(({ outcome, calledAt, endedAt, attempt, reason, error }) => [
      `  ${dayAndTime(endedAt, now, zone)}`,
      paintOf(outcome, style)(outcome),
      outcome === 'cut off' ? '' : duration(endedAt - calledAt),
      attempt === 1 ? reason : `${reason}, attempt ${attempt}`,
      error === null ? '' : oneLine(error.message === '' ? error.name : error.message),
    ]);
  return table(rows, width);
}

/** A stop that has ended a run is no failure. */
const paintOf = (outcome: PastRun['outcome'], { green, yellow, red }: Surroundings['style']) =>
  outcome === 'success' ? green : outcome === 'interrupted' ? yellow : red;

/** What was thrown last, with its stack and its causes, a line each, as it is stored. */
function lastErrorOf(past: Past): readonly string[] {
  if (past === undefined || past === 'not kept') return [];
  const error = past.find((run) => run.error !== null)?.error;
  if (error === undefined || error === null) return [];
  return error.text === '' ? [`${error.name}: ${error.message}`] : error.text.split('\n');
}

function errorLines(
  thrown: readonly string[],
  room: number,
  width: number,
  { style }: Surroundings,
): string[] {
  const [first, ...rest] = withinRoom(thrown, Math.max(1, room));
  if (first === undefined) return [];
  return [
    style.red(truncate(`Last error: ${oneLine(first)}`, width)),
    ...rest.map((line) => style.dim(truncate(printable(line), width))),
  ];
}

const isPlace = (line: string): boolean => /^\s+at /.test(line);

/** At most so many lines: of the longest stack the outermost place goes first, so that every cause stays as long as possible. */
function withinRoom(lines: readonly string[], room: number): readonly string[] {
  let kept = lines;
  while (kept.length > room) {
    let longest = { end: -1, count: 0 };
    for (let at = 0, count = 0; at < kept.length; at++) {
      count = isPlace(kept[at]) ? count + 1 : 0;
      if (count >= longest.count && count > 0) longest = { end: at, count };
    }
    if (longest.count === 0) return kept.slice(0, room);
    kept = kept.toSpliced(longest.end, 1);
  }
  return kept;
}

/** Narrower than this, a text is cut rather than wrapped. */
const NARROWEST = 20;
const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓, j k, the wheel', 'select a task'],
  ['PgUp PgDn, Home End, g G', 'move by a page, to the first, to the last'],
  ['Enter', 'the selected task: its last runs, its last error, what it wrote'],
  ['r, p, c', 'run the task now; pause it, or let it go on; cancel its run: each after a question'],
  ['/', 'only tasks whose names contain what you type; Esc shows all again'],
  ['s', 'another order: as registered, by name, by next start, by state'],
  ['Esc', 'back; in the list, everything as it was at first'],
  ['q', 'stop the schedule, after a question'],
  ['Ctrl-C', 'stop the schedule; again, leave at once'],
  ['Ctrl-Z', 'give the terminal back until "fg"; the schedule stands still'],
];

/** A terminal that is narrow gets two lines for a key rather than half a sentence. */
export function keysScreen(room: number, width: number, { style }: Surroundings): string[] {
  const keyWidth = Math.max(...KEYS.map(([key]) => widthOf(key)));
  const left = width - keyWidth - 4;
  const lines = KEYS.flatMap(([key, what]) =>
    (left < NARROWEST ? [what] : wrap(what, left).split('\n')).map((text, place) =>
      truncate(`  ${fill(style.bold(place === 0 ? key : ''), keyWidth)}  ${text}`, width),
    ),
  );
  return [style.dim('KEYS'), ...lines].slice(0, room);
}
