/** What can go wrong between a task and the program that it runs. */
import { errorClass, ObbligatoError } from '../errors.ts';

/** The name of a signal, such as `SIGTERM`. */
export type SignalName = `SIG${string}`;

/** The program ended, and not well. */
export class CommandFailedError extends errorClass(
  'CommandFailedError',
  ObbligatoError,
  (
    taskName: string,
    program: string,
    exitCode: number | null,
    signal: SignalName | null,
    cause?: unknown,
  ) => ({
    message: `Program "${program}" of task "${taskName}" ${endOf(exitCode, signal)}`,
    details: { taskName, program, exitCode, signal },
    cause,
  }),
) {}

function endOf(exitCode: number | null, signal: SignalName | null): string {
  if (signal !== null) return `was ended by ${signal}`;
  // What shells, and so the gate before each program, have always answered with.
  const meaning = exitCode === 127 ? ' (not found)' : exitCode === 126 ? ' (not executable)' : '';
  return `exited with code ${exitCode}${meaning}`;
}

/** The program could not be started at all. */
export class CommandStartError extends errorClass(
  'CommandStartError',
  ObbligatoError,
  (taskName: string, program: string, reason: string, cause?: unknown) => ({
    message: `Program "${program}" of task "${taskName}" was not started: ${reason}`,
    details: { taskName, program, reason },
    cause,
  }),
) {}

/** A program that outlived its scheduler cannot be ended, and so no second one is started (F2). */
export class CommandLeftoverError extends errorClass(
  'CommandLeftoverError',
  ObbligatoError,
  (taskName: string, pid: number, reason: string, cause?: unknown) => ({
    message: `A program of an earlier run of task "${taskName}" (process ${pid}) is still there: ${reason}`,
    details: { taskName, pid, reason },
    cause,
  }),
) {}
