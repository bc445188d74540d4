/** `command('./backup.sh')`: a ready-made callback that runs a program. */
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TaskCancelledError, TaskTimeoutError, visible } from '../errors.ts';
import { type Callback, isStop, type RunContext } from '../scheduler/index.ts';
import { describeError } from '../text/describe-error.ts';
import { type Duration, seconds, toMilliseconds } from '../time/duration.ts';
import { CommandLeftoverError, CommandStartError } from './errors.ts';
import { endLeftovers } from './leftover.ts';
import { type OutputLine, publishOutput } from './output.ts';
import { RUN_ID_VARIABLE } from './process-table.ts';
import { Program, type ProgramPlan } from './program.ts';
import { type FailedEnd, RunLog } from './run-log.ts';
import { reasonOf } from './start-failure.ts';

/** How `command` runs its program. All of it is optional. */
export interface CommandOptions {
  /** Where the program runs; the working directory of this process by default. */
  readonly cwd?: string | URL;
  /** Put over this process's own environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the program reads on its standard input; nothing by default. */
  readonly stdin?: string;
  /** Which shell reads a line of shell, as its path; `/bin/sh` by default. */
  readonly shell?: string;
  /** How long the program has to end after SIGTERM, before SIGKILL; 10 seconds by default. */
  readonly grace?: Duration;
  /** Where running programs are remembered; `.obbligato` in the working directory by default. */
  readonly directory?: string | URL;
  /**
   * Gets the program's output, line by line, instead of this process's own output. If it answers a promise, nothing more is read from the
   * program until that settles.
   */
  readonly onOutput?: (output: OutputLine) => unknown;
  /**
   * Whether what the program writes is kept with its run, in `directory`, for `obbligato logs`: the last 20 runs, of each the first 256 KB and the
   * last 64 KB. True by default.
   */
  readonly keepOutput?: boolean;
}

/** Where the callbacks of `command` keep what their programs write. */
const logFolders = new WeakMap<Callback, string>();

/** The folder in which a callback of `command` keeps output; undefined for any other callback. */
export const logFolderOf = (callback: Callback): string | undefined => logFolders.get(callback);

const DEFAULT_SHELL = '/bin/sh';

/**
 * A callback that runs a line of shell, or a program with its arguments. It fails if the program exits with anything but 0, or is
 * ended by a signal. When the scheduler stops, the program gets SIGTERM, and after the grace SIGKILL. If the scheduler is killed,
 * the program may live on: it is ended before its task is started again, so that it never overlaps itself.
 */
export function command(line: string, options?: CommandOptions): Callback;
export function command(file: string, args: readonly string[], options?: CommandOptions): Callback;
export function command(
  program: string,
  second?: readonly string[] | CommandOptions,
  third?: CommandOptions,
): Callback {
  const args: unknown = Array.isArray(second) ? second : undefined;
  const options = (args === undefined ? (second as CommandOptions | undefined) : third) ?? {};
  const argv = argvOf(program, args, options.shell);
  if (options.stdin !== undefined && typeof options.stdin !== 'string') {
    throw new TypeError('stdin must be a text, which the program reads on its standard input');
  }
  const graceMs = toMilliseconds(options.grace ?? seconds(10));
  if (graceMs === undefined || !(graceMs >= 0)) throw new RangeError('grace must be a duration of 0 or more');
  if (process.platform === 'win32') throw new Error('command() is not there for Windows yet');
  const fixed = {
    title: args === undefined ? visible(basename(options.shell ?? 'sh'), 60) : visible(program, 60),
    argv,
    cwd: pathOf(options.cwd ?? '.'),
    folder: pathOf(options.directory ?? '.obbligato'),
    graceMs,
    stdin: options.stdin,
    onOutput: calm(options.onOutput ?? publishOutput),
  };
  /** The programs of this callback that have not ended, by task: one may outlast its run, after a `withTimeout`. */
  const unfinished = new Map<string, Program>();
  const { keepOutput = true } = options;
  const callback: Callback = (context) =>
    runLogged(unfinished, context, keepOutput, {
      ...fixed,
      task: context.name,
      runId: context.runId,
      env: { ...process.env, ...options.env, ...environmentOf(context) },
    });
  if (keepOutput) logFolders.set(callback, fixed.folder);
  return callback;
}

async function runLogged(
  unfinished: Map<string, Program>,
  context: RunContext,
  keepOutput: boolean,
  plan: ProgramPlan,
): Promise<void> {
  if (!keepOutput) return runProgram(unfinished, context, plan);
  const { task, runId, folder, onOutput } = plan;
  const { key, attempt, reason } = context;
  let log: RunLog | undefined;
  /** Made with the first line or the end: before that it is not known whether the folder may be used. */
  const open = (): RunLog => {
    log ??= new RunLog(folder, { task, runId, key, attempt, reason, startedAt });
    return log;
  };
  const startedAt = Date.now();
  try {
    await runProgram(unfinished, context, {
      ...plan,
      onOutput: (output) => {
        open().line(output);
        return onOutput(output);
      },
    });
  } catch (error) {
    if (!(error instanceof CommandStartError || error instanceof CommandLeftoverError))
      open().end(describeError(error).message, askedToEnd(context.signal));
    throw error;
  }
  open().end(undefined);
}

/** Whether a program that failed was asked to end, and by what (H6, I4, A13). */
function askedToEnd({ reason }: AbortSignal): FailedEnd {
  if (isStop(reason)) return 'interrupted';
  if (reason instanceof TaskCancelledError) return 'cancelled';
  return reason instanceof TaskTimeoutError ? 'timed out' : 'failure';
}

async function runProgram(
  unfinished: Map<string, Program>,
  { signal }: RunContext,
  plan: ProgramPlan,
): Promise<void> {
  const { task, title, folder, graceMs } = plan;
  const earlier = unfinished.get(task);
  earlier?.end();
  await earlier?.over;
  try {
    await endLeftovers(folder, task, graceMs);
  } catch (error) {
    if (error instanceof CommandLeftoverError) throw error;
    const reason = `what an earlier run may have left is not known, for "${folder}" cannot be used: ${reasonOf(error)}`;
    throw new CommandStartError(task, title, reason, error);
  }
  signal.throwIfAborted();
  const program = await Program.prepare(plan);
  unfinished.set(task, program);
  const end = (): void => program.end();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    await program.run();
  } finally {
    signal.removeEventListener('abort', end);
    if (unfinished.get(task) === program) unfinished.delete(task);
  }
}

function argvOf(program: unknown, args: unknown, shell: unknown): readonly string[] {
  const words: unknown[] = Array.isArray(args) ? [program, ...args] : [program];
  if (program === '' || !words.every((word) => typeof word === 'string' && !word.includes('\0'))) {
    throw new TypeError('command takes a line of shell, or a program and a list of its arguments');
  }
  if (shell === undefined)
    return args === undefined ? [DEFAULT_SHELL, '-c', String(program)] : words.map(String);
  if (typeof shell !== 'string' || shell === '' || shell.includes('\0')) {
    throw new TypeError('shell must be the path of a shell, such as "/bin/bash"');
  }
  if (args !== undefined)
    throw new TypeError('shell is for a line of shell; a program with a list of arguments has none');
  return [shell, '-c', String(program)];
}

const pathOf = (path: string | URL): string => (path instanceof URL ? fileURLToPath(path) : resolve(path));

/** A program finds in its environment what a callback finds in its context. */
const environmentOf = ({
  name,
  key,
  runId,
  scheduledFor,
  attempt,
  reason,
}: RunContext): NodeJS.ProcessEnv => ({
  OBBLIGATO_TASK: name.replaceAll('\0', ''),
  OBBLIGATO_KEY: key,
  [RUN_ID_VARIABLE]: runId,
  OBBLIGATO_SCHEDULED_FOR: scheduledFor.toISOString(),
  OBBLIGATO_ATTEMPT: String(attempt),
  OBBLIGATO_REASON: reason,
});

/** A listener is a guest: what it throws, at once or later, must not reach the process. */
function calm(onOutput: (output: OutputLine) => unknown): ProgramPlan['onOutput'] {
  return (output) => {
    try {
      const answer = onOutput(output);
      const isPromise = typeof answer === 'object' && answer !== null && 'then' in answer;
      return isPromise ? Promise.resolve(answer).catch(() => {}) : undefined;
    } catch {
      return undefined; // its own affair
    }
  };
}
