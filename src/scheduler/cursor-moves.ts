/**
 * Whatever moves the cursor of a task other than its call: a clock that was set back (B5), a due that is skipped (H4, H9), and an operator
 * who lets it go on without catching up (I3).
 *
 *     idle ────────────────▶ moved at once
 *     busy, under an earlier list (I5) ──▶ moved in memory ──the run is over──▶ moved
 *     claimed or running ──▶ postponed ──the claim is taken back──▶ moved as if there had been no claim
 *                               └──the run is over──▶ moved after what the run has served
 *
 * A task that is claimed or runs has no cursor that could be moved, so this is done when that is over. Of a task that runs under an earlier list,
 * the memory of this one has the cursor that it will have then. A claim that is taken back is as if it
 * had never been; a run has served everything up to its call, and with that what was postponed during its claim.
 */

import type { MoveChange } from '../core/changes.ts';
import { cursorAfterStep } from '../core/clock-step.ts';
import type { Tasks } from '../core/tasks.ts';
import { type ExecutorState, RUNNING } from '../executor/state.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Outbox } from './outbox.ts';

type PostponedMove =
  | {
      readonly kind: 'step';
      /** Where the clock landed, and what it showed when that was seen. */
      readonly landedAt: number;
      readonly seenAt: number;
      /** What the task was then. */
      readonly during: 'claim' | 'run';
    }
  /** What is due up to an instant is not owed. */
  | { readonly kind: 'pass'; readonly at: number; readonly during: 'claim' | 'run' };

interface Skip {
  readonly dueAt: number;
  readonly why: 'late' | 'running';
  readonly decidedAt: number;
}

const none: readonly PostponedMove[] = [];

export class CursorMoves {
  readonly #options: EngineOptions;
  readonly #tasks: Tasks;
  readonly #outbox: Outbox;
  readonly #isFenced: () => boolean;
  readonly #executor: ExecutorState;
  readonly #postponed = new Map<number, readonly PostponedMove[]>();
  /** By task: the due that it skips, if the store was asked to move the cursor past it. */
  readonly #skips = new Map<number, Skip>();

  constructor(options: EngineOptions, outbox: Outbox, isFenced: () => boolean) {
    this.#options = options;
    this.#tasks = options.tasks;
    this.#outbox = outbox;
    this.#isFenced = isFenced;
    this.#executor = options.executor;
  }

  /** Whether the callback of a task was called here, and has not ended. */
  isCalled(task: number): boolean {
    return this.#executor.phase[task] === RUNNING && !this.#tasks.isClaimed(task);
  }

  /** Whether a run of it goes on, here or under an earlier list (I5). */
  isRunning(task: number): boolean {
    return this.isCalled(task) || this.#tasks.isBusy(task);
  }

  /** Whether it is claimed, or a run of it goes on. */
  isOut(task: number): boolean {
    return this.#executor.phase[task] === RUNNING || this.#tasks.isBusy(task);
  }

  /** What a clock that was set back moves of an idle task. */
  afterStep(task: number, landedAt: number, seenAt: number): void {
    this.#moved(this.#tasks.afterStep(task, landedAt, seenAt));
  }

  /** The same of a task that is claimed or runs. */
  postponeStep(task: number, landedAt: number, seenAt: number): void {
    const during = this.#tasks.isClaimed(task) ? 'claim' : 'run';
    this.#postpone(task, { kind: 'step', landedAt, seenAt, during });
  }

  /** What is due up to an instant is not owed. */
  pass(task: number, at: number): void {
    const during = this.isRunning(task) ? 'run' : 'claim';
    if (during === 'run' || this.#tasks.isClaimed(task)) this.#postpone(task, { kind: 'pass', at, during });
    else this.#passNow(task, at);
  }

  /**
   * A due of an idle task is not served: it is too old for its list, or came while the task ran. Another instance of a shared store may have
   * served it, or brought another list: then the store refuses the move. So it is asked first there.
   */
  skip(task: number, at: number, dueAt: number, why: 'late' | 'running'): void {
    if (this.#options.session.sharing === undefined) this.#reportSkipped(task, at, dueAt, why);
    else this.#skips.set(task, { dueAt, why, decidedAt: at });
    const move = this.#tasks.moveCursor(task, dueAt);
    this.#moved(why === 'late' ? { ...move, isByList: true } : move);
  }

  /** The store has decided between the instances: what was not served is skipped. What it was not asked yet waits. */
  decided(moves: Iterable<MoveChange>, refused: ReadonlySet<string>, now: number): void {
    for (const { name, servedThrough } of moves) {
      const task = this.#tasks.find(name);
      const skip = this.#skips.get(task);
      // Another move of the task may have gone first: an operator lets it go on (I3).
      if (skip?.dueAt !== servedThrough) continue;
      this.#skips.delete(task);
      const { dueAt, why, decidedAt } = skip;
      if (!refused.has(name) && this.#options.agenda.lastDue(task, now) === dueAt)
        this.#reportSkipped(task, now, dueAt, why, decidedAt);
    }
  }

  /** A due that came while the task runs is not served. */
  skipWhenOver(task: number, at: number, dueAt: number): void {
    this.#reportSkipped(task, at, dueAt, 'running');
    this.#postpone(task, { kind: 'pass', at: dueAt, during: 'run' });
  }

  /** `decidedAt` is given if the store was asked first. */
  #reportSkipped(task: number, at: number, dueAt: number, why: 'late' | 'running', decidedAt?: number): void {
    // Of what an instance runs that was declared dead, no cursor moves (K4).
    if (this.#isFenced()) return;
    const { emit, trace } = this.#options;
    const name = this.#tasks.nameOf(task);
    emit('TaskDueSkipped', at, { task: name, dueAt, why });
    trace?.({
      event: 'DueSkipped',
      at,
      task: name,
      dueAt,
      why,
      ...(decidedAt !== undefined && { decidedAt }),
    });
  }

  /** A claim was taken back, or a run is over: what was postponed until then is moved. */
  over(task: number, until: 'claim' | 'run'): void {
    const moves = this.#postponed.get(task);
    if (moves === undefined) return;
    this.#postponed.delete(task);
    for (const move of moves) {
      // What came during a claim, its call has served.
      if (move.during !== until) continue;
      if (move.kind === 'pass') this.#passNow(task, move.at);
      // A deadline that begins with the end of a run has nothing to do with earlier steps.
      else if (until === 'run') this.#moved(this.#tasks.afterStepDuringRun(task, move.landedAt));
      else this.afterStep(task, move.landedAt, move.seenAt);
    }
  }

  /** Where the cursor of a running task will be when it has ended. */
  servedWhenOver(task: number): number {
    return (this.#postponed.get(task) ?? none)
      .filter(({ during }) => during === 'run')
      .reduce((cursor, move) => this.#after(task, cursor, move), this.#tasks.cursorOf(task));
  }

  /** A run that another list has outlived has ended; the cursor of its task was to be here then. */
  released(task: number, servedThrough: number): void {
    if (this.#tasks.cursorOf(task) !== servedThrough)
      this.#moved(this.#tasks.moveCursor(task, servedThrough));
  }

  #after(task: number, cursor: number, move: PostponedMove): number {
    if (move.kind === 'pass') return Math.max(cursor, move.at);
    return cursorAfterStep(cursor, move.landedAt, this.#tasks.registrationOf(task).cron);
  }

  #postpone(task: number, move: PostponedMove): void {
    if (this.#tasks.isBusy(task)) {
      this.#tasks.serve(task, this.#after(task, this.#tasks.cursorOf(task), move));
      return;
    }
    const moves = this.#postponed.get(task) ?? none;
    const last = moves.at(-1);
    // A run that skips a due per minute has one entry, not one per due.
    const isFurther = move.kind === 'pass' && last?.kind === 'pass' && last.during === move.during;
    this.#postponed.set(
      task,
      isFurther && last.at <= move.at ? [...moves.slice(0, -1), move] : [...moves, move],
    );
  }

  #passNow(task: number, upTo: number): void {
    if (this.#tasks.cursorOf(task) < upTo) this.#moved(this.#tasks.moveCursor(task, upTo));
  }

  #moved(move: MoveChange | undefined): void {
    if (move !== undefined) this.#outbox.moved(move);
  }
}
