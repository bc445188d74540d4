/**
 * What must be remembered of each task's past, so that it can be read again when its schedule changes (T5) or the clock is set back
 * (B5): when its slice was last *cleared* (a start, a first coming), for as many kinds of clearing as the compiled formulas have.
 */

import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import type { Automaton } from '../logic/automaton.ts';
import { type CompiledTheory, clearBit, retryHeld } from '../logic/compiled.ts';
import type { Rebuild } from '../logic/program.ts';
import type { ScheduleGroup } from './schedule-groups.ts';

/** How a task is read by a clock that was set back (B5); the first of the cursors is the one that the trace tells of. */
export interface ClockReading {
  readonly cursors: readonly number[];
  readonly now: number;
  readonly isRetryAhead: boolean;
  readonly doubt: 'taken' | 'cut off' | 'none';
}

export class Pasts {
  readonly #theory: CompiledTheory;
  readonly #automaton: Automaton;
  /** For each kind of clearing and each task: when it last happened. */
  readonly #clearedAt: Float64Array[];
  /** … and whether something else held then. */
  readonly #wasWhen: Uint8Array[];
  #startedAt = Number.NaN;
  /** The past that was read again last, and what came of it. */
  #lastRead:
    | {
        readonly matcher: MinuteMatcher | undefined;
        readonly past: readonly number[];
        readonly state: number;
      }
    | undefined;

  constructor(theory: CompiledTheory) {
    this.#theory = theory;
    this.#automaton = theory.automaton;
    this.#clearedAt = theory.clears.map(() => new Float64Array(64).fill(Number.NEGATIVE_INFINITY));
    this.#wasWhen = theory.whens.map(() => new Uint8Array(64));
  }

  /** Time begins here: dues before this instant are nobody's. A clock that is set back may begin it earlier. */
  begin(at: number): void {
    this.#startedAt = Number.isNaN(this.#startedAt) ? at : Math.min(at, this.#startedAt);
  }

  add(task: number): void {
    for (const columns of [this.#clearedAt, this.#wasWhen] as const) {
      columns.forEach((column, i) => {
        if (task < column.length) return;
        const larger =
          column instanceof Float64Array
            ? new Float64Array(column.length * 2).fill(Number.NEGATIVE_INFINITY)
            : new Uint8Array(column.length * 2);
        larger.set(column);
        columns[i] = larger as Float64Array<ArrayBuffer> & Uint8Array<ArrayBuffer>;
      });
    }
  }

  /** A task goes along an edge. Returns what the probes say. */
  note(task: number, edge: number, now: number): number {
    const seen = this.#automaton.probes[edge];
    if (seen < clearBit) return seen;
    const { clears, whens } = this.#theory;
    for (let i = 0; i < clears.length; i++) if (seen & (clearBit << i)) this.#clearedAt[i][task] = now;
    for (let i = 0; i < whens.length; i++)
      if (seen & (clearBit << whens[i].clear))
        this.#wasWhen[i][task] = seen & (clearBit << (clears.length + i)) ? 1 : 0;
    return seen;
  }

  /**
   * The past of a task as it looks with another schedule. Where it is not certain what has happened (T10, T11), it is not
   * certain what is owed under the new schedule either: any answer is possible.
   */
  reread(task: number, state: number, matcher: MinuteMatcher | undefined, now: number): number {
    // Many come at once, mostly with one past.
    const past = [state, now, this.#startedAt];
    for (const column of this.#clearedAt) past.push(column[task]);
    for (const column of this.#wasWhen) past.push(column[task]);
    const last = this.#lastRead;
    if (last !== undefined && last.matcher === matcher && past.every((value, i) => value === last.past[i]))
      return last.state;
    this.#lastRead = { matcher, past, state: this.#readAgain(task, state, matcher, now) };
    return this.#lastRead.state;
  }

  #readAgain(task: number, state: number, matcher: MinuteMatcher | undefined, now: number): number {
    const read = this.#automaton.rebuilt(state, (rebuild) => this.#reading(task, rebuild, matcher, now));
    if (this.#automaton.isCertain(state)) return read;
    const all = this.#automaton.rebuilt(state, () => true);
    const none = this.#automaton.rebuilt(state, () => false);
    return this.#automaton.union(read, this.#automaton.union(all, none));
  }

  #reading(task: number, rebuild: Rebuild, matcher: MinuteMatcher | undefined, now: number): boolean {
    if (matcher === undefined) return false;
    if (rebuild.kind === 'mountain') {
      const minute = matcher.minuteStart(now);
      return minute >= this.#startedAt && matcher.isDue(minute);
    }
    const { clears, whens } = this.#theory;
    const clear = clears.indexOf(rebuild.clear);
    const clearedAt = this.#clearedAt[clear][task];
    if (rebuild.kind === 'since-clear')
      return Number.isFinite(matcher.previous(now, Math.max(clearedAt, this.#startedAt - 1)));
    const when = whens.findIndex((one) => one.formula === rebuild.when && one.clear === clear);
    return this.#wasWhen[when][task] === 1 && matcher.isDue(matcher.minuteStart(clearedAt));
  }

  /** What is owed by a clock that was set, if the task was served up to a cursor; the demands begin anew. */
  fromCursor(
    state: number,
    { matcher }: ScheduleGroup,
    cursor: number,
    { now, isRetryAhead }: ClockReading,
  ): number {
    const floor = Math.max(cursor, this.#startedAt - 1);
    return this.#automaton.rebuilt(
      state,
      (rebuild) => {
        if (matcher === undefined) return false;
        if (rebuild.kind === 'mountain') return matcher.isDue(matcher.minuteStart(now));
        return rebuild.kind === 'since-clear' && Number.isFinite(matcher.previous(now, floor));
      },
      isRetryAhead ? [...this.#theory.demands, retryHeld] : this.#theory.demands,
    );
  }

  /** From now on, a task counts as served up to here. */
  moveCursor(task: number, cursor: number): void {
    for (const column of this.#clearedAt) column[task] = cursor;
    for (const column of this.#wasWhen) column[task] = 0;
  }
}
