/**
 * What has happened and is not on its way to the store yet. Changes of one task become durable in the order in which they
 * happened: an end no later than the next start of its task, a move no earlier than the end or the unstart before it.
 */
import type { EndChange, MoveChange, UnstartChange } from '../core/changes.ts';

export interface Changes {
  readonly ends: readonly EndChange[];
  readonly unstarts: readonly UnstartChange[];
  readonly moves: readonly MoveChange[];
}

export class Outbox {
  readonly #batchSize: number;
  readonly #ends: EndChange[] = [];
  /** By name: what moves twice before it is written is written once. */
  readonly #moves = new Map<string, MoveChange>();
  readonly #unstarts: UnstartChange[] = [];

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  ended(change: EndChange): void {
    this.#ends.push(change);
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
    return this.#ends.length <= this.#batchSize;
  }

  /** What goes into the next batch. */
  take(): Changes {
    const ends = this.#ends.splice(0, this.#batchSize);
    // A move may speak of a task whose end still waits, so moves go only when no end is left behind.
    const moves = this.#ends.length === 0 ? [...this.#moves.values()] : [];
    if (moves.length > 0) this.#moves.clear();
    return { ends, unstarts: this.#unstarts.splice(0), moves };
  }

  /** Of which tasks there is something. */
  *names(): Generator<string> {
    for (const changes of [this.#ends, this.#moves.values(), this.#unstarts])
      for (const { name } of changes) yield name;
  }
}
