/**
 * A compiled theory as an automaton, tabulated as it is needed. A *state* stands for everything that the past of one slice can
 * still matter for: the memory of the program after a position. Most slices are in one of a few dozen states, and what a letter
 * does to each of them is computed once: after that, an event costs one look into a table.
 *
 * A state is a *set* of memories, nearly always of one. There are more where the trace cannot tell what really happened: a run
 * that ended just before a crash, durably or not (T10); an initialization that a crash cut off, before or after its commit
 * (T11). Each memory is then one way that things may have been, the first of them what the trace tells by itself: what is known
 * beside the axioms is read from that one, so it is part of what a state is. (Else it would depend on what other traces have been
 * judged by the same tables.) A way that would break a safety axiom is not what happened, and is dropped; if all of them would, the
 * axiom is broken. A demand is open only if it is in all ways.
 */

import type { Formula } from './formula.ts';
import { evaluate, type Program, type Rebuild } from './program.ts';

export interface Outputs {
  /** Safety axioms: a bit each, in order; what breaks, and when it was put to the test. */
  readonly broken: readonly Formula[];
  readonly when: readonly Formula[];
  /** Responses: whether a demand is open. */
  readonly open: readonly Formula[];
  /** Whatever else is worth knowing of a position. */
  readonly probes: readonly Formula[];
}

/** Letters are numbered as they are met; there are few of them. */
const LETTERS = 64;
const LETTER_BITS = 6;

export class Automaton {
  readonly program: Program;
  readonly #outputs: Outputs;
  readonly #values: Uint8Array;
  readonly #letters = new Map<number, number>();
  readonly #letterOf: number[] = [];
  readonly #states = new Map<string, number>();
  readonly #rebuilt = new Map<string, number>();
  readonly #memories: (readonly Uint8Array[])[] = [];
  /** The edges: where a letter leads from a state, and what is seen on the way; −1 where nobody has been yet. */
  target: Int32Array = new Int32Array(LETTERS * 64).fill(-1);
  broken: Int32Array = new Int32Array(LETTERS * 64);
  seen: Int32Array = new Int32Array(LETTERS * 64);
  open: Int32Array = new Int32Array(LETTERS * 64);
  /** Of the open demands: those that were open before, without a gap. */
  kept: Int32Array = new Int32Array(LETTERS * 64);
  probes: Int32Array = new Int32Array(LETTERS * 64);
  readonly initial: number;

  constructor(program: Program, outputs: Outputs) {
    this.program = program;
    this.#outputs = outputs;
    this.#values = new Uint8Array(program.size);
    this.initial = this.#state([new Uint8Array(program.memorySize)]);
  }

  get responses(): number {
    return this.#outputs.open.length;
  }

  get states(): number {
    return this.#memories.length;
  }

  /** The number of a letter, given as the bits of its atoms. */
  letter(mask: number): number {
    let index = this.#letters.get(mask);
    if (index !== undefined) return index;
    index = this.#letterOf.length;
    if (index >= LETTERS) throw new RangeError('More letters than an automaton has room for');
    this.#letters.set(mask, index);
    this.#letterOf.push(mask);
    return index;
  }

  /** The edge of a letter from a state: an index into the tables. */
  edge(state: number, letter: number): number {
    const edge = (state << LETTER_BITS) | letter;
    if (this.target[edge] < 0) this.#tabulate(state, letter, edge);
    return edge;
  }

  /** The letter of an edge, as the bits of its atoms. */
  maskOf(edge: number): number {
    return this.#letterOf[edge & (LETTERS - 1)];
  }

  /** The state after a letter. */
  after(state: number, letter: number): number {
    // The edge comes first: finding it may replace the tables by larger ones.
    const edge = this.edge(state, letter);
    return this.target[edge];
  }

  /** Whether a letter changes nothing for a state with these open demands, and breaks nothing: then it need not be told. */
  isIdle(state: number, open: number, letter: number): boolean {
    const edge = this.edge(state, letter);
    return (
      this.target[edge] === state &&
      this.open[edge] === open &&
      this.kept[edge] === open &&
      this.broken[edge] === 0
    );
  }

  /**
   * Whether a run of letters, in any order, leaves a state as the last of them alone would, and breaks, opens and closes nothing on
   * the way: then only the last ones need be told. A position at which nothing is seen must change nothing either.
   */
  isSteady(state: number, open: number, letters: readonly number[]): boolean {
    const after = letters.map((letter) => this.after(state, letter));
    const isQuiet = (from: number, letter: number): boolean => {
      const edge = this.edge(from, letter);
      return this.broken[edge] === 0 && this.open[edge] === open && this.kept[edge] === open;
    };
    const silent = this.letter(0);
    return [state, ...after].every(
      (from) =>
        this.isIdle(from, open, silent) &&
        letters.every((letter, i) => isQuiet(from, letter) && this.after(from, letter) === after[i]),
    );
  }

  /** The state of a slice that is in either. */
  union(a: number, b: number): number {
    return a === b ? a : this.#state([...this.#memories[a], ...this.#memories[b]]);
  }

  isCertain(state: number): boolean {
    return this.#memories[state].length === 1;
  }

  /**
   * The same past, read with another schedule, or another clock: each bit that depends on it as `value` says, and the given
   * demands no longer open.
   */
  rebuilt(state: number, value: (rebuild: Rebuild) => boolean, closed: readonly Formula[] = []): number {
    const { rebuilds } = this.program;
    const values = rebuilds.reduce((mask, rebuild, i) => (value(rebuild) ? mask | (1 << i) : mask), 0);
    const key = `${state} ${values} ${closed.length}`;
    let result = this.#rebuilt.get(key);
    if (result === undefined) {
      result = this.#rebuild(state, values, closed);
      this.#rebuilt.set(key, result);
    }
    return result;
  }

  #rebuild(state: number, values: number, closed: readonly Formula[]): number {
    const { rebuilds, kept, nodeOf } = this.program;
    const nodes = new Set(closed.map(nodeOf));
    return this.#state(
      this.#memories[state].map((before) => {
        const memory = before.map((bit, i) => (nodes.has(kept[i]) ? 0 : bit));
        rebuilds.forEach(({ bit }, i) => {
          memory[bit] = (values >> i) & 1;
        });
        return memory;
      }),
    );
  }

  #tabulate(state: number, letter: number, edge: number): void {
    const ways = this.#memories[state].map((memory) => this.#way(memory, this.#letterOf[letter]));
    const possible = ways.filter((way) => way.broken === 0);
    const taken = possible.length > 0 ? possible : ways;
    const target = this.#state(taken.map((way) => way.memory));
    const [first] = taken;
    this.target[edge] = target;
    this.broken[edge] = possible.length > 0 ? 0 : first.broken;
    this.seen[edge] = first.seen;
    this.open[edge] = taken.reduce((open, way) => open & way.open, -1);
    this.kept[edge] = taken.reduce((kept, way) => kept & way.kept, -1);
    this.probes[edge] = first.probes;
  }

  #way(memory: Uint8Array, letter: number) {
    const { kept, nodeOf } = this.program;
    const values = this.#values;
    evaluate(this.program, memory, letter, values);
    const gather = (formulas: readonly Formula[]): number =>
      formulas.reduce((mask, formula, index) => mask | (values[nodeOf(formula)] << index), 0);
    const { broken, when, open, probes } = this.#outputs;
    const isOpen = gather(open);
    const seen = {
      broken: gather(broken),
      seen: gather(when),
      open: isOpen,
      probes: gather(probes),
      kept: isOpen & this.#carried(memory, letter),
    };
    return { ...seen, memory: Uint8Array.from(kept, (node) => values[node]) };
  }

  /** Which open demands would be open at this position if nothing had raised them anew. */
  #carried(memory: Uint8Array, letter: number): number {
    return this.#outputs.open.reduce((mask, formula, index) => {
      const hold = formula.op === 'and' && formula.left.op === 'S' ? formula.left : undefined;
      if (hold === undefined) throw new RangeError('A demand is a Hold');
      return mask | (this.program.carries(hold, memory, letter, this.#values) << index);
    }, 0);
  }

  #state(memories: readonly Uint8Array[]): number {
    const distinct = new Map(memories.map((memory) => [memory.join(''), memory]));
    const [first, ...others] = distinct;
    // The first one is what the trace tells; the others have no order of their own.
    const ways = [first, ...others.sort(([a], [b]) => (a < b ? -1 : 1))];
    const key = ways.map(([text]) => text).join(' ');
    let state = this.#states.get(key);
    if (state === undefined) {
      state = this.#memories.length;
      this.#states.set(key, state);
      this.#memories.push(ways.map(([, memory]) => memory));
      this.#grow();
    }
    return state;
  }

  #grow(): void {
    const needed = this.#memories.length << LETTER_BITS;
    if (needed <= this.target.length) return;
    const grown = (table: Int32Array, fill: number): Int32Array => {
      const larger = new Int32Array(Math.max(needed, table.length * 2)).fill(fill);
      larger.set(table);
      return larger;
    };
    this.target = grown(this.target, -1);
    this.broken = grown(this.broken, 0);
    this.seen = grown(this.seen, 0);
    this.open = grown(this.open, 0);
    this.kept = grown(this.kept, 0);
    this.probes = grown(this.probes, 0);
  }
}
