/**
 * Steps back of the clock that came while a task was claimed or ran. Such a task has no cursor that a step could move (B5), so the
 * step is applied when the claim or the run is over. A claim that is taken back is as if it had never been; a run has served
 * everything up to its call.
 */
export interface PostponedStep {
  /** Where the clock landed, and what it showed when that was seen. */
  readonly landedAt: number;
  readonly seenAt: number;
  /** What the task was then. */
  readonly during: 'claim' | 'run';
}

const none: readonly PostponedStep[] = [];

export class PostponedSteps {
  readonly #byTask = new Map<number, readonly PostponedStep[]>();

  add(task: number, step: PostponedStep): void {
    this.#byTask.set(task, [...(this.#byTask.get(task) ?? none), step]);
  }

  /** All of them, in their order; they are forgotten. */
  take(task: number): readonly PostponedStep[] {
    const steps = this.#byTask.get(task);
    if (steps === undefined) return none;
    this.#byTask.delete(task);
    return steps;
  }
}
