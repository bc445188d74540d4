/**
 * Brings an axiom into the form that a monitor can decide as it goes: at each position, a formula of the past that says whether
 * the axiom breaks *here*; or, for the compute-bounded axioms, which demand is open.
 *
 * - `G φ`, with φ of the past: breaks where φ is false.
 * - `G (A → P W Q)`: breaks where neither P nor Q holds, after an A since which no Q has come. With an X before the W, the
 *   position of A itself does not count.
 * - `G (A → F_comp Q)`: a demand opens with A and is open until Q. How long it may be is not a matter of the formula.
 */
import { and, anywhere, type Formula, not, or, S, Then, True, Y } from './formula.ts';

export interface Safety {
  readonly kind: 'safety';
  /** What must hold before the axiom says anything: where this never was, the axiom was not tested. */
  readonly when: Formula;
  readonly broken: Formula;
}

export interface Response {
  readonly kind: 'response';
  readonly when: Formula;
  /** Whether the demand is open, and its memory of having been raised: what is held is open unless it is met here. */
  readonly open: Formula;
  readonly held: Formula;
}

/** An axiom in the form that a monitor decides. */
export type Monitorable = Safety | Response;

/** A formula that no monitor can decide as it goes. */
export class NotMonitorableError extends Error {
  constructor(formula: Formula, why: string) {
    super(`A monitor cannot decide a formula with ${formula.op}: ${why}`);
    this.name = 'NotMonitorableError';
  }
}

const future = new Set(['X', 'F', 'G', 'U', 'W', 'Fcomp']);

/** Whether a formula speaks of the past and the present only. */
const isPast = (formula: Formula): boolean => !anywhere(formula, ({ op }) => future.has(op));

/** Splits `A → C`; a formula that is no implication is `⊤ → C`. */
function implication(formula: Formula): readonly [Formula, Formula] {
  return formula.op === 'or' && (formula.left.op === 'not' || !isPast(formula.right))
    ? [not(formula.left), formula.right]
    : [True, formula];
}

/** For every list R, φ(R): written as ¬∃R. ¬φ(R). */
function throughLists(formula: Formula): Formula {
  return formula.op === 'not' && formula.of.op === 'someList' && formula.of.of.op === 'not'
    ? formula.of.of.of
    : formula;
}

/** The parts of a formula of the form `G …`, or a conjunction of such. */
export function monitorable(formula: Formula): readonly Monitorable[] {
  if (formula.op === 'and') return [...monitorable(formula.left), ...monitorable(formula.right)];
  if (formula.op !== 'G') throw new NotMonitorableError(formula, 'it must begin with G');
  return always(formula.of);
}

function always(body: Formula): readonly Monitorable[] {
  if (body.op === 'and' && !isPast(body)) return [...always(body.left), ...always(body.right)];
  const [when, then] = implication(throughLists(body));
  if (!isPast(when)) throw new NotMonitorableError(body, 'what it asks for first is not of the past');
  if (then.op === 'Fcomp' && isPast(then.of)) {
    // What is demanded and met at one position is met, and not open again at the next (T15).
    const unmet = not(Then(then.of));
    const held = S(unmet, and(Then(when), unmet));
    return [{ kind: 'response', when, open: and(held, unmet), held }];
  }
  const isNext = then.op === 'X';
  const inner = then.op === 'X' ? then.of : then;
  if (inner.op === 'W' && isPast(inner.left) && isPast(inner.right)) {
    const { left: kept, right: released } = inner;
    // What began it, and what would have ended it, are seen as they were then.
    const waits = not(Then(released));
    const awaiting = isNext ? Y(S(waits, Then(when))) : or(when, Y(S(waits, and(Then(when), waits))));
    return [{ kind: 'safety', when, broken: and(not(kept), not(released), awaiting) }];
  }
  if (!isPast(then)) throw new NotMonitorableError(body, 'what it promises is neither past, W nor F_comp');
  return [{ kind: 'safety', when, broken: not(body) }];
}
