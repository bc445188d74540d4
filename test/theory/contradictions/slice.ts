/**
 * What one task sees of a trace, as a table that fills as it is needed: a memory and a letter give the next memory and what holds
 * there. It evaluates any formula of the past, one with `∃R` and one with the current registration too, straight from the
 * definitions, because the universe is so small that every list and every schedule can be tried. The naive evaluator is held
 * against it by a test.
 */
import type { Formula } from '../../../src/theory/logic/formula.ts';

export interface Enlisted {
  readonly name: string;
  readonly schedule: string;
}

export interface Universe {
  /** Task names; in the letter, tuples. */
  readonly names: readonly string[];
  readonly schedules: readonly string[];
  readonly lists: readonly (readonly Enlisted[])[];
  /** In the letter every tuple has its schedule, registered or not. */
  readonly tuples?: ReadonlyMap<string, string>;
}

/** One position, as one task sees it. */
export interface Letter {
  /** The atoms that hold, of those that depend neither on a list nor on a schedule. */
  readonly atoms: readonly string[];
  /** The schedules of the minute that begins here. */
  readonly due?: readonly string[];
  /** The list that is initialized here. */
  readonly list?: number;
  /** The schedule that the task has from here on; −1 is none. */
  readonly schedule: number;
}

interface Node {
  readonly formula: Formula;
  readonly a: number;
  readonly b: number;
  readonly perList: boolean;
  readonly perSchedule: boolean;
  /** Where its values lie, and where its memory does. */
  readonly at: number;
  readonly memory: number;
}

export interface Step {
  readonly memory: number;
  /** For each formula that was asked for: whether it holds here. */
  readonly holds: readonly boolean[];
}

const listAtoms = new Set(['IEs_R', 'IEs_other', 'x∈R', 'x≈∈R']);
const identifier = (name: string): string => name.split('|', 1)[0];

export class Slice {
  readonly #universe: Universe;
  readonly #name: string;
  readonly #nodes: Node[] = [];
  readonly #index = new Map<Formula, number>();
  readonly #outputs: readonly number[];
  #size = 0;
  #memorySize = 0;
  readonly #values: Uint8Array;
  readonly #memories: Uint8Array[] = [];
  readonly #known = new Map<string, number>();
  readonly #steps: Map<number, Step>[] = [];
  readonly initial: number;

  constructor(universe: Universe, name: string, formulas: readonly Formula[]) {
    this.#universe = universe;
    this.#name = name;
    this.#outputs = formulas.map((formula) => this.#node(formula));
    this.#values = new Uint8Array(this.#size);
    this.initial = this.#intern(new Uint8Array(this.#memorySize));
  }

  /** The schedules that can be current, and none. */
  get #schedules(): number {
    return this.#universe.schedules.length + 1;
  }

  /** `key` is the number of the letter: equal letters have equal numbers. */
  step(memory: number, key: number, letter: Letter): Step {
    const known = this.#steps[memory].get(key);
    if (known !== undefined) return known;
    const step = this.#evaluate(memory, letter);
    this.#steps[memory].set(key, step);
    return step;
  }

  #intern(memory: Uint8Array): number {
    const key = Buffer.from(memory).toString('latin1');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.#memories.length);
    this.#steps.push(new Map());
    return this.#memories.push(memory) - 1;
  }

  #node(formula: Formula): number {
    const known = this.#index.get(formula);
    if (known !== undefined) return known;
    const operands = 'of' in formula ? [formula.of] : 'left' in formula ? [formula.left, formula.right] : [];
    const [a = -1, b = -1] = operands.map((operand) => this.#node(operand));
    const under = [a, b].filter((node) => node >= 0).map((node) => this.#nodes[node]);
    const perList =
      formula.op === 'atom'
        ? listAtoms.has(formula.name)
        : formula.op !== 'someList' && under.some((node) => node.perList);
    const perSchedule =
      formula.op === 'atom'
        ? formula.name === 'Due'
        : formula.op !== 'then' && formula.op !== 'Y' && under.some((node) => node.perSchedule);
    const size = (perList ? this.#universe.lists.length : 1) * (perSchedule ? this.#schedules : 1);
    const node: Node = { formula, a, b, perList, perSchedule, at: this.#size, memory: this.#memorySize };
    this.#size += size;
    if (formula.op === 'S' || formula.op === 'Y') this.#memorySize += size;
    this.#index.set(formula, this.#nodes.length);
    return this.#nodes.push(node) - 1;
  }

  #offset(node: Node, list: number, schedule: number): number {
    const within = node.perSchedule ? schedule + 1 : 0;
    return node.perList ? list * (node.perSchedule ? this.#schedules : 1) + within : within;
  }

  #value(node: number, list: number, schedule: number): number {
    const one = this.#nodes[node];
    return this.#values[one.at + this.#offset(one, list, schedule)];
  }

  #evaluate(memory: number, letter: Letter): Step {
    const before = this.#memories[memory];
    const after = new Uint8Array(this.#memorySize);
    for (const node of this.#nodes) {
      const lists = node.perList ? this.#universe.lists.length : 1;
      const last = node.perSchedule ? this.#schedules - 1 : 0;
      for (let list = 0; list < lists; list++)
        for (let schedule = -1; schedule < last; schedule++) {
          const offset = this.#offset(node, list, schedule);
          const value = this.#one(node, list, schedule, letter, before[node.memory + offset]);
          this.#values[node.at + offset] = value;
          if (node.formula.op === 'S') after[node.memory + offset] = value;
          // The position before is seen as it was seen there: with the schedule of there.
          if (node.formula.op === 'Y')
            after[node.memory + offset] = this.#value(node.a, list, letter.schedule);
        }
    }
    const holds = this.#outputs.map((node) => this.#value(node, 0, letter.schedule) === 1);
    return { memory: this.#intern(after), holds };
  }

  #one(node: Node, list: number, schedule: number, letter: Letter, kept: number): number {
    const { formula, a, b } = node;
    switch (formula.op) {
      case 'true':
        return 1;
      case 'atom':
        return this.#atom(formula.name, list, schedule, letter) ? 1 : 0;
      case 'not':
        return 1 - this.#value(a, list, schedule);
      case 'and':
        return this.#value(a, list, schedule) & this.#value(b, list, schedule);
      case 'or':
        return this.#value(a, list, schedule) | this.#value(b, list, schedule);
      case 'Y':
        return kept;
      case 'S':
        return this.#value(b, list, schedule) | (this.#value(a, list, schedule) & kept);
      case 'then':
        return this.#value(a, list, letter.schedule);
      case 'someList':
        return this.#universe.lists.some((_, other) => this.#value(a, other, schedule) === 1) ? 1 : 0;
      default:
        throw new RangeError(`${formula.op} is not of the past of one task`);
    }
  }

  #atom(name: string, list: number, schedule: number, letter: Letter): boolean {
    const { schedules, lists } = this.#universe;
    switch (name) {
      case 'Due':
        return letter.due?.includes(schedules[schedule]) === true;
      case 'DueThen':
        return letter.due?.includes(schedules[letter.schedule]) === true;
      case 'MinuteStart':
        return letter.due !== undefined;
      case 'In':
      case 'Out': {
        const isIn = letter.list !== undefined && lists[letter.list].some((one) => one.name === this.#name);
        return letter.list !== undefined && isIn === (name === 'In');
      }
      case 'IEs_R':
        return letter.list === list;
      case 'IEs_other':
        return letter.list !== undefined && letter.list !== list;
      case 'x∈R':
        return lists[list].some((one) => one.name === this.#name);
      case 'x≈∈R':
        return lists[list].some((one) => identifier(one.name) === identifier(this.#name));
      default:
        return letter.atoms.includes(name);
    }
  }
}
