/**
 * Moves the cursor of a task where no call and no end does it: a clock was set back (B5), or an operator lets the task go on without catching
 * up (I3). A clock step may move the deadline of a retry, too.
 *
 *     idle ──────▶ moved, and written
 *     claimed ───▶ moved in memory ──the call──▶ the call serves everything: the move is over
 *                       └──the claim is taken back──▶ written, after the unstart
 *     running ───▶ moved in memory ──the end──▶ written with the end
 *
 * Why the store needs no word of a move before the claim or the run is over: if the process dies, the run is orphaned, and its next start serves
 * everything.
 */

import type { MoveChange } from '../core/changes.ts';
import { cursorAfterStep } from '../core/clock-step.ts';
import type { TaskRecord } from '../core/record.ts';
import type { Tasks } from '../core/tasks.ts';
import { type ExecutorState, RUNNING } from '../executor/state.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Outbox } from './outbox.ts';

export class CursorMoves {
  readonly #tasks: Tasks;
  readonly #outbox: Outbox;
  readonly #executor: ExecutorState;
  /** By task: the claim since which it was moved. */
  readonly #movedClaims = new Map<number, string | undefined>();
  /** By name: through which instant an operator owes nothing, until the store has decided. */
  readonly #passes = new Map<string, number>();

  constructor({ tasks, executor }: EngineOptions, outbox: Outbox) {
    this.#tasks = tasks;
    this.#outbox = outbox;
    this.#executor = executor;
  }

  /** Whether the callback of a task was called, and has not ended. */
  isRunning(task: number): boolean {
    return this.isOut(task) && !this.#tasks.isClaimed(task);
  }

  /** Whether it is claimed, or runs. */
  isOut(task: number): boolean {
    return this.#executor.phase[task] === RUNNING;
  }

  /** The clock was set back (B5). A running task waits for no retry: the deadline that its end sets has nothing to do with earlier steps. */
  afterStep(task: number, seenAt: number, retryDelayMs?: number): void {
    if (!this.isRunning(task)) this.idleAfterStep(task, seenAt, retryDelayMs);
    else {
      if (!this.#tasks.isListed(task)) return;
      const { cron } = this.#tasks.registrationOf(task);
      this.#tasks.serve(task, cursorAfterStep(this.#tasks.cursorOf(task), seenAt, cron));
    }
  }

  /** The same for a task that does not run, though it may have been taken from the queue just now. */
  idleAfterStep(task: number, seenAt: number, retryDelayMs?: number): void {
    if (this.#tasks.isListed(task)) this.#moved(task, this.#tasks.afterStep(task, seenAt, retryDelayMs));
  }

  /** What is due up to an instant is not owed. */
  pass(task: number, upTo: number): void {
    if (this.#tasks.cursorOf(task) >= upTo) return;
    if (this.isRunning(task)) this.#tasks.serve(task, upTo);
    else {
      this.#moved(task, this.#tasks.moveCursor(task, upTo));
      this.#passes.set(this.#tasks.nameOf(task), upTo);
    }
  }

  /** The store has decided. */
  decided(moves: Iterable<MoveChange>, refused: ReadonlySet<string>): void {
    if (this.#passes.size === 0) return;
    for (const { name } of moves) if (!refused.has(name)) this.#passes.delete(name);
  }

  /**
   * A move was refused, and this is the record: another instance has written it. What an operator lets pass is not owed under any list (I3), so that
   * is decided again by this record. Every other move is decided again when the task is looked at.
   */
  refused(task: number, { name, version, servedThrough, pendingRetryUntil, run }: TaskRecord): void {
    const upTo = this.#passes.get(name);
    this.#passes.delete(name);
    if (upTo === undefined || servedThrough >= upTo || run?.cutOffAt === null) return;
    this.#tasks.moveCursor(task, upTo);
    this.#outbox.moved(task, { name, version, servedThrough: upTo, pendingRetryUntil });
    this.#passes.set(name, upTo);
  }

  /** The claim of a task is taken back. If an earlier one was called, that has served whatever moved before. */
  unclaimed(task: number, runId: string): void {
    const isMoved = this.#movedClaims.get(task) === runId;
    this.#movedClaims.delete(task);
    if (isMoved) this.write(task);
  }

  /** The cursor of an idle task is another one than the store has. */
  write(task: number): void {
    this.#outbox.moved(task, this.#tasks.moveCursor(task, this.#tasks.cursorOf(task)));
  }

  #moved(task: number, move: MoveChange | undefined): void {
    if (move === undefined) return;
    if (this.#tasks.isClaimed(task)) this.#movedClaims.set(task, this.#tasks.runOf(task)?.runId);
    else this.#outbox.moved(task, move);
  }
}
