/** `obbligato next`: when an expression, or a task of the configuration, is due, with what clock changes skip and double. */

import type { Zone } from '../../cron/index.ts';
import { clockTime } from '../../text/words.ts';
import type { Command, Io } from '../args/command.ts';
import { countOf, isGiven, momentOf } from '../args/values.ts';
import { expressionOrUsage, type ReadExpression } from '../schedule/read.ts';
import { findSubject, taskField, taskWords } from '../schedule/subject.ts';
import { type Upcoming, upcoming } from '../schedule/upcoming.ts';
import { type Colours, roomOf, styleFor } from '../terminal/style.ts';
import { fits, table } from '../terminal/table.ts';
import { json, printable } from '../terminal/text.ts';
import { distanceText, isoDate, localIso, localText, wallTime } from '../words.ts';

const HELP = `
Shows the next instants at which a cron expression, or a task of the configuration, is due: local time with its offset, and how far
away. Where the clocks change it says which minutes are skipped and which come twice. What other crons write (*/15, mon, @daily) is
understood, and its POSIX form is shown.

Options
  -n, --count <n>    how many (5)
  --tz <zone>        an IANA name; by default the task's zone, the configuration's, or the host's
  --config <file>    the configuration; obbligato.config.ts, here or above, by default
  --from <time>      instead of now: 2027-03-28, 2027-03-28T02:30 (in the zone), or 2027-03-28T01:30:00Z
  --json             one JSON document

Examples
  obbligato next '30 2 * * 1-5'
  obbligato next backup -n 3
  obbligato next '30 2 * * *' --tz Europe/Stockholm --from 2027-03-27 -n 3
  obbligato next '*/15 9-17 * * mon-fri' --json | jq -r '.due[].at'
`;

export const nextCommand: Command = {
  name: 'next',
  summary: 'When an expression is due next, clock changes and all',
  help: HELP,
  options: {
    count: { type: 'string', short: 'n' },
    tz: { type: 'string' },
    config: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'expression', required: true, repeated: true }],
  async run(io, args) {
    const count = countOf(args, { option: 'count', fallback: 5, min: 1, max: 10_000 });
    const { words, zone, task } = await findSubject(io, args);
    const expression = expressionOrUsage(words, zone.name);
    const from = momentOf(io, args, zone);
    const scheduled = task ?? { name: '', cron: expression.posix };
    const found = upcoming(scheduled, expression.parsed, zone, from, count);
    if (isGiven(args, 'json'))
      io.stdout.write(json({ ...taskField(task), ...documentOf(expression, zone, from, found) }));
    else io.stdout.write(`${taskWords(io, task)}${textFor(io, expression, zone, from, found)}`);
    return 0;
  },
};

function textFor(
  io: Io,
  { written, posix, problem }: ReadExpression,
  zone: Zone,
  from: number,
  found: readonly Upcoming[],
): string {
  const colour = styleFor(io.stdout, io.env);
  const width = roomOf(io.stdout);
  const head =
    problem === undefined
      ? `${colour.bold(printable(posix))}  ${colour.dim(zone.name)}`
      : `${colour.bold(posix)}  ${colour.dim(zone.name)}\n${colour.dim(`(the POSIX form of ${printable(written)})`)}`;
  const rows = found.map((each) => rowOf(each, zone, from, colour));
  // The date is what was asked for; how far away it is, everybody can work out.
  const shown = fits(rows, width - 2) ? rows : found.map((each) => narrowRowOf(each, zone, colour));
  return `${head}\n\n${table(shown, width - 2, [0])
    .map((line) => `  ${line}\n`)
    .join('')}`;
}

function rowOf(each: Upcoming, zone: Zone, from: number, colour: Colours): string[] {
  if (each.kind === 'skipped') {
    const jump = `the clock goes from ${clockTime(each.before)} to ${clockTime(each.after)}`;
    return [colour.yellow(wallTime(each.minute)), colour.yellow('skipped'), colour.dim(jump)];
  }
  return [localText(zone, each.at), distanceText(each.at - from), colour.yellow(COMING[each.coming])];
}

/** Without the distance; what is skipped has no offset, and says so in its place. */
function narrowRowOf(each: Upcoming, zone: Zone, colour: Colours): string[] {
  return each.kind === 'skipped'
    ? [colour.yellow(`${wallTime(each.minute)} skipped`)]
    : [localText(zone, each.at), colour.yellow(COMING[each.coming])];
}

const COMING = {
  only: '',
  first: 'this minute comes twice: the first',
  second: 'the second, the clock went back',
} as const;

function documentOf(
  { written, posix }: ReadExpression,
  zone: Zone,
  from: number,
  found: readonly Upcoming[],
): object {
  return {
    expression: written,
    posix,
    timeZone: zone.name,
    from: new Date(from).toISOString(),
    due: found.flatMap((each) =>
      each.kind === 'due'
        ? [
            {
              at: new Date(each.at).toISOString(),
              local: localIso(zone, each.at),
              inMs: each.at - from,
              coming: each.coming,
            },
          ]
        : [],
    ),
    skipped: found.flatMap((each) =>
      each.kind === 'skipped'
        ? [
            {
              local: `${isoDate(each.minute)}T${clockTime(each.minute)}`,
              clockChangeAt: new Date(each.at).toISOString(),
            },
          ]
        : [],
    ),
  };
}
