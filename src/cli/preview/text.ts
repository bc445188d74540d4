/** A forecast for a terminal: a map of the day by hour and minute, the busiest minutes, collisions and surprises. */
import { describeClockChange } from '../../cron/index.ts';
import { clockTime } from '../../text/words.ts';
import type { Io } from '../args/command.ts';
import { type Colours, roomOf, styleFor, textRoomOf } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import { counted, printable, wrap } from '../terminal/text.ts';
import { isoDate, localMinuteAt } from '../words.ts';
import type { Forecast } from './forecast.ts';
import { busiestOf, type Collision, collisionsOf, type Meeting, peaksOf } from './load.ts';
import { type Surprise, surprisesOf } from './surprises.ts';

const MOST_LINES = 10;

export function previewText(io: Io, forecast: Forecast): string {
  const colour = styleFor(io.stdout, io.env);
  const { zone, from, to, days, tasks, starts } = forecast;
  const day = (instant: number): string => isoDate(Math.floor(localMinuteAt(zone, instant)));
  const head = `${colour.bold(`${counted(tasks, 'task')}, ${counted(starts, 'start')}`)} in ${counted(days, 'day')}, ${day(from)} to ${day(to - 1)}  ${colour.dim(zone.name)}`;
  const idle = forecast.groups.filter(({ dues }) => dues.length === 0).flatMap((group) => group.tasks);
  const sections = [
    wrap(head, roomOf(io.stdout)),
    mapText(peaksOf(forecast), roomOf(io.stdout), colour),
    section('Busiest minutes', busyLines(busiestOf(forecast, MOST_LINES), roomOf(io.stdout) - 2), colour),
    section(
      'Always at the same time',
      collisionsOf(forecast).map((each) => collisionLine(each)),
      colour,
    ),
    section('Clock changes', surpriseLines(surprisesOf(forecast), zone.name), colour),
    section('Not due in these days', idle.length === 0 ? [] : [names(idle, 20)], colour),
  ];
  return sections
    .filter((text) => text !== '')
    .map((text) => `${text}\n`)
    .join('\n');

  function section(title: string, lines: readonly string[], { bold, dim }: Colours): string {
    if (lines.length === 0) return '';
    const shown = lines.slice(0, MOST_LINES).map((line) => wrap(line, textRoomOf(io.stdout), '  '));
    const more = lines.length > MOST_LINES ? [dim(`  and ${lines.length - MOST_LINES} more`)] : [];
    return [bold(title), ...shown, ...more].join('\n');
  }
}

/** Minutes a cell may stand for: all of them divide an hour. */
const CELLS = [1, 2, 3, 5, 6, 10, 15, 20, 30];
const LABEL_WIDTH = 4;

/** One row per hour, one cell per minute, or per some minutes where the terminal is narrow. */
export function mapText(peaks: Uint32Array, width: number, colour: Colours): string {
  const minutes = CELLS.find((each) => LABEL_WIDTH + 60 / each <= width) ?? 30;
  const rows = Array.from({ length: 24 }, (_, hour) => {
    const cells = Array.from({ length: 60 / minutes }, (_, cell) => {
      const start = hour * 60 + cell * minutes;
      return cellText(Math.max(...peaks.subarray(start, start + minutes)), colour);
    });
    return `${colour.dim(String(hour).padStart(2, '0'))}  ${cells.join('')}`;
  });
  const each = minutes === 1 ? 'minute' : `${minutes} minutes`;
  const legend = `One row per hour, one cell per ${each}: the most tasks that start in one minute of it; · none, # ten or more`;
  return [colour.dim(axis(minutes)), ...rows, colour.dim(wrap(legend, Math.min(width, 100)))].join('\n');
}

/** ":00", ":10", … above their cells, as many as fit. */
function axis(minutes: number): string {
  const step = [10, 15, 30].find((each) => each / minutes >= 4 && each % minutes === 0) ?? 60;
  let line = ' '.repeat(LABEL_WIDTH);
  for (let minute = 0; minute < 60; minute += step) {
    line = `${line.padEnd(LABEL_WIDTH + minute / minutes)}:${String(minute).padStart(2, '0')}`;
  }
  return line;
}

function cellText(load: number, colour: Colours): string {
  if (load === 0) return colour.dim('·');
  const digit = load > 9 ? '#' : String(load);
  return load > 4 ? colour.red(digit) : load > 1 ? colour.yellow(digit) : colour.green(digit);
}

function busyLines(busiest: readonly Meeting[], width: number): string[] {
  const rows = busiest.map((meeting) => [
    sizeText(meeting),
    timesText(meeting.minutes, 3),
    counted(meeting.times, 'time'),
    names(meeting.tasks, 5),
  ]);
  if (width >= WIDE_ENOUGH) return table(rows, width);
  // There would be no room for a name to the right of its figures.
  return rows.map(([size, minutes, times, who]) => `${size} at ${minutes}, ${times}: ${who}`);
}

const WIDE_ENOUGH = 58;

/** "3 tasks", or "2 to 4 tasks" where they are not as many every day. */
const sizeText = ({ fewest, most }: Meeting): string =>
  fewest === most ? counted(most, 'task') : `${fewest.toLocaleString('en')} to ${counted(most, 'task')}`;

/** "06:00", "00:00, 00:15 and 94 more". */
function timesText(minutes: readonly number[], most: number): string {
  const shown = minutes.slice(0, most).map(clockTime).join(', ');
  return minutes.length > most ? `${shown} and ${minutes.length - most} more` : shown;
}

function collisionLine({ kind, tasks, beside, starts }: Collision): string {
  const times = `(${counted(starts, 'start')})`;
  return kind === 'always together'
    ? `${names(tasks, 8)} always start together ${times}`
    : `${names(tasks, 4)} never start${tasks.length === 1 ? 's' : ''} alone: always with ${names(beside, 4)} ${times}`;
}

function surpriseLines(surprises: readonly Surprise[], zoneName: string): string[] {
  if (surprises.length === 0) return [`The clocks of ${zoneName} do not change in the next ten years.`];
  return surprises.flatMap(({ change, isWithin, hits }) => {
    const jump = describeClockChange(change);
    const head = isWithin ? jump : `None in these days. ${jump}`;
    if (hits.length === 0) return [`${head}, which changes nothing for these tasks.`];
    return [
      `${head}:`,
      ...hits.map(({ effect, tasks, minutes }) =>
        effect === 'skipped'
          ? `- ${names(tasks, 5)}: ${minutes} does not happen and is skipped`
          : `- ${names(tasks, 5)}: ${minutes} comes twice and is due both times`,
      ),
    ];
  });
}

/** Names in a row, the first few of many. */
function names(tasks: readonly string[], most: number): string {
  const shown = tasks.slice(0, most).map(printable).join(', ');
  return tasks.length > most ? `${shown} and ${tasks.length - most} more` : shown;
}
