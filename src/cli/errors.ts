/** What a command has to say when it cannot do its work, and the exit codes; docs/cli.md has the same list of codes. */
import type { TaskTryDeserializeError } from '../errors.ts';
import { printable } from './terminal/text.ts';

/** Done; of `run`: stopped, with everything durable. */
export const OK = 0;
/** The store, or something else in the world, did not let it be done. */
export const FAILED = 1;
/** The command line or the configuration is wrong: nothing was touched. */
export const MISUSED = 2;
/** Of `check`: a scheduler is at fault, or something happened outside the model. */
export const AT_FAULT = 1;
/** Of `check`: no scheduler is at fault, but an environment. */
export const ENVIRONMENT = 3;
/** Of `plan`: the next start would change the store's list of tasks. */
export const CHANGES = 3;
/** Of "trigger", "pause", "resume" and "cancel": asked for, and not answered yet. */
export const UNANSWERED = 3;
/** Left at once at a second Ctrl-C: 128 and the number of SIGINT, as shells count. */
export const FORCED = 130;

const EXIT_CODES = {
  /** The words on the command line make no sense. It is shown with the way to the help. */
  usage: MISUSED,
  /** The configuration cannot be loaded, or has the wrong shape. */
  'bad configuration': MISUSED,
  /** There is no configuration: the path is wrong, or the file is still to be written. */
  'no configuration': MISUSED,
  /** What should be judged is no trace. */
  'no trace': MISUSED,
  /** Something in the world is in the way: a disk, or a scheduler that runs. */
  failure: FAILED,
} as const;

/** An error whose message says all that the user needs: it is shown without a stack, and the process leaves with its exit code. */
export class CliError extends Error {
  readonly kind: keyof typeof EXIT_CODES;

  constructor(kind: CliError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CliError';
    this.kind = kind;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** Whether something thrown is an error of the command line of this kind. */
export const isCliError = (error: unknown, kind: CliError['kind']): error is CliError =>
  error instanceof CliError && error.kind === kind;

/** The error of a damaged record (E7), as somebody at a terminal needs it: whose record it is, and the way out. */
export function damageText({ taskName, message }: TaskTryDeserializeError): string {
  const whose = taskName === '' ? 'A record of the store' : `The store's record of "${printable(taskName)}"`;
  return `${whose} is damaged: ${printable(message)}\nNothing was changed. "obbligato repair" looks at all of them, and repairs them after a backup; give it the store if it is not the configuration's.`;
}
