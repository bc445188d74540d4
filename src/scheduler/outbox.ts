/**
 * What has happened and is not on its way to the store yet. Changes of one task become durable in the order in which they
 * happened: an end no later than the next start of its task, a move no earlier than the end or the unstart before it.
 */
import type {
  ConfigureChange,
  EndChange,
  Many,
  MoveChange,
  PauseChange,
  UnstartChange,
} from '../core/changes.ts';
import type { GivenAnswer } from '../core/control.ts';
import type { Undo } from '../core/plan.ts';
import type { TaskRecord } from '../core/record.ts';
import { Ends, type Naming } from '../core/rows.ts';

export interface Changes {
  readonly ends: Many<EndChange>;
  readonly unstarts: readonly UnstartChange[];
  readonly moves: readonly MoveChange[];
  readonly pauses: readonly PauseChange[];
  readonly answers: readonly GivenAnswer[];
  readonly removes: readonly string[];
  readonly puts: readonly TaskRecord[];
  readonly configures: readonly ConfigureChange[];
}

export class Outbox {
  readonly #batchSize: number;
  readonly #naming: Naming;
  readonly #isShared: boolean;
  /** In lists of a batch each; only the last one grows. */
  readonly #ends: Ends[] = [];
  /** By name: what moves twice before it is written is written once. */
  readonly #moves = new Map<string, MoveChange>();
  /**
   * The same of what a list has decided, on top of those, if several instances share the store: it may refuse this, and must not refuse them
   * with it (K5).
   */
  readonly #movesByList = new Map<string, MoveChange>();
  readonly #unstarts: UnstartChange[] = [];
  /** By name: the last word counts. */
  readonly #pauses = new Map<string, PauseChange>();
  readonly #answers: GivenAnswer[] = [];
  readonly #removes: string[] = [];
  readonly #puts: TaskRecord[] = [];
  readonly #configures: ConfigureChange[] = [];

  constructor(batchSize: number, naming: Naming, isShared: boolean) {
    this.#batchSize = batchSize;
    this.#naming = naming;
    this.#isShared = isShared;
  }

  /** Where the next end goes. */
  get ends(): Ends {
    const last: Ends | undefined = this.#ends[this.#ends.length - 1];
    if (last !== undefined && last.length < this.#batchSize) return last;
    // One that follows a full one is likely to be full too.
    const next = new Ends(this.#naming, last?.length);
    this.#ends.push(next);
    return next;
  }

  moved(change: MoveChange): void {
    if (change.isByList && this.#isShared) this.#movesByList.set(change.name, change);
    else {
      this.#moves.set(change.name, change);
      this.#movesByList.delete(change.name);
    }
  }

  takenBack(change: UnstartChange): void {
    this.#unstarts.push(change);
  }

  paused(change: PauseChange): void {
    this.#pauses.set(change.name, change);
  }

  /** A task that is not in the list any more, and has ended. */
  removed(name: string): void {
    this.#removes.push(name);
  }

  /** The plan of a list that is not in force may be stored. */
  undo({ removes, puts, configures }: Undo): void {
    for (const name of removes) this.#removes.push(name);
    for (const record of puts) this.#puts.push(record);
    for (const change of configures) this.#configures.push(change);
  }

  answered(answer: GivenAnswer): void {
    this.#answers.push(answer);
  }

  get isEmpty(): boolean {
    const runs = this.#ends.length + this.#moves.size + this.#movesByList.size + this.#unstarts.length;
    const records = this.#removes.length + this.#puts.length + this.#configures.length;
    return runs + this.#pauses.size + this.#answers.length + records === 0;
  }

  /** With more ends than go into one batch, the one of a task that is started now might be left behind: starts wait too. */
  get mayStart(): boolean {
    return this.#ends.length <= 1;
  }

  /** What goes into the next batch. */
  take(): Changes {
    const ends = this.#ends.shift() ?? [];
    const moves = this.#takeMoves();
    const pauses = [...this.#pauses.values()];
    this.#pauses.clear();
    const removes = this.#removes.splice(0);
    return {
      ends,
      unstarts: this.#unstarts.splice(0),
      moves,
      pauses,
      answers: this.#answers.splice(0),
      removes,
      puts: this.#puts.splice(0),
      configures: this.#configures.splice(0),
    };
  }

  /**
   * One per task: what a list has decided on top of another move comes with the next batch. A move waits for the end of its task, and goes with it:
   * when an end is durable, so is all that its run has left.
   */
  #takeMoves(): MoveChange[] {
    if (this.#moves.size + this.#movesByList.size === 0) return [];
    const waiting = new Set(
      this.#ends.flatMap(({ tasks }) => tasks.map((task) => this.#naming.nameOf(task))),
    );
    const taken = new Map<string, MoveChange>();
    for (const moves of [this.#moves, this.#movesByList])
      for (const [name, move] of moves) {
        if (waiting.has(name) || taken.has(name)) continue;
        taken.set(name, move);
        moves.delete(name);
      }
    return [...taken.values()];
  }
}
