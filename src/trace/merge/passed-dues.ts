/**
 * What is over of the dues of each task, so that the merged trace tells of each skip once, and in its place (H4, K9).
 *
 * - Two instances may find that a due is too old, and both move the cursor past it: that is one skip.
 * - An instance may hear late that the store has granted its skip. Others have read the moved cursor by then, and have started the task or
 *   skipped a later due, and their words came first. So the late word says nothing new. It was decided before those words (`decidedAt`); a skip
 *   that was decided after them is of a due that was over already, which no store grants, and breaks S6.
 */
import type { RecordOf } from '../record.ts';

interface Passed {
  readonly at: number;
  /** Every due up to here is over. */
  readonly through: number;
  readonly since: number | undefined;
}

export class PassedDues {
  /** By task: the last due that was skipped. */
  readonly #skips = new Map<string, Passed>();
  /** By task: the last that is over. */
  readonly #passed = new Map<string, Passed>();

  /** A call serves every due up to its instant (A3). */
  called(task: string, at: number, since: number | undefined): void {
    this.#pass(task, { at, through: at, since });
  }

  /** Answers whether that is news. `since` is when the task began anew, if it has (H10): then nothing is over of what came before. */
  skipped({ task, at, dueAt, decidedAt }: RecordOf<'DueSkipped'>, since: number | undefined): boolean {
    const [last, passed] = [this.#skips, this.#passed].map((each) => each.get(task));
    const isToldAgain = last !== undefined && last.since === since && last.through === dueAt;
    const isOver = passed !== undefined && passed.since === since && dueAt <= passed.through;
    const isLateWord = isOver && decidedAt !== undefined && decidedAt <= passed.at;
    if (isToldAgain || isLateWord) return false;
    this.#skips.set(task, { at, through: dueAt, since });
    this.#pass(task, { at, through: dueAt, since });
    return true;
  }

  forget(task: string): void {
    this.#skips.delete(task);
    this.#passed.delete(task);
  }

  #pass(task: string, passed: Passed): void {
    const before = this.#passed.get(task);
    if (before === undefined || before.since !== passed.since || before.through < passed.through)
      this.#passed.set(task, passed);
  }
}
