/**
 * A compiled theory as an automaton, tabulated as it is needed. A *state* stands for everything that the past of one slice can
 * still matter for: the memory of the program after a position. Most slices are in one of a few dozen states. What a letter does
 * to each of them is computed once; after that, an event costs one look into a table.
 */
import type { Formula } from './formula.ts';
import type { Monitorable, Response, Safety } from './monitorable.ts';
import { Program, type Rebuild } from './program.ts';

/** A slice: its state, since when its demands are open, and which axioms it has put to the test: a bit each. */
export interface Slice {
  state: number;
  /** NaN where a demand is not open. Undefined where none is. */
  openAt: readonly number[] | undefined;
  seen: number;
}

export interface SliceFindings<Of extends Slice> {
  /** A safety axiom breaks at this edge. */
  broken(mask: number, edge: number, slice: Of, now: number): void;
  /** A demand that was open since then has ended at this edge. */
  ended(demand: number, openAt: number, edge: number, slice: Of, now: number): void;
}

/** Letters are numbered as they are met; there are few of them. */
const LETTER_BITS = 7;
const LETTERS = 1 << LETTER_BITS;

/** What is known of an edge: where it leads, what it breaks and has put to the test, what is open after it, and what the probes say. */
export const AT = {
  target: 0,
  broken: 1,
  seen: 2,
  open: 3,
  /** Of the open demands: those that were open before, without a gap. */
  kept: 4,
  probes: 5,
} as const;
const FIELDS = 6;

/** A bit for each of these, by a value of 0 or 1. */
const gathered = <T>(all: readonly T[], truth: (one: T) => number): number =>
  all.reduce((mask, one, i) => mask | (truth(one) << i), 0);

export class Automaton {
  readonly #program: Program;
  /** A bit each, in this order. */
  readonly #safety: readonly Safety[];
  readonly #responses: readonly Response[];
  readonly #probes: readonly Formula[];
  readonly #letters = new Map<number, number>();
  readonly #letterOf: number[] = [];
  readonly #states = new Map<string, number>();
  readonly #rebuilt = new Map<string, number>();
  /** Of each state. There is no state 0. */
  readonly #memories: Uint8Array[] = [new Uint8Array()];
  /**
   * What is known of each edge, `FIELDS` numbers next to each other; it leads to 0 where no slice has been yet. Finding an edge may
   * replace the table by a larger one, so it is private: `at` has its edge before it looks.
   */
  #table = new Int32Array(LETTERS * 64 * FIELDS);
  readonly initial: number;

  /** `probes` are what else a caller wants to know of a position, `remembered` what else it wants to forget. */
  constructor(parts: readonly Monitorable[], probes: readonly Formula[], remembered: readonly Formula[]) {
    this.#safety = parts.filter((part) => part.kind === 'safety');
    this.#responses = parts.filter((part) => part.kind === 'response');
    this.#probes = probes;
    const formulas = parts.flatMap((part) =>
      part.kind === 'safety' ? [part.broken, part.when] : [part.when, part.open],
    );
    this.#program = new Program([...formulas, ...probes, ...remembered]);
    this.initial = this.#state(new Uint8Array(this.#program.kept.length));
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
    if (this.at(edge, AT.target) === 0) this.#tabulate(state, letter, edge);
    return edge;
  }

  /** What is known of an edge. */
  at(edge: number, field: number): number {
    return this.#table[edge * FIELDS + field];
  }

  /** The letter of an edge, as the bits of its atoms. */
  maskOf(edge: number): number {
    return this.#letterOf[edge & (LETTERS - 1)];
  }

  /** The state after a position at which these atoms are seen. */
  seeing(state: number, mask: number): number {
    return this.at(this.edge(state, this.letter(mask)), AT.target);
  }

  /** A slice sees a letter. Answers the edge that it takes. */
  step<Of extends Slice>(slice: Of, letter: number, now: number, findings: SliceFindings<Of>): number {
    const { openAt } = slice;
    const edge = this.edge(slice.state, letter);
    slice.state = this.at(edge, AT.target);
    slice.openAt = this.#openAfter(edge, openAt, now);
    slice.seen |= this.at(edge, AT.seen);
    const broken = this.at(edge, AT.broken);
    if (broken !== 0) findings.broken(broken, edge, slice, now);
    if (openAt === undefined) return edge;
    const kept = this.at(edge, AT.kept);
    for (let i = 0; i < openAt.length; i++)
      if (!Number.isNaN(openAt[i]) && !(kept & (1 << i))) findings.ended(i, openAt[i], edge, slice, now);
    return edge;
  }

  /** Since when each demand is open after an edge: as before, or from now on; NaN where it is not. Undefined where none is open. */
  #openAfter(
    edge: number,
    before: readonly number[] | undefined,
    now: number,
  ): readonly number[] | undefined {
    const open = this.at(edge, AT.open);
    if (open === 0) return undefined;
    const kept = before === undefined ? 0 : this.at(edge, AT.kept);
    const openAt: number[] = [];
    for (let i = 0; i < this.#responses.length; i++) {
      const since = kept & (1 << i) ? (before?.[i] ?? now) : now;
      openAt.push(!(open & (1 << i)) ? Number.NaN : Number.isNaN(since) ? now : since);
    }
    return openAt;
  }

  /** Whether a letter changes nothing for a slice, and breaks, opens and ends nothing: then the slice can be left alone. */
  isIdle({ state, openAt }: Readonly<Slice>, letter: number): boolean {
    const edge = this.edge(state, letter);
    if (this.at(edge, AT.target) !== state || this.at(edge, AT.broken) !== 0) return false;
    let open = 0;
    if (openAt !== undefined)
      for (let i = 0; i < openAt.length; i++) if (!Number.isNaN(openAt[i])) open |= 1 << i;
    return this.at(edge, AT.open) === open && this.at(edge, AT.kept) === open;
  }

  /** What a probe says of a state, at a position where nothing is seen. */
  says(state: number, probe: number): boolean {
    return (this.at(this.edge(state, this.letter(0)), AT.probes) & probe) !== 0;
  }

  /** The same past, read with another schedule or another clock: each bit that depends on these as it reads now. */
  rebuilt(state: number, reads: (kind: Rebuild['kind']) => boolean): number {
    const { rebuilds } = this.#program;
    const values = rebuilds.map(({ kind }) => Number(reads(kind)));
    const key = `${state} ${values.join('')}`;
    let result = this.#rebuilt.get(key);
    if (result === undefined) {
      const memory = this.#memories[state].slice();
      for (const [i, { bit }] of rebuilds.entries()) memory[bit] = values[i];
      result = this.#state(memory);
      this.#rebuilt.set(key, result);
    }
    return result;
  }

  /** Since when the demands are open that are open in a state, if that is a new past. */
  openIn(state: number, now: number): readonly number[] | undefined {
    const memory = this.#memories[state];
    const openAt = this.#responses.map(({ held }) =>
      memory[this.#program.kept.indexOf(this.#program.nodeOf(held))] === 1 ? now : Number.NaN,
    );
    return openAt.every(Number.isNaN) ? undefined : openAt;
  }

  /** The same past with no demand open: a clock that was set back voids them. */
  undemanded(state: number): number {
    return this.without(state, ...this.#responses.map(({ held }) => held));
  }

  /** The same past without what these remember. */
  without(state: number, ...forgotten: readonly Formula[]): number {
    const { kept } = this.#program;
    const nodes = new Set(forgotten.map((formula) => this.#program.nodeOf(formula)));
    return this.#state(this.#memories[state].map((bit, i) => (nodes.has(kept[i]) ? 0 : bit)));
  }

  #tabulate(state: number, letter: number, edge: number): void {
    const at = this.#program.evaluate(this.#memories[state], this.#letterOf[letter]);
    const truth = (formula: Formula): number => at.values[this.#program.nodeOf(formula)];
    const [safety, responses] = [this.#safety, this.#responses];
    const broken = gathered(safety, (part) => truth(part.broken));
    const seen = gathered([...safety, ...responses], ({ when }) => truth(when));
    const open = gathered(responses, (part) => truth(part.open));
    // The demands that would be open here if nothing had raised them again.
    const stays = open & gathered(responses, ({ held }) => this.#program.carries(held, at));
    // The tables may grow with the new state: write only after it.
    const target = this.#state(Uint8Array.from(this.#program.kept, (node) => at.values[node]));
    this.#table.set([target, broken, seen, open, stays, gathered(this.#probes, truth)], edge * FIELDS);
  }

  #state(memory: Uint8Array): number {
    const key = memory.join('');
    let state = this.#states.get(key);
    if (state === undefined) {
      state = this.#memories.push(memory) - 1;
      this.#states.set(key, state);
    }
    if ((this.#memories.length << LETTER_BITS) * FIELDS > this.#table.length) {
      const smaller = this.#table;
      this.#table = new Int32Array(2 * smaller.length);
      this.#table.set(smaller);
    }
    return state;
  }
}
