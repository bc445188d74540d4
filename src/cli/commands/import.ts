/** `obbligato import`: a crontab as a configuration, with what could not be carried over. */
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Arguments, Command, Io } from '../args/command.ts';
import { countOf, isGiven, textOf } from '../args/values.ts';
import { type Conversion, convert, systemDoubt } from '../crontab/convert.ts';
import { readCrontab } from '../crontab/entries.ts';
import { configText } from '../crontab/write.ts';
import { CliError } from '../errors.ts';
import { writeFile } from '../files.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { counted, json, printable, wrap } from '../terminal/text.ts';

const HELP = `
Reads a crontab and writes a configuration with the same jobs at the same minutes: steps, names, macros, variables, CRON_TZ, % as standard
input, and comments are carried over. As in cron, a failed run is not tried again, and a change of the clock neither skips nor doubles a job.
A command that exits with 1 although nothing is wrong gets a note. What cannot be carried over is listed with its line number, and stays in the configuration as a comment.

Options
  --out <file>       where to write; obbligato.config.ts by default, - for standard output
  --force            write over a file that is there
  --system           a system crontab (/etc/crontab, /etc/cron.d/*), which has a user before each command
  --retry <minutes>  try again so long after a failure; without it a failed run is not tried again, as in cron
  --json             say what was done in one JSON document

Exits with 0; with 1 if a job had to be left out, or there was none; with 2 if a file cannot be read or written. If no job could be
carried over, nothing is written.

Examples
  crontab -l | obbligato import -
  obbligato import /etc/crontab --system --out jobs.config.ts
  obbligato import my.crontab --out -
`;

export const importCommand: Command = {
  name: 'import',
  summary: 'Turn a crontab into a configuration',
  help: HELP,
  options: {
    out: { type: 'string' },
    force: { type: 'boolean' },
    system: { type: 'boolean' },
    retry: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'crontab', required: true }],
  async run(io, args) {
    const retryMinutes = retryOf(args);
    const out = textOf(args, 'out') ?? 'obbligato.config.ts';
    const toStdout = out === '-';
    if (toStdout && isGiven(args, 'json')) {
      throw new CliError(
        'usage',
        '--json and --out - would both write to standard output: give --out a file',
      );
    }
    const [source] = args.positionals;
    const crontab = await readSource(io, source);
    const path = resolve(io.cwd, out);
    if (!toStdout && existsSync(path) && !isGiven(args, 'force')) {
      throw new CliError(
        'usage',
        `${printable(path)} is there already: give another --out, or --force to write over it`,
      );
    }
    const form = isGiven(args, 'system') ? 'system' : 'user';
    const converted = convert(readCrontab(crontab, form));
    const doubt = form === 'user' ? systemDoubt(resolve(io.cwd, source), converted.tasks) : undefined;
    const conversion =
      doubt === undefined
        ? converted
        : { ...converted, notes: [{ line: 0, text: doubt }, ...converted.notes] };
    const { tasks, leftOut } = conversion;
    if (tasks.length === 0) return nothingWritten(io, args, conversion);
    const text = configText(conversion, { source: source === '-' ? 'a crontab' : source, retryMinutes });
    if (toStdout) io.stdout.write(text);
    // A crontab is private, and its commands may hold passwords.
    else writeFile(path, text, 0o600);
    const report = isGiven(args, 'json')
      ? json(documentOf(conversion, path))
      : reportText(io, conversion, toStdout ? undefined : path);
    (toStdout ? io.stderr : io.stdout).write(report);
    return leftOut.length > 0 ? 1 : 0;
  },
};

/** In minutes; undefined for never. */
const retryOf = (args: Arguments): number | undefined =>
  textOf(args, 'retry') === undefined
    ? undefined
    : countOf(args, { option: 'retry', fallback: 5, min: 1, max: 10_080 });

/** A configuration without a task would only look as if something had been done. */
function nothingWritten(io: Io, args: Arguments, conversion: Conversion): number {
  const source = args.positionals[0] === '-' ? 'standard input' : printable(args.positionals[0]);
  const { leftOut } = conversion;
  const why =
    leftOut.length === 0
      ? `There is no job in ${source}; nothing was written\n`
      : `Nothing was written: no job of ${source} could be carried over\n${noteLines(io, conversion).join('\n')}\n`;
  io.stderr.write(why);
  if (isGiven(args, 'json')) io.stdout.write(json(documentOf(conversion, null)));
  return 1;
}

async function readSource(io: Io, source: string): Promise<string> {
  if (source === '-') return readAll(io.stdin);
  try {
    return readFileSync(resolve(io.cwd, source), 'utf8');
  } catch (error) {
    const code = Reflect.get(Object(error), 'code');
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : String(code);
    throw new CliError(
      'usage',
      `${printable(source)} cannot be read: ${why}. Name a crontab, or pipe one: crontab -l | obbligato import -`,
    );
  }
}

function noteLines(io: Io, { notes }: Conversion): string[] {
  const { red, yellow } = styleFor(io.stdout, io.env);
  return notes.map(({ line, text }) => {
    const said = line === 0 ? printable(text) : `line ${line}: ${printable(text)}`;
    return (text.startsWith('left out') ? red : yellow)(wrap(said, textRoomOf(io.stdout), '  '));
  });
}

function reportText(io: Io, conversion: Conversion, path: string | undefined): string {
  const { tasks, leftOut, timeZone } = conversion;
  const colour = styleFor(io.stdout, io.env);
  const where = path === undefined ? '' : ` written to ${colour.bold(printable(path))}`;
  const zone = timeZone === undefined ? '' : `, in ${timeZone}`;
  const missing = leftOut.length === 0 ? '' : `, ${counted(leftOut.length, 'job')} left out`;
  const lines = [`${counted(tasks.length, 'task')}${where}${zone}${missing}`, ...noteLines(io, conversion)];
  if (path !== undefined)
    lines.push(`Look it over, then: obbligato preview ${printable(relative(io.cwd, path))}`);
  return `${lines.join('\n')}\n`;
}

const documentOf = ({ tasks, leftOut, notes, timeZone }: Conversion, out: string | null): object => ({
  out,
  timeZone: timeZone ?? null,
  tasks: tasks.map(({ line, name, cron, command, user, timeZone: own }) => ({
    line,
    name,
    cron,
    timeZone: own ?? timeZone ?? null,
    command,
    user: user ?? null,
  })),
  leftOut: leftOut.map(({ line, text, reason }) => ({ line, text, reason })),
  notes,
});
