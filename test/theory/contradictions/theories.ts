/** The theories that the search is run on, each over a universe of a few tasks, schedules and lists. */

import { axioms as repairedAxioms } from '../../../src/theory/axioms/index.ts';
import { DueThen, REs, RS } from '../../../src/theory/logic/atoms.ts';
import { and, type Formula, G, Hold, implies, not, or, S, Y } from '../../../src/theory/logic/formula.ts';
import * as macros from '../../../src/theory/logic/macros.ts';
import * as literal from '../reference/literal.ts';
import type { Universe } from './slice.ts';

export interface Theory {
  readonly name: string;
  /** Axioms in a form that can be decided as the trace goes, by their numbers. */
  readonly axioms: Readonly<Record<string, Formula>>;
  /** What is said to follow: looked at, and not enforced. */
  readonly theorems?: Readonly<Record<string, Formula>>;
  readonly obligation: Formula;
  /** Why something is pending, each reason with its name. */
  readonly reasons: Readonly<Record<string, Formula>>;
  readonly retries: 'latest' | 'every';
  /** Whether a crash may come between the commit of an initialization and its success (T11). */
  readonly commits: 'judged' | 'left out';
  /** Whether a minute can begin at the very position of a start (T13). */
  readonly pulses: 'apart' | 'shared';
  readonly universe: Universe;
}

const reasonsOf = (from: typeof macros | typeof literal): Readonly<Record<string, Formula>> => ({
  due: from.DuePending,
  retry: from.RetryPending,
  orphaned: from.OrphanedPending,
  boot: from.BootDuePending,
});

export const repairedTheory: Theory = {
  name: 'the repaired theory',
  axioms: Object.fromEntries(
    repairedAxioms
      .filter(({ part, id }) => part === 'scheduler' && id !== 'S4' && id !== 'WA')
      .map(({ id, formula, monitored }) => [id, monitored ?? formula]),
  ),
  obligation: macros.Obligation,
  reasons: reasonsOf(macros),
  retries: 'latest',
  commits: 'judged',
  pulses: 'apart',
  universe: {
    names: ['x', 'y'],
    schedules: ['A', 'B'],
    lists: [
      [],
      [{ name: 'x', schedule: 'A' }],
      [{ name: 'x', schedule: 'B' }],
      [
        { name: 'x', schedule: 'A' },
        { name: 'y', schedule: 'A' },
      ],
    ],
  },
};

/** The same, asked which of its theorems follow, and whether S2 does: what else the older models promise, where a trace can break it. */
export const repairedTheorems: Theory = {
  ...repairedTheory,
  name: 'the repaired theory without S2, and its theorems,',
  axioms: Object.fromEntries(Object.entries(repairedTheory.axioms).filter(([id]) => id !== 'S2')),
  theorems: Object.fromEntries(
    repairedAxioms
      .filter(
        ({ part, id, unbreakable }) =>
          (part === 'theorems' || part === 'polling' || id === 'S2') && !unbreakable,
      )
      .map(({ id, formula, monitored }) => [id, monitored ?? formula]),
  ),
};

/** S2 as it was first repaired: only a due of the registration that the name had at the due renews (T14). */
const FirstRenewal = or(DueThen, macros.FirstComing);
const FirstSpent = Hold(and(REs, Y(macros.Running), not(S(not(RS), FirstRenewal))), FirstRenewal);
export const firstRepair: Theory = {
  ...repairedTheory,
  name: 'the first repair',
  axioms: {
    ...repairedTheory.axioms,
    S2: G(implies(and(REs, Y(macros.Running)), not(S(not(RS), and(RS, FirstSpent))))),
  },
};

const tuple = (name: string, schedule: string) => ({ name: `${name}|${schedule}`, schedule });

const { S4: _ends, ...literalAxioms } = literal.monitored;
export const literalTheory: Theory = {
  name: 'the letter',
  axioms: literalAxioms,
  obligation: literal.Obligation,
  reasons: reasonsOf(literal),
  retries: 'every',
  commits: 'left out',
  pulses: 'shared',
  universe: {
    names: ['x|A', 'x|B', 'y|A'],
    schedules: ['A', 'B'],
    lists: [[], [tuple('x', 'A')], [tuple('x', 'B')], [tuple('x', 'A'), tuple('y', 'A')]],
    tuples: new Map([
      ['x|A', 'A'],
      ['x|B', 'B'],
      ['y|A', 'A'],
    ]),
  },
};

/** A theory with fewer tasks: only lists of these. */
export function only(theory: Theory, names: readonly string[]): Theory {
  const { universe } = theory;
  const lists = universe.lists.filter((list) => list.every(({ name }) => names.includes(name)));
  return { ...theory, universe: { ...universe, names, lists } };
}
