/**
 * Tells of dues that are not served: one is too old for its task (H4), or came while the task ran and is not to be remembered (H9). Nothing is
 * decided here, and nothing written: whether a due is too old is asked whenever the task is looked at (`Tasks.reasonToRun`), and what came during a run is
 * served by its end (`Tasks.servedByEnd`).
 *
 * A due that is too old stays in the record, so each look at the task finds it again. It is told once in a life of the scheduler.
 */
import type { Agenda } from '../core/agenda.ts';
import type { Tasks } from '../core/tasks.ts';
import type { EngineOptions } from './engine-options.ts';

export class Skips {
  readonly #options: EngineOptions;
  readonly #tasks: Tasks;
  readonly #agenda: Agenda;
  readonly #isFenced: () => boolean;
  /** By name: the last due that was told as too old. */
  #told = new Map<string, number>();

  constructor(options: EngineOptions, isFenced: () => boolean) {
    this.#options = options;
    this.#tasks = options.tasks;
    this.#agenda = options.agenda;
    this.#isFenced = isFenced;
  }

  /** What an earlier list of this life has told is not told again. */
  inherit(before: Skips): void {
    this.#told = before.#told;
  }

  /** Whether an idle task has a due that is too old, and that was not told. */
  isUntold(task: number, now: number, lastDue: number): boolean {
    return this.#tasks.isTooOld(task, now, lastDue) && this.#told.get(this.#tasks.nameOf(task)) !== lastDue;
  }

  /** The last due of an idle task is looked at. */
  look(task: number, now: number, lastDue: number): void {
    if (!this.isUntold(task, now, lastDue)) return;
    this.#told.set(this.#tasks.nameOf(task), lastDue);
    this.#tell(task, now, lastDue, 'late');
  }

  /** The run of a task ends. */
  ends(task: number, endedAt: number, now: number): void {
    if (this.#tasks.servedByEnd(task, endedAt) === this.#tasks.cursorOf(task)) return;
    const lastDue = this.#agenda.lastDue(task, endedAt);
    if (lastDue > this.#tasks.cursorOf(task)) this.#tell(task, now, lastDue, 'running');
  }

  #tell(task: number, at: number, dueAt: number, why: 'late' | 'running'): void {
    // An instance that was declared dead decides nothing any more (K4).
    if (this.#isFenced()) return;
    const { emit, trace } = this.#options;
    const name = this.#tasks.nameOf(task);
    emit('TaskDueSkipped', at, { task: name, dueAt, why });
    trace?.({ event: 'DueSkipped', at, task: name, dueAt, why });
  }
}
