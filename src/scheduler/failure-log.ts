/**
 * Failures are heard (H8). With a logger each failure is a line. Without one the standard error output gets few of them: a task that
 * fails every minute says so when it begins to fail, when the count of failures in a row has doubled, when its work is given up, and
 * when it has recovered.
 */
import { visible } from '../errors.ts';
import { describeError } from '../text/describe-error.ts';
import type { Lateness } from './events.ts';
import type { Logger, TaskFailure } from './logger.ts';

/** Without a logger, a start is mentioned if it is later than this. */
const VERY_LATE_MS = 60_000;

export class FailureLog {
  readonly #logger: Logger;
  readonly #isSparing: boolean;

  constructor(logger: Logger, isSparing: boolean) {
    this.#logger = logger;
    this.#isSparing = isSparing;
  }

  failed(failure: TaskFailure): void {
    const { task, attempt, outcome, error, failures, nextTryAt } = failure;
    const isDoubled = (failures & (failures - 1)) === 0;
    const isSaid = !this.#isSparing || isDoubled || outcome === 'gave up';
    if (this.#logger.failure !== undefined) {
      this.#logger.failure(failure);
      return;
    }
    if (!isSaid) return;
    const count = failures > 1 ? `, ${failures} failures in a row` : '';
    const next =
      nextTryAt === null
        ? 'not tried again before it is due'
        : `next try at ${new Date(nextTryAt).toISOString()}`;
    this.#logger.error(
      `task "${visible(task, 100)}" ${WORDS[outcome]} (attempt ${attempt}${count}; ${next}): ${describeError(error).text}`,
    );
  }

  /** An operator wanted that: it is no failure (I4). */
  cancelled(task: string, attempt: number): void {
    if (!this.#isSparing)
      this.#logger.info(`task "${visible(task, 100)}" was cancelled (attempt ${attempt})`);
  }

  /** A stop has ended a run: that is no failure, and whoever stopped the scheduler need not be told on the standard error output (A13). */
  interrupted(task: string, attempt: number): void {
    if (this.#isSparing) return;
    this.#logger.info(
      `task "${visible(task, 100)}" was interrupted by the stop (attempt ${attempt}): it starts again with the next scheduler`,
    );
  }

  /** A run succeeded after so many failures in a row. */
  recovered(task: string, failures: number): void {
    const line = `task "${visible(task, 100)}" works again, after ${failures} failure${failures === 1 ? '' : 's'} in a row`;
    if (this.#isSparing) this.#logger.error(line);
    else this.#logger.info(line);
  }

  late(task: string, { lateMs, storeMs, queuedMs }: Lateness): void {
    if (lateMs <= VERY_LATE_MS) return;
    this.#logger.error(
      `task "${visible(task, 100)}" was called ${lateMs} ms late (${queuedMs} ms in the queue, ${storeMs} ms for the store)`,
    );
  }
}

const WORDS: Readonly<Record<TaskFailure['outcome'], string>> = {
  failure: 'failed',
  'timed out': 'took too long',
  'gave up': 'failed and was given up',
};
