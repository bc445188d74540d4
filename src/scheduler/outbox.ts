/**
 * What has happened and is not on its way to the store yet, counted in the versions of the tasks (`Tasks.versionOf`). Changes of one task become durable in the order in which they
 * happened: an end no later than the next start of its task, a move no earlier than the end or the unstart before it.
 */
import type { EndChange, Many, MoveChange, PauseChange, UnstartChange } from '../core/changes.ts';
import type { GivenAnswer } from '../core/control.ts';
import { Ends } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';

export interface Changes {
  readonly ends: Many<EndChange>;
  readonly unstarts: readonly UnstartChange[];
  readonly moves: readonly MoveChange[];
  readonly pauses: readonly PauseChange[];
  readonly answers: readonly GivenAnswer[];
  readonly removes: readonly string[];
}

export class Outbox {
  readonly #batchSize: number;
  readonly #tasks: Tasks;
  /** In lists of a batch each; only the last one grows. */
  readonly #ends: Ends[] = [];
  /** By task: what moves twice before it is written is written once. */
  readonly #moves = new Map<number, MoveChange>();
  readonly #unstarts = new Map<number, UnstartChange>();
  /** By task: the last word counts. And whether the task was paused before the first of these words. */
  readonly #pauses = new Map<number, { readonly change: PauseChange; readonly wasPaused: boolean }>();
  readonly #answers: GivenAnswer[] = [];
  readonly #removes: string[] = [];

  constructor(batchSize: number, tasks: Tasks) {
    this.#batchSize = batchSize;
    this.#tasks = tasks;
  }

  /** Where the next end goes. */
  get ends(): Ends {
    const last: Ends | undefined = this.#ends[this.#ends.length - 1];
    if (last !== undefined && last.length < this.#batchSize) return last;
    // One that follows a full one is likely to be full too.
    const next = new Ends(this.#tasks, last?.length);
    this.#ends.push(next);
    return next;
  }

  moved(task: number, change: MoveChange): void {
    if (!this.#moves.has(task)) this.#tasks.raise(task);
    this.#moves.set(task, change);
  }

  takenBack(task: number, change: UnstartChange): void {
    this.#tasks.raise(task);
    this.#unstarts.set(task, change);
  }

  /** A pause that ends before the store has heard of it is nothing to write: the record would stay as it is, and keep its version. */
  paused(task: number, change: PauseChange): void {
    const isResume = change.pausedAt === null;
    const { wasPaused } = this.#pauses.get(task) ?? { wasPaused: undefined };
    if (isResume && wasPaused === false) {
      this.#pauses.delete(task);
      this.#tasks.raise(task, -1);
      return;
    }
    if (wasPaused === undefined) this.#tasks.raise(task);
    this.#pauses.set(task, { change, wasPaused: wasPaused ?? isResume });
  }

  /** The run of a name that no list has is over, and durable (I5). */
  removed(name: string): void {
    this.#removes.push(name);
  }

  get hasRemoves(): boolean {
    return this.#removes.length > 0;
  }

  /** A name is forgotten: what was left to be written of it goes with it. */
  forget(task: number): void {
    this.#moves.delete(task);
    this.#pauses.delete(task);
  }

  /** What waits of each task: how many changes, each counted in its version; and of which the end of a run, or a start that was taken back. */
  waiting(): { readonly waiting: ReadonlyMap<number, number>; readonly ending: ReadonlySet<number> } {
    const ending = new Set([...this.#ends.flatMap(({ tasks }) => tasks), ...this.#unstarts.keys()]);
    const waiting = new Map<number, number>();
    for (const tasks of [ending, this.#moves.keys(), this.#pauses.keys()])
      for (const task of tasks) waiting.set(task, (waiting.get(task) ?? 0) + 1);
    return { waiting, ending };
  }

  answered(answer: GivenAnswer): void {
    this.#answers.push(answer);
  }

  get isEmpty(): boolean {
    const runs = this.#ends.length + this.#moves.size + this.#unstarts.size;
    return runs + this.#pauses.size + this.#answers.length + this.#removes.length === 0;
  }

  /** With more ends than go into one batch, the one of a task that is started now might be left behind: starts wait too. */
  get mayStart(): boolean {
    return this.#ends.length <= 1;
  }

  /** What goes into the next batch. */
  take(): Changes {
    const ends = this.#ends.shift() ?? [];
    const moves = this.#takeMoves();
    const pauses = Array.from(this.#pauses.values(), ({ change }) => change);
    this.#pauses.clear();
    const unstarts = [...this.#unstarts.values()];
    this.#unstarts.clear();
    return {
      ends,
      unstarts,
      moves,
      pauses,
      answers: this.#answers.splice(0),
      removes: this.#removes.splice(0),
    };
  }

  /**
   * A move waits for the end of its task, and goes with it: when an end is durable, so is all that its run has left.
   *
   * Everything that has happened to a task is counted in its version already, and of all that this batch writes only the claim comes after the
   * move. So the move names the version before these.
   */
  #takeMoves(): MoveChange[] {
    if (this.#moves.size === 0) return [];
    const waiting = new Set(this.#ends.flatMap(({ tasks }) => tasks));
    const taken: MoveChange[] = [];
    for (const [task, move] of this.#moves) {
      if (waiting.has(task)) continue;
      const version = this.#tasks.versionOf(task) - (this.#tasks.isClaimed(task) ? 2 : 1);
      // If it is not known, the move was decided by a record that the store has brought.
      taken.push(Number.isNaN(version) ? move : { ...move, version });
      this.#moves.delete(task);
    }
    return taken;
  }
}
