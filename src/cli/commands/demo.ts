/** `obbligato demo`: the schedule of examples/hello, which the package brings along, in a folder of its own. */
import { lstatSync, mkdirSync, readFileSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Io } from '../args/command.ts';
import { isGiven } from '../args/values.ts';
import { CliError, OK } from '../errors.ts';
import { guarded, writeWhole } from '../files.ts';
import { styleFor, textRoomOf } from '../terminal/style.ts';
import { printable, wrap } from '../terminal/text.ts';
import { run } from './run.ts';

const HELP = `
Runs a small schedule that comes with the package: a task that prints, one that works for twenty seconds, one that fails twice, and a
program. Its configuration and its state are in a folder of their own among the temporary files, the same one each time. So kill it
with kill -9 while "slow" runs, start it again, and "slow" is started again at once. Ctrl-C ends it, after what runs.

Options
  --dashboard [port]  serve the page of "obbligato dashboard" while it runs, on this machine only; the port is 7070 unless given
  --plain             log lines, on a terminal too
  --json              JSON Lines: every event, and every line that tasks write

Exits as "obbligato run" does; with 1 too if the folder is not safe to use.

Examples
  obbligato demo
  obbligato demo --dashboard
`;

/** In the package, next to what is built; in a clone, next to the sources. */
const SCHEDULE = join(import.meta.dirname, '../../../examples/hello/obbligato.config.ts');

export const demoCommand: Command = {
  name: 'demo',
  summary: 'Run a small schedule that comes with the package, to look at',
  help: HELP,
  options: { dashboard: { type: 'string' }, plain: { type: 'boolean' }, json: { type: 'boolean' } },
  positionals: [],
  ...(run.leftOut === undefined ? {} : { leftOut: run.leftOut }),
  async run(io, args) {
    const folder = ownFolder(join(tmpdir(), `obbligato-demo-${process.getuid?.() ?? 'user'}`));
    const config = join(folder, 'obbligato.config.ts');
    guarded(config, () => writeWhole(config, readFileSync(SCHEDULE), 'in place'));
    const isSpoken = !isGiven(args, 'json');
    if (isSpoken) io.stdout.write(before(io, folder));
    const code = await run.run(io, { ...args, positionals: [folder] });
    if (isSpoken && code === OK) io.stdout.write(after(io, folder));
    return code;
  },
};

const WRITABLE_BY_OTHERS = 0o022;

/**
 * The folder, which is made if need be. Its name can be guessed, and everybody may make folders among the temporary files: what lies in
 * a folder of somebody else, or in one that others may write to, could be theirs, and would be run.
 */
function ownFolder(path: string): string {
  guarded(path, () => void mkdirSync(path, { recursive: true, mode: 0o700 }));
  if (isOurs(lstatSync(path))) return path;
  throw new CliError(
    'failure',
    `${printable(path)} is not this user's alone, so the demo does not run what is in it. Remove it, or name another place for temporary files: TMPDIR="$HOME" obbligato demo`,
  );
}

const isOurs = (status: Stats): boolean =>
  status.isDirectory() &&
  (process.getuid === undefined ||
    (status.uid === process.getuid() && (status.mode & WRITABLE_BY_OTHERS) === 0));

function before(io: Io, folder: string): string {
  const text = `Five tasks run here, and their state is kept in ${printable(folder)}. Kill this process with kill -9 while "slow" runs, and type "npx obbligato demo" again: "slow" is started again at once, within the same minute under the same key. Ctrl-C ends the demo, after what runs.`;
  return `${wrap(text, textRoomOf(io.stdout))}\n\n`;
}

function after(io: Io, folder: string): string {
  const { dim } = styleFor(io.stdout, io.env);
  const steps = [
    ['npx obbligato demo', 'goes on where it was: what was missed meanwhile is started, once'],
    [`npx obbligato history --config ${printable(folder)}`, 'what has run, and how it ended'],
    ['npx obbligato init', 'writes a first configuration of your own'],
    [`rm -r ${printable(folder)}`, 'forgets the demo'],
  ];
  const widest = Math.max(...steps.map(([words]) => words.length));
  return `\n${steps.map(([words, what]) => `  ${words.padEnd(widest)}  ${dim(`# ${what}`)}\n`).join('')}`;
}
