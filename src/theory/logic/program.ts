/**
 * Formulas of the past, as a flat program: one instruction per subformula, operands first. The program keeps one bit for each
 * `S` (its value) and one for each operand of a `Y` (its value one position ago): the *memory*. To evaluate a position, take the
 * memory before it and the letter of the position; the result is the memory after it.
 *
 * Two things of the theory are not plain propositional past. They are compiled as follows.
 *
 * *Lists.* In `∃R. φ(R)` the list that counts is the one registered last: the compiler accepts only a φ that implies that R is
 * registered (it has a conjunct of the form `Hold(… IEs_R …, … IEs_other …)`). So `IEs_R` is any successful initialization,
 * `IEs_other` is never true, and an `S` that another list would have ended is not carried over a position at which the list changed.
 *
 * *The current registration* (T5). `Due` is read over the whole past with the schedule that is current now. When the schedule
 * changes, the bits that depend on it are rebuilt from how far the task has been served. The compiler knows three such bits and
 * refuses all others: `¬Served S Due` (was anything due since the task was served?), `¬Served S BootDue` (was anything due
 * since the minute of the first coming began?), and `TooOld` (is the last due too old to start for?). `MountainDue` is asked at first comings only, so it needs no memory:
 * the letter of an initialization says it.
 */
import { bits, Due, IEsIn, IEsOther, IEsOut, IEsR, MemberR, masks } from './atoms.ts';
import { type Formula, not, S } from './formula.ts';
import { BootDue, FirstComing, Served, TooOld } from './macros.ts';
import { NotMonitorableError } from './monitorable.ts';

/** x is in the list that was registered last. */
const member = S(not(IEsOut), IEsIn);

/** A bit of the memory that depends on the current schedule, and which question it answers. */
export interface Rebuild {
  readonly kind: 'since served' | 'at first coming' | 'too old';
  readonly bit: number;
}

const rebuildable: ReadonlyMap<Formula, Rebuild['kind']> = new Map([
  [S(not(Served), Due), 'since served'],
  [S(not(Served), BootDue), 'at first coming'],
  [TooOld, 'too old'],
]);

/** One position: the memory before it, its letter, and the values of the nodes so far, 0 or 1 each. */
export interface Position {
  readonly memory: Uint8Array;
  readonly letter: number;
  readonly values: Uint8Array;
}

/** What an instruction comes to at a position: 0 or 1. */
type Instruction = (at: Position) => number;

/** What else a formula's truth depends on: a bit each. */
const onDue = 1;
const onList = 2;
const onOther = 4;

export class Program {
  readonly #instructions: Instruction[] = [];
  readonly #nodes = new Map<Formula, number>();
  /** For each `S`, what it comes to if its right side does not hold. */
  readonly #carried = new Map<Formula, Instruction>();
  readonly #hangsOn = new Map<Formula, number>();
  /** For each bit of the memory, the node whose value it takes. */
  readonly kept: number[] = [];
  readonly rebuilds: Rebuild[] = [];

  constructor(formulas: readonly Formula[]) {
    for (const formula of formulas) this.#node(formula);
  }

  /** The values of all nodes at a position. */
  evaluate(memory: Uint8Array, letter: number): Position {
    const at = { memory, letter, values: new Uint8Array(this.#instructions.length) };
    for (const [node, instruction] of this.#instructions.entries()) at.values[node] = instruction(at);
    return at;
  }

  /** The node of a formula that was compiled. */
  nodeOf(formula: Formula): number {
    return compiled(this.#nodes.get(formula));
  }

  /** Whether an `S` that was true before a position is true at it whatever else happens there: 0 or 1. */
  carries(since: Formula, at: Position): number {
    return compiled(this.#carried.get(since))(at);
  }

  #node(formula: Formula): number {
    const known = this.#nodes.get(formula);
    if (known !== undefined) return known;
    const instruction = this.#compile(formula);
    const node = typeof instruction === 'number' ? instruction : this.#instructions.push(instruction) - 1;
    this.#nodes.set(formula, node);
    return node;
  }

  /** The instruction of a formula, or the node of another that means the same. */
  #compile(formula: Formula): Instruction | number {
    if (formula === BootDue) {
      const first = this.#node(FirstComing);
      return ({ values, letter }) => (letter & bits.DueMinute ? values[first] : 0);
    }
    switch (formula.op) {
      case 'true':
        return () => 1;
      case 'atom':
        return this.#atom(formula);
      case 'not': {
        const of = this.#node(formula.of);
        return ({ values }) => 1 - values[of];
      }
      case 'and':
      case 'or': {
        const [left, right] = [this.#node(formula.left), this.#node(formula.right)];
        if (formula.op === 'and') return ({ values }) => values[left] & values[right];
        return ({ values }) => values[left] | values[right];
      }
      case 'Y': {
        if (this.#deps(formula.of) & onList) throw new NotMonitorableError(formula, 'Y of an open list R');
        const bit = this.kept.push(this.#node(formula.of)) - 1;
        return ({ memory }) => memory[bit];
      }
      case 'S':
        return this.#since(formula);
      case 'then':
        return this.#node(formula.of);
      case 'someList':
        if (!isGuarded(formula.of)) throw new NotMonitorableError(formula, 'R need not be registered');
        return this.#node(formula.of);
      default:
        throw new NotMonitorableError(formula, `${formula.op} is not of one slice's past`);
    }
  }

  #atom(formula: Formula): Instruction | number {
    if (formula === MemberR) return this.#node(member);
    if (formula === IEsOther) return () => 0;
    const mask = masks.get(formula);
    if (mask === undefined) throw new NotMonitorableError(formula, 'an unknown atom');
    return ({ letter }) => (letter & mask ? 1 : 0);
  }

  #since(formula: Formula & { readonly op: 'S' }): Instruction {
    const deps = this.#deps(formula);
    const isOfOther = (this.#deps(formula.left) & onOther) !== 0;
    if (deps & onList && !isOfOther) throw new NotMonitorableError(formula, 'another list would not end it');
    const right = this.#node(formula.right);
    const left = this.#node(formula.left);
    // The memory of an S is its own value, and its node is the next one.
    const bit = this.kept.push(this.#instructions.length) - 1;
    const carried: Instruction = ({ memory, letter, values }) =>
      isOfOther && letter & bits.Changed ? 0 : values[left] & memory[bit];
    this.#carried.set(formula, carried);
    if (deps & onDue && !(deps & onList)) {
      const kind = rebuildable.get(formula);
      if (kind === undefined)
        throw new NotMonitorableError(formula, 'it could not be rebuilt for another schedule');
      this.rebuilds.push({ kind, bit });
    }
    return (at) => at.values[right] | carried(at);
  }

  #deps(formula: Formula): number {
    const known = this.#hangsOn.get(formula);
    if (known !== undefined) return known;
    let deps = 0;
    if (formula === Due) deps = onDue;
    else if (formula === IEsR || formula === MemberR) deps = onList;
    else if (formula === IEsOther) deps = onList | onOther;
    else if (formula.op === 'someList') deps = this.#deps(formula.of) & onDue;
    else if (formula.op === 'then' || formula.op === 'Y') deps = this.#deps(formula.of) & ~onDue;
    else if ('of' in formula) deps = this.#deps(formula.of);
    else if ('left' in formula) deps = this.#deps(formula.left) | this.#deps(formula.right);
    this.#hangsOn.set(formula, deps);
    return deps;
  }
}

/** Whether a conjunct says that R is the list registered last: `(¬… IEs_other …) S (… IEs_R …)`. */
function isGuarded(formula: Formula): boolean {
  if (formula.op === 'and') return isGuarded(formula.left) || isGuarded(formula.right);
  return formula.op === 'S' && has('or', not(formula.left), IEsOther) && has('and', formula.right, IEsR);
}

/** Whether a formula is one of those that are joined by an operation. */
const has = (op: 'and' | 'or', whole: Formula, part: Formula): boolean =>
  whole === part || (whole.op === op && (has(op, whole.left, part) || has(op, whole.right, part)));

function compiled<T>(found: T | undefined): T {
  if (found === undefined) throw new RangeError('This formula was not compiled');
  return found;
}
