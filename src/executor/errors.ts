import { ObbligatoError } from '../errors.ts';

/** Something was added to an executor that has come to its end. */
export class ExecutorEndedError extends ObbligatoError<{
  taskName: string;
  outcome: 'finished' | 'stopped';
}> {
  declare readonly taskName: string;
  declare readonly outcome: 'finished' | 'stopped';

  constructor(taskName: string, outcome: 'finished' | 'stopped') {
    super(
      'ExecutorEndedError',
      outcome === 'stopped'
        ? `Cannot add "${taskName}": the executor was stopped. Create another one`
        : `Cannot add "${taskName}": everything that was added has finished, and so has the executor. Add a task before the last one finishes, keep a manual() one open to the end, or create another executor`,
      { taskName, outcome },
    );
  }
}

/** A run in a thread failed for a reason other than an error of the module's own: the thread died, or was never there. */
export class ThreadError extends ObbligatoError<{ module: string; taskName: string | undefined }> {
  declare readonly module: string;
  declare readonly taskName: string | undefined;

  constructor(module: string, taskName: string | undefined, reason: string, cause?: unknown) {
    super(
      'ThreadError',
      `${taskName === undefined ? '' : `Task "${taskName}": `}${reason}`,
      { module, taskName },
      cause,
    );
  }
}
