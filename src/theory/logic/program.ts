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
 * changes, the bits that depend on it are rebuilt from how far the task has been served. The compiler knows four such bits and
 * refuses all others: `¬MinuteStart S Due` (is this minute due?), `¬Served S Due` (was anything due since the task was
 * served?), `¬Served S (FirstComing ∧ MountainDue)` (was the minute of the first coming due?), and `TooOld` (is the last due too old to start for?).
 */
import { bits, Due, IEsIn, IEsOther, IEsOut, IEsR, MemberR, masks } from './atoms.ts';
import { and, type Formula, not, S, True } from './formula.ts';
import { FirstComing, MountainDue, Served, TooOld } from './macros.ts';
import { NotMonitorableError } from './monitorable.ts';

/** x is in the list that was registered last. */
const member = S(not(IEsOut), IEsIn);

/** A bit of the memory that depends on the current schedule, and which question it answers. */
export interface Rebuild {
  readonly kind: 'this minute' | 'since served' | 'at first coming' | 'too old';
  readonly bit: number;
}

const rebuildable: ReadonlyMap<Formula, Rebuild['kind']> = new Map([
  [MountainDue, 'this minute'],
  [S(not(Served), Due), 'since served'],
  [S(not(Served), and(FirstComing, MountainDue)), 'at first coming'],
  [TooOld, 'too old'],
]);

const ops = { true: 0, letter: 1, not: 2, and: 3, or: 4, previous: 5, since: 6, sinceSameList: 7 } as const;

export interface Program {
  /** Four numbers per node: the operation, and its operands. */
  readonly code: Int32Array;
  readonly size: number;
  readonly memorySize: number;
  /** For each bit of the memory, the node whose value it takes. */
  readonly kept: Int32Array;
  readonly rebuilds: readonly Rebuild[];
  /** The node of a formula that was compiled. */
  nodeOf(formula: Formula): number;
  /** Whether an `S` that was true before a position is true at it whatever else happens there: 0 or 1. */
  carries(since: Formula, memory: Uint8Array, letter: number, values: Uint8Array): number;
}

/** What else a formula's truth depends on: a bit each. */
const onDue = 1;
const onList = 2;
const onOther = 4;

export function compile(formulas: readonly Formula[]): Program {
  const compiler = new Compiler();
  for (const formula of formulas) compiler.node(formula);
  return compiler.program();
}

class Compiler {
  readonly #nodes = new Map<Formula, number>();
  readonly #code: number[] = [];
  readonly #kept: number[] = [];
  readonly #rebuilds: Rebuild[] = [];
  readonly #hangsOn = new Map<Formula, number>();

  node(formula: Formula): number {
    const known = this.#nodes.get(formula);
    if (known !== undefined) return known;
    const node = this.#compile(formula);
    this.#nodes.set(formula, node);
    return node;
  }

  program(): Program {
    const nodes = this.#nodes;
    const code = Int32Array.from(this.#code);
    return {
      code,
      size: this.#code.length / 4,
      memorySize: this.#kept.length,
      kept: Int32Array.from(this.#kept),
      rebuilds: this.#rebuilds,
      nodeOf(formula) {
        const node = nodes.get(formula);
        if (node === undefined) throw new RangeError('This formula was not compiled');
        return node;
      },
      carries(since, memory, letter, values) {
        const at = this.nodeOf(since) * 4;
        if (code[at] === ops.sinceSameList && letter & bits.Changed) return 0;
        return values[code[at + 2]] & memory[code[at + 3]];
      },
    };
  }

  #emit(op: number, a = 0, b = 0, bit = 0): number {
    this.#code.push(op, a, b, bit);
    return this.#code.length / 4 - 1;
  }

  #compile(formula: Formula): number {
    switch (formula.op) {
      case 'true':
        return this.#emit(ops.true);
      case 'atom':
        return this.#atom(formula);
      case 'not':
        return this.#emit(ops.not, this.node(formula.of));
      case 'and':
        return this.#emit(ops.and, this.node(formula.left), this.node(formula.right));
      case 'or':
        return this.#emit(ops.or, this.node(formula.left), this.node(formula.right));
      case 'Y':
        if (this.#deps(formula.of) & onList) throw new NotMonitorableError(formula, 'Y of an open list R');
        return this.#emit(ops.previous, this.#keep(this.node(formula.of)));
      case 'S':
        return this.#since(formula);
      case 'then':
        return this.node(formula.of);
      case 'someList':
        if (!isGuarded(formula.of)) throw new NotMonitorableError(formula, 'R need not be registered');
        return this.node(formula.of);
      default:
        throw new NotMonitorableError(formula, `${formula.op} is not of one slice's past`);
    }
  }

  #atom(formula: Formula): number {
    if (formula === MemberR) return this.node(member);
    if (formula === IEsOther) return this.#emit(ops.not, this.node(True));
    const mask = masks.get(formula);
    if (mask === undefined) throw new NotMonitorableError(formula, 'an unknown atom');
    return this.#emit(ops.letter, mask);
  }

  #keep(node: number): number {
    this.#kept.push(node);
    return this.#kept.length - 1;
  }

  #since(formula: Formula & { readonly op: 'S' }): number {
    const deps = this.#deps(formula);
    const isOfOther = (this.#deps(formula.left) & onOther) !== 0;
    if (deps & onList && !isOfOther) throw new NotMonitorableError(formula, 'another list would not end it');
    const right = this.node(formula.right);
    const left = this.node(formula.left);
    // The memory of an S is its own value: its place is known before its node is.
    const bit = this.#keep(-1);
    const node = this.#emit(isOfOther ? ops.sinceSameList : ops.since, right, left, bit);
    this.#kept[bit] = node;
    if (deps & onDue && !(deps & onList)) {
      const kind = rebuildable.get(formula);
      if (kind === undefined)
        throw new NotMonitorableError(formula, 'it could not be rebuilt for another schedule');
      this.#rebuilds.push({ kind, bit });
    }
    return node;
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
  return formula.op === 'S' && isPartOf(IEsOther, not(formula.left)) && hasConjunct(formula.right, IEsR);
}

const hasConjunct = (formula: Formula, part: Formula): boolean =>
  formula === part ||
  (formula.op === 'and' && (hasConjunct(formula.left, part) || hasConjunct(formula.right, part)));

const isPartOf = (part: Formula, whole: Formula): boolean =>
  part === whole || (whole.op === 'or' && (isPartOf(part, whole.left) || isPartOf(part, whole.right)));

/** Evaluates one position: fills `values`, one per node. */
export function evaluate(program: Program, memory: Uint8Array, letter: number, values: Uint8Array): void {
  const { code, size } = program;
  const isSameList = letter & bits.Changed ? 0 : 1;
  for (let node = 0, at = 0; node < size; node++, at += 4) {
    const a = code[at + 1];
    const b = code[at + 2];
    switch (code[at]) {
      case ops.true:
        values[node] = 1;
        break;
      case ops.letter:
        values[node] = letter & a ? 1 : 0;
        break;
      case ops.not:
        values[node] = 1 - values[a];
        break;
      case ops.and:
        values[node] = values[a] & values[b];
        break;
      case ops.or:
        values[node] = values[a] | values[b];
        break;
      case ops.previous:
        values[node] = memory[a];
        break;
      case ops.since:
        values[node] = values[a] | (values[b] & memory[code[at + 3]]);
        break;
      case ops.sinceSameList:
        values[node] = values[a] | (values[b] & memory[code[at + 3]] & isSameList);
        break;
    }
  }
}
