/**
 * First-order linear temporal logic with past, as far as the theory needs it. A formula speaks of one *slice* of a trace: one
 * task name (its free variable `x`), or one call of `initialize` or `stop`. It holds if it holds for every slice.
 *
 * Formulas are plain data. `program.ts` turns the fragment that a monitor can decide as it goes into a flat program; the tests have
 * an evaluator that reads formulas straight from the definitions, over whole traces. Equal formulas are one object, so that a subformula
 * that several axioms share is stored, and evaluated, once.
 */

/** A formula, as plain data; equal ones are one object. */
export type Formula =
  | { readonly op: 'true' }
  | { readonly op: 'atom'; readonly name: string }
  | { readonly op: 'not'; readonly of: Formula }
  | { readonly op: 'and' | 'or'; readonly left: Formula; readonly right: Formula }
  /** At the position before, as it was seen there; false at the first. */
  | { readonly op: 'Y'; readonly of: Formula }
  /** `left` has held ever since (after) a position where `right` held, which may be this one. */
  | { readonly op: 'S'; readonly left: Formula; readonly right: Formula }
  /** As it was at that position: with the registration that was current there (T5), wherever the question comes from. */
  | { readonly op: 'then'; readonly of: Formula }
  /** For some registration list `R`: within it, the atoms `IEs_R` and `IEs_other` speak of that list. */
  | { readonly op: 'someList'; readonly of: Formula }
  /** Next, eventually, always. */
  | { readonly op: 'X' | 'F' | 'G'; readonly of: Formula }
  /** Until; weak until: the right side need never come. */
  | { readonly op: 'U' | 'W'; readonly left: Formula; readonly right: Formula }
  /** Within the compute that the witnesses grant, and the lag. */
  | { readonly op: 'Fcomp'; readonly of: Formula };

/** Whether something holds of a formula or of a part of it. */
export function anywhere(formula: Formula, holds: (part: Formula) => boolean): boolean {
  if (holds(formula)) return true;
  if ('of' in formula) return anywhere(formula.of, holds);
  return 'left' in formula && (anywhere(formula.left, holds) || anywhere(formula.right, holds));
}

const interned = new Map<string, Formula>();
const keys = new WeakMap<Formula, string>();

function intern(formula: Formula, key: string): Formula {
  const known = interned.get(key);
  if (known !== undefined) return known;
  interned.set(key, formula);
  // A short name for a large formula: keys of what contains it stay short.
  keys.set(formula, `#${interned.size}`);
  return formula;
}

const keyOf = (formula: Formula): string => keys.get(formula) ?? '';
const unary = (op: 'not' | 'Y' | 'then' | 'someList' | 'X' | 'F' | 'G' | 'Fcomp', of: Formula): Formula =>
  intern({ op, of } as Formula, `${op} ${keyOf(of)}`);
const binary = (op: 'and' | 'or' | 'S' | 'U' | 'W', left: Formula, right: Formula): Formula =>
  intern({ op, left, right } as Formula, `${op} ${keyOf(left)} ${keyOf(right)}`);

export const True: Formula = intern({ op: 'true' }, 'true');
export const atom = (name: string): Formula => intern({ op: 'atom', name }, `atom ${name}`);

export const not = (of: Formula): Formula => (of.op === 'not' ? of.of : unary('not', of));
export const and = (first: Formula, ...rest: readonly Formula[]): Formula =>
  rest.reduce((left, right) => binary('and', left, right), first);
export const or = (first: Formula, ...rest: readonly Formula[]): Formula =>
  rest.reduce((left, right) => binary('or', left, right), first);
export const implies = (left: Formula, right: Formula): Formula => or(not(left), right);

export const Y = (of: Formula): Formula => unary('Y', of);
export const S = (left: Formula, right: Formula): Formula => binary('S', left, right);

/** There was a `set`, and no `clear` since; a clear at the same position wins. */
export const Hold = (set: Formula, clear: Formula): Formula => and(S(not(clear), set), not(clear));
/** The same, but a set at the same position wins. */
export const HoldPlus = (set: Formula, clear: Formula): Formula => or(Hold(set, clear), set);

export const Then = (of: Formula): Formula => unary('then', of);
export const someList = (of: Formula): Formula => unary('someList', of);

export const X = (of: Formula): Formula => unary('X', of);
export const F = (of: Formula): Formula => unary('F', of);
export const G = (of: Formula): Formula => unary('G', of);
export const U = (left: Formula, right: Formula): Formula => binary('U', left, right);
export const W = (left: Formula, right: Formula): Formula => binary('W', left, right);
/** At most one `a` between consecutive `b`s. */
export const AtMostOne = (b: Formula, a: Formula): Formula => G(implies(a, X(W(not(a), b))));
export const Fcomp = (of: Formula): Formula => unary('Fcomp', of);
