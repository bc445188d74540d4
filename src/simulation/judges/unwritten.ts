/** What a living process knows and has not written, by task. It must be written before the task's next start, or with it. */
import type { TaskRecord } from '../../core/record.ts';
import type { EndChange, MoveChange, PauseChange } from '../../store/port.ts';
import { type EndFacts, endText } from './ends.ts';
import { moveOf, moveText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Unwritten {
  readonly #blame: Blame;
  readonly #ends = new Map<string, EndFacts>();
  /** The oldest first. */
  readonly #moves = new Map<string, readonly MoveChange[]>();
  readonly #pauses = new Map<string, { readonly pausedAt: number | null; readonly wasPaused: boolean }>();

  constructor(blame: Blame) {
    this.#blame = blame;
  }

  /** What is still to be written of the ends and moves. */
  get ends(): readonly EndFacts[] {
    return [...this.#ends.values()];
  }

  get moves(): readonly MoveChange[] {
    return [...this.#moves.values()].flat();
  }

  /** The record of a task is gone, and with it what was to be written. */
  forget(name: string): void {
    for (const changes of [this.#ends, this.#moves, this.#pauses]) changes.delete(name);
  }

  end(name: string, end: EndFacts): void {
    this.#ends.set(name, end);
  }

  /** The cursor or the deadline of a task has moved to where its record has it. */
  move(record: TaskRecord): void {
    const { name } = record;
    this.#moves.set(name, [...(this.#moves.get(name) ?? []), moveOf(record)]);
  }

  /** A pause that ends before it was written is nothing to write. */
  pause({ name, pausedAt }: TaskRecord): void {
    const wasPaused = this.#pauses.get(name)?.wasPaused ?? pausedAt === null;
    if (pausedAt === null && !wasPaused) this.#pauses.delete(name);
    else this.#pauses.set(name, { pausedAt, wasPaused });
  }

  endWritten(end: EndChange): void {
    const expected = this.#ends.get(end.name);
    this.#ends.delete(end.name);
    const wanted = expected && endText(expected);
    if (wanted !== endText(end)) this.#blame('A6', `written: ${endText(end)}; expected: ${wanted}`);
  }

  /**
   * A move may leave out those before it. It need not be the last: the scheduler judges tasks by a clock step some at a time, so what one
   * step has moved may be written before the task is judged by the next. What came after it is still to be written.
   */
  moveWritten(move: MoveChange): void {
    const text = moveText(move);
    const moves = this.#moves.get(move.name) ?? [];
    const expected = moves.map(moveText);
    const place = expected.lastIndexOf(text);
    if (place < 0) this.#blame('B5', `written: ${text}; expected: ${expected.join(', or ') || 'no move'}`);
    const later = place < 0 ? [] : moves.slice(place + 1);
    if (later.length > 0) this.#moves.set(move.name, later);
    else this.#moves.delete(move.name);
  }

  pauseWritten({ name, pausedAt }: PauseChange): void {
    const expected = this.#pauses.get(name)?.pausedAt;
    if (expected !== pausedAt)
      this.#blame('I3', `written: ${name} paused at ${pausedAt}; expected: ${expected}`);
    this.#pauses.delete(name);
  }

  /** The process may start a task only if the store knows everything of it, or learns it with the start. */
  mayBeStarted(name: string): void {
    if (this.#ends.has(name)) this.#blame('A6', `${name} was claimed, and its end not written`);
    if (this.#moves.has(name))
      this.#blame('B5', `${name} was claimed, and the move of its cursor not written`);
  }
}
