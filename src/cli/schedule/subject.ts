/**
 * What `next` and `explain` are asked about, and the zone in which it is read: an expression as it was typed, or the name of a task of the
 * configuration. In a project they see what its scheduler sees: the zone is the task's own, else the configuration's, else the host's.
 */
import type { Zone } from '../../cron/index.ts';
import { rewriteCron } from '../../cron/index.ts';
import { nearest } from '../../text/nearest.ts';
import type { Arguments, Io } from '../args/command.ts';
import { readZone, textOf } from '../args/values.ts';
import { findConfig } from '../config/find.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { factsOf, type TaskFacts } from '../config/tasks.ts';
import { CliError, isCliError } from '../errors.ts';
import { styleFor } from '../terminal/style.ts';
import { messageOf, printable } from '../terminal/text.ts';
import { daysText } from './when.ts';

export interface Subject {
  /** The expression as words of the command line; of a task, its own expression. */
  readonly words: readonly string[];
  readonly zone: Zone;
  /** The task that was named. */
  readonly task: TaskFacts | undefined;
}

export async function findSubject(io: Io, args: Arguments): Promise<Subject> {
  const words = args.positionals;
  const asked = textOf(args, 'tz');
  const name = words.length === 1 && rewriteCron(words[0]) === undefined ? words[0] : undefined;
  // A user who gives both an expression and a zone wants nothing of a configuration.
  if (name === undefined && asked !== undefined) return { words, zone: readZone(asked), task: undefined };
  const loaded = await configFor(io, args);
  const task = loaded === undefined || name === undefined ? undefined : taskOf(loaded, name);
  return {
    words: task === undefined ? words : [task.cron],
    zone: readZone(asked ?? task?.timeZone ?? loaded?.config.timeZone),
    task,
  };
}

/** The configuration that was named, or the nearest one. If that one cannot be loaded, an expression still has a meaning. */
async function configFor(io: Io, args: Arguments): Promise<LoadedConfig | undefined> {
  const named = textOf(args, 'config');
  if (named !== undefined) return loadConfig(io.cwd, named);
  if (findConfig(io.cwd) === undefined) return undefined;
  try {
    return await loadConfig(io.cwd);
  } catch (error) {
    if (!isCliError(error, 'bad configuration')) throw error;
    const { yellow } = styleFor(io.stderr, io.env);
    io.stderr.write(
      `${yellow('warning:')} ${messageOf(error)}\n${yellow('warning:')} the configuration is left aside\n`,
    );
    return undefined;
  }
}

/** The task of a name. A single word is no expression, so if there is no such task, its name was most likely misspelt. */
function taskOf({ path, config }: LoadedConfig, name: string): TaskFacts | undefined {
  const tasks = config.tasks.map(factsOf);
  const found = tasks.find((task) => task.name === name);
  if (found !== undefined || /[\s*@]/.test(name)) return found;
  const meant = nearest(
    name,
    tasks.map((task) => task.name),
  );
  const suggestion = meant === undefined ? '' : `: did you mean "${printable(meant)}"?`;
  throw new CliError('usage', `${printable(path)} has no task "${printable(name)}"${suggestion}`);
}

/** The first line about a task that was named. */
export function taskWords({ stdout, env }: Io, task: TaskFacts | undefined): string {
  if (task === undefined) return '';
  const { days } = task.policy;
  const only = days === undefined ? '' : `, only ${daysText(days)}`;
  return `${styleFor(stdout, env).bold(printable(task.name))}${only}\n`;
}

/** The same for programs. */
export const taskField = (task: TaskFacts | undefined): { readonly task?: string } =>
  task === undefined ? {} : { task: task.name };
