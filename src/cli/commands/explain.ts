/** `obbligato explain`: what an expression means, its POSIX form, and what the next clock changes do to it. */

import { calendarFor, type Scheduled } from '../../config.ts';
import { clockChanges, cronFields, InvalidCronExpressionError, type Zone } from '../../cron/index.ts';
import { clockTime } from '../../text/words.ts';
import type { Command, Io } from '../args/command.ts';
import { isGiven, momentOf } from '../args/values.ts';
import { dueAfter } from '../schedule/calendars.ts';
import { expressionOrUsage, faultOf, type ReadExpression, readExpression } from '../schedule/read.ts';
import { findSubject, taskField, taskWords } from '../schedule/subject.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import { json, printable, wrap } from '../terminal/text.ts';
import { distanceText, isoDate, localIso, localText } from '../words.ts';

const HELP = `
Says in words when an expression, or a task of the configuration, is due, field by field, and what the next two clock changes do to it. An expression that is
not POSIX cron is given in POSIX if it can be; if it cannot, it says why, and what to write instead.

Options
  --tz <zone>        an IANA name; by default the task's zone, the configuration's, or the host's
  --config <file>    the configuration; obbligato.config.ts, here or above, by default
  --from <time>      look at clock changes after this instead of now: 2027-03-28, 2027-03-28T02:30
  --json             one JSON document; for what is not an expression too, with "valid": false and the reason

Exits with 0, or with 2 if the expression cannot be used.

Examples
  obbligato explain '0 12 13 * 5'
  obbligato explain backup
  obbligato explain '*/20 9-17 * * mon-fri' --tz America/New_York
  obbligato explain '0 0 L * *'
`;

export const explainCommand: Command = {
  name: 'explain',
  summary: 'What an expression means, in words',
  help: HELP,
  options: {
    tz: { type: 'string' },
    config: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'expression', required: true, repeated: true }],
  async run(io, args) {
    const { words, zone, task } = await findSubject(io, args);
    const from = momentOf(io, args, zone);
    if (isGiven(args, 'json') && words.length === 1) {
      const document = documentFor(words[0], task, zone, from);
      io.stdout.write(json({ ...taskField(task), ...document }));
      return document.valid ? 0 : 2;
    }
    const read = expressionOrUsage(words, zone.name);
    io.stdout.write(`${taskWords(io, task)}${textFor(io, read, task, zone, from)}`);
    return 0;
  },
};

function textFor(
  io: Io,
  read: ReadExpression,
  task: Scheduled | undefined,
  zone: Zone,
  from: number,
): string {
  const { posix, written, problem, parsed } = read;
  const colour = styleFor(io.stdout, io.env);
  const width = textRoomOf(io.stdout);
  const lines: string[] = [];
  if (problem !== undefined) {
    const why = `${printable(written)} is not POSIX cron: ${printable(faultOf(problem))}.`;
    lines.push(colour.yellow(wrap(why, width)), `In POSIX it is  ${colour.bold(posix)}`, '');
  } else lines.push(colour.bold(printable(posix)), '');
  lines.push(wrap(parsed.describe({ from: new Date(from) }), width), '');
  const words = posix.trim().split(/[ \t]+/);
  const fields = cronFields.map((field, index) => [
    colour.dim(field.name),
    words[index],
    colour.dim(words[index] === '*' ? `any of ${field.min}-${field.max}` : `of ${field.min}-${field.max}`),
  ]);
  lines.push(...table(fields, width - 2).map((line) => `  ${line}`), '');
  const next = dueAfter(calendarFor(task ?? { name: '', cron: posix }, zone.name), from);
  if (next !== undefined) lines.push(`Next: ${localText(zone, next)} (${distanceText(next - from)})`);
  return `${lines.join('\n')}\n`;
}

interface Explanation {
  readonly expression: string;
  readonly valid: boolean;
  readonly posix: string | null;
  /** Why what was written is not POSIX; null if it is. */
  readonly problem: { readonly field: string; readonly reason: string } | null;
  readonly [more: string]: unknown;
}

function documentFor(written: string, task: Scheduled | undefined, zone: Zone, from: number): Explanation {
  let read: ReadExpression;
  try {
    read = readExpression(written, zone.name);
  } catch (error) {
    if (!(error instanceof InvalidCronExpressionError)) throw error;
    const { field, reason } = error;
    return { expression: written, valid: false, posix: null, problem: { field, reason } };
  }
  const { posix, problem, parsed } = read;
  const next = dueAfter(calendarFor(task ?? { name: '', cron: posix }, zone.name), from);
  return {
    expression: written,
    valid: true,
    posix,
    problem: problem === undefined ? null : { field: problem.field, reason: problem.reason },
    timeZone: zone.name,
    description: parsed.describe({ from: new Date(from) }),
    next: next === undefined ? null : localIso(zone, next),
    clockChanges: clockChanges(zone, from)
      .take(2)
      .map((change) => {
        const { effect, minutes } = parsed.effectOf(change);
        return {
          at: new Date(change.at).toISOString(),
          forward: change.offsetAfter > change.offsetBefore,
          effect,
          minutes: minutes.map((minute) => `${isoDate(minute)}T${clockTime(minute)}`),
        };
      })
      .toArray(),
  };
}
