/** `obbligato logs`: what the programs of a task have written, by run. */
import { type KeptLog, type LogEntry, readLogs } from '../../config.ts';
import type { Zone } from '../../cron/index.ts';
import { nearest } from '../../text/nearest.ts';
import type { Command, Io } from '../args/command.ts';
import { countOf, isGiven, readZone, textOf } from '../args/values.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { logFoldersOf } from '../config/log-folders.ts';
import { CliError, FAILED, OK } from '../errors.ts';
import { styleFor } from '../terminal/style.ts';
import { counted, oneDocument, printable } from '../terminal/text.ts';
import { clock, duration, localText } from '../words.ts';

const HELP = `
Shows what the program of a task has written: of its last run, or of several, the newest last. It is kept on disk as it is written, so it is
there while the program runs, and after a crash. Of each run the first 256 KB and the last 64 KB are kept, and of each task the last 20 runs
of the last 30 days. Only tasks that run a program with command() have it; what other callbacks print is in the output of "obbligato run".

Options
  -n, --runs <n>     how many runs (1)
  --config <file>    the configuration; obbligato.config.ts, here or above, by default
  --tz <zone>        the zone in which times are shown; the configuration's, or the host's by default
  --json             one JSON document per run and line

Exits with 0; with 1 if nothing was kept; with 2 if there is no such task.

Examples
  obbligato logs backup
  obbligato logs backup -n 5 | less
  obbligato logs backup --json | jq -r '.entries[].line // empty'
`;

export const logsCommand: Command = {
  name: 'logs',
  summary: 'What the program of a task has written, by run',
  help: HELP,
  options: {
    runs: { type: 'string', short: 'n' },
    config: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'task', required: true }],
  async run(io, args) {
    const [task] = args.positionals;
    const runs = countOf(args, { option: 'runs', fallback: 1, min: 1, max: 1000 });
    const loaded = await loadConfig(io.cwd, textOf(args, 'config'));
    const zone = readZone(textOf(args, 'tz') ?? loaded.config.timeZone);
    const logs = readLogs(folderFor(loaded, task), task, runs).reverse();
    if (logs.length === 0) {
      io.stderr.write(
        `Nothing that "${printable(task)}" wrote is kept: it has not run yet, or runs no program\n`,
      );
      return FAILED;
    }
    for (const [place, log] of logs.entries()) {
      // A task never overlaps itself: only its newest run may still run.
      const unended = place === logs.length - 1 ? 'it runs, or was cut off' : 'it was cut off';
      io.stdout.write(
        isGiven(args, 'json') ? oneDocument({ ...log.run, ...log }) : textOfLog(io, log, zone, unended),
      );
    }
    return OK;
  },
};

function folderFor(loaded: LoadedConfig, task: string): string {
  const folders = logFoldersOf(loaded);
  const folder = folders.get(task);
  if (folder !== undefined) return folder;
  const meant = nearest(task, [...folders.keys()]);
  const suggestion = meant === undefined ? '' : `: did you mean "${printable(meant)}"?`;
  throw new CliError('usage', `${printable(loaded.path)} has no task "${printable(task)}"${suggestion}`);
}

function textOfLog(io: Io, { run, entries }: KeptLog, zone: Zone, unended: string): string {
  const colour = styleFor(io.stdout, io.env);
  const { startedAt, attempt, reason } = run;
  const why = attempt === 1 ? reason : `${reason}, attempt ${attempt}`;
  const head = colour.bold(`${localText(zone, startedAt)}  ${printable(why)}`);
  const lines = entries.map((entry) => entryText(entry, startedAt, zone, colour));
  const isOver = entries.some((entry) => 'ended' in entry);
  return `${[head, ...lines, ...(isOver ? [] : [colour.yellow(unended)])].join('\n')}\n`;
}

const WORDS = {
  failure: 'failed',
  cancelled: 'cancelled',
  'timed out': 'timed out',
  interrupted: 'interrupted',
} as const;

function entryText(
  entry: LogEntry,
  startedAt: number,
  zone: Zone,
  colour: ReturnType<typeof styleFor>,
): string {
  if ('leftOut' in entry) return colour.yellow(`… ${counted(entry.leftOut, 'line')} left out …`);
  if ('line' in entry) {
    const text = printable(entry.line);
    return `${colour.dim(clock(entry.at, zone))} ${entry.stream === 'stderr' ? colour.yellow(text) : text}`;
  }
  const took = duration(entry.at - startedAt);
  if (entry.ended === 'success') return colour.green(`done in ${took}`);
  const text = `${WORDS[entry.ended]} after ${took}: ${printable(entry.message ?? '')}`;
  return entry.ended === 'cancelled' ? colour.yellow(text) : colour.red(text);
}
