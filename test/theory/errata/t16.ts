/**
 * The bounds of L2 and L3 are linear in a list, and the letter takes the wrong one. Here an initialization costs a unit of compute
 * for each task that it adds and each that it removes, which no implementation that looks at every task can avoid.
 */
import type { Formula } from '../../../src/theory/logic/formula.ts';
import { axiomOf } from '../reference/axiom-of.ts';
import { NaiveEvaluator } from '../reference/naive.ts';
import type { Position } from '../reference/position.ts';

const L2 = axiomOf('L2');
const L3 = axiomOf('L3');

export interface Bound {
  readonly a: number;
  readonly b: number;
}

interface Costly {
  readonly axiom: Formula;
  readonly positions: readonly Position[];
  /** By position, the size of the list that the letter counts, and of all lists that are at work. */
  readonly counted: readonly number[];
  readonly atWork: readonly number[];
}

const list = { list: 'R', registrations: [], live: false } as const;

/** A stop during the first initialization, of n tasks, must wait for it (D7): the letter counts what is registered, nothing. */
export const stopDuringFirst = (n: number): Costly => ({
  axiom: L3.formula,
  positions: [
    { event: 'IS', at: 0 },
    { event: 'SS', at: 0 },
    { event: 'IEs', at: n, ...list },
    { event: 'SE', at: n },
  ],
  counted: [0, 0, n, n],
  atWork: [n, n, n, n],
});

/** An initialization with no task at all must forget, and name, the n that were there (E4): the letter counts the new list. */
export const removalOfAll = (n: number): Costly => ({
  axiom: L2.formula,
  positions: [
    { event: 'IS', at: 0 },
    { event: 'IEs', at: n, ...list },
  ],
  counted: [0, 0],
  atWork: [n, 0],
});

/** Whether the axiom can still hold with these witnesses; a unit of compute is granted each millisecond. */
export function fits(
  { axiom, positions, ...sizes }: Costly,
  by: 'counted' | 'atWork',
  { a, b }: Bound,
): boolean {
  const within = (from: number, to: number): boolean =>
    positions[to].at - positions[from].at <= a * sizes[by][from] + b;
  return new NaiveEvaluator(positions, { task: 'nobody', within }).at(axiom, 0) !== false;
}
