/**
 * What has happened and is not on its way to the store yet. Changes of one task become durable in the order in which they
 * happened: an end no later than the next start of its task, a move no earlier than the end or the unstart before it.
 */
import type { EndChange, Many, MoveChange, UnstartChange } from '../core/changes.ts';
import { Ends, type Naming } from '../core/rows.ts';

export interface Changes {
  readonly ends: Many<EndChange>;
  readonly unstarts: readonly UnstartChange[];
  readonly moves: readonly MoveChange[];
}

export class Outbox {
  readonly #batchSize: number;
  readonly #naming: Naming;
  /** In lists of a batch each; only the last one grows. */
  readonly #ends: Ends[] = [];
  /** By name: what moves twice before it is written is written once. */
  readonly #moves = new Map<string, MoveChange>();
  readonly #unstarts: UnstartChange[] = [];

  constructor(batchSize: number, naming: Naming) {
    this.#batchSize = batchSize;
    this.#naming = naming;
  }

  /** Where the next end goes. */
  get ends(): Ends {
    const last = this.#ends.at(-1);
    if (last !== undefined && last.length < this.#batchSize) return last;
    // One that follows a full one is likely to be full too.
    const next = new Ends(this.#naming, last?.length);
    this.#ends.push(next);
    return next;
  }

  moved(change: MoveChange): void {
    this.#moves.set(change.name, change);
  }

  takenBack(change: UnstartChange): void {
    this.#unstarts.push(change);
  }

  get isEmpty(): boolean {
    return this.#ends.length + this.#moves.size + this.#unstarts.length === 0;
  }

  /** With more ends than go into one batch, the one of a task that is started now might be left behind: starts wait too. */
  get mayStart(): boolean {
    return this.#ends.length <= 1;
  }

  /** What goes into the next batch. */
  take(): Changes {
    const ends = this.#ends.shift() ?? [];
    // A move may speak of a task whose end still waits, so moves go only when no end is left behind.
    const moves = this.#ends.length === 0 ? [...this.#moves.values()] : [];
    if (moves.length > 0) this.#moves.clear();
    return { ends, unstarts: this.#unstarts.splice(0), moves };
  }

  /** All of it, as lists. */
  takeAll(): { ends: EndChange[]; unstarts: UnstartChange[]; moves: MoveChange[] } {
    const ends = this.#ends.splice(0).flatMap((some) => [...some]);
    const { unstarts, moves } = this.take();
    return { ends, unstarts: [...unstarts], moves: [...moves] };
  }
}
