import { errorClass, ObbligatoError } from '../errors.ts';

/** Something was added to an executor that has come to its end. */
export class ExecutorEndedError extends errorClass(
  'ExecutorEndedError',
  ObbligatoError,
  (taskName: string, outcome: 'finished' | 'stopped') => ({
    message:
      outcome === 'stopped'
        ? `Cannot add "${taskName}": the executor was stopped. Create another one`
        : `Cannot add "${taskName}": everything that was added has finished, and so has the executor. Add a task before the last one finishes, keep a manual() one open to the end, or create another executor`,
    details: { taskName, outcome },
  }),
) {}

/** A run in a thread failed for a reason other than an error of the module's own: the thread died, or was never there. */
export class ThreadError extends errorClass(
  'ThreadError',
  ObbligatoError,
  (module: string, taskName: string | undefined, reason: string, cause?: unknown) => ({
    message: `${taskName === undefined ? '' : `Task "${taskName}": `}${reason}`,
    details: { module, taskName },
    cause,
  }),
) {}
