/**
 * How the clock was set back while a task was claimed or ran. A task that is on its way has no cursor that a step could move (B5); the
 * step is applied when that is over: a claim that is taken back is as if it had never been, and a run has been served up to its call.
 */
export interface StepMeanwhile {
  /** Where the clock landed, and what it showed when that was seen. */
  readonly landedAt: number;
  readonly seenAt: number;
  /** What the task was then. */
  readonly during: 'claim' | 'run';
}

const none: readonly StepMeanwhile[] = [];

export class StepsMeanwhile {
  readonly #byTask = new Map<number, readonly StepMeanwhile[]>();

  add(task: number, step: StepMeanwhile): void {
    this.#byTask.set(task, [...(this.#byTask.get(task) ?? none), step]);
  }

  /** All of them, in their order; they are forgotten. */
  take(task: number): readonly StepMeanwhile[] {
    const steps = this.#byTask.get(task);
    if (steps === undefined) return none;
    this.#byTask.delete(task);
    return steps;
  }
}
