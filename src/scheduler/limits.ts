/**
 * Limits of runs (H6). At its limit the signal of a run is aborted, and the run ends when its callback does. Where the policy says so, it
 * ends some time after the limit, whether the callback has ended or not.
 *
 *     called ──timeout──▶ aborted ──abandonAfter──▶ abandoned
 *        └──────────────────┴── the callback has ended: over
 */
import type { Policy } from '../core/policy.ts';
import { TaskTimeoutError } from '../errors.ts';
import { wait } from '../executor/clock.ts';
import type { Clock } from '../time/clock.ts';

export class Limits {
  readonly #clock: Clock;
  readonly #abort: (task: number, error: TaskTimeoutError) => void;
  /** By running task that has a limit: how to call the waiting for it off. */
  readonly #cancels = new Map<number, () => void>();

  constructor(clock: Clock, abort: (task: number, error: TaskTimeoutError) => void) {
    this.#clock = clock;
    this.#abort = abort;
  }

  set(task: number, name: string, policy: Policy, abandon: (error: TaskTimeoutError) => void): void {
    const { timeoutMs, abandonAfterMs } = policy;
    const reached = (): void => {
      const error = new TaskTimeoutError(name, timeoutMs);
      if (abandonAfterMs === Number.POSITIVE_INFINITY) this.#cancels.delete(task);
      else
        this.#cancels.set(
          task,
          wait(this.#clock, abandonAfterMs, () => abandon(error)),
        );
      this.#abort(task, error);
    };
    this.#cancels.set(task, wait(this.#clock, timeoutMs, reached));
  }

  /** The run is over. */
  clear(task: number): void {
    if (this.#cancels.size === 0) return;
    this.#cancels.get(task)?.();
    this.#cancels.delete(task);
  }
}
