/**
 * The axioms of some parts of the theory, as automata. First the axioms are taken apart by scope (task or call), safety first, then
 * demands: the bit of an axiom in a mask is its place in that order. Then each scope is compiled once and kept, with its tables.
 */
import type { Axiom } from '../axioms/axiom.ts';
import { RetryDue, RS } from './atoms.ts';
import { Automaton } from './automaton.ts';
import { not, or, S, Y } from './formula.ts';
import { Active, FirstComing, Paused, Registered, Running, TooOld, Unserved, Waits } from './macros.ts';
import { type Monitorable, monitorable } from './monitorable.ts';

export interface Scoped {
  readonly safety: readonly Axiom[];
  readonly demands: readonly Axiom[];
  readonly automaton: Automaton;
}

/** Few selections are asked for. Filled tables serve the next monitor too; those that have become too large are dropped. */
const known = new Map<string, Scoped>();
const MOST_STATES = 10_000;

export function scoped(wanted: readonly Axiom[], scope: Axiom['scope']): Scoped {
  const key = [scope, ...wanted.map(({ id }) => id)].join(' ');
  const before = known.get(key);
  if (before !== undefined && before.automaton.states < MOST_STATES) return before;
  const owned = wanted
    .filter((axiom) => axiom.scope === scope && axiom.unbreakable === undefined)
    .flatMap((axiom) =>
      monitorable(axiom.monitored ?? axiom.formula).map((part, i) => ({
        axiom: axiom.blames === undefined ? axiom : { ...axiom, blame: axiom.blames[i] },
        part,
      })),
    );
  const ofKind = (kind: Monitorable['kind']): readonly Axiom[] =>
    owned.filter(({ part }) => part.kind === kind).map(({ axiom }) => axiom);
  const automaton = compileTheory(owned.map(({ part }) => part));
  const made = { safety: ofKind('safety'), demands: ofKind('response'), automaton };
  known.set(key, made);
  return made;
}

/** The axioms that were put to the test, by the bits of their parts. */
export function seenOf({ safety, demands }: Scoped, mask: number): readonly string[] {
  return [...safety, ...demands].filter((_, i) => mask & (1 << i)).map((axiom) => axiom.id);
}

/** What else is known of a position. */
const probed = {
  running: Running,
  wasRunning: Y(Running),
  wasRegistered: Y(Registered),
  wasActive: Y(Active),
  firstComing: FirstComing,
  waits: Waits,
  unserved: Unserved,
  wasUnserved: Y(Unserved),
  tooOld: TooOld,
  wasTooOld: Y(TooOld),
  paused: Paused,
  wasPaused: Y(Paused),
} as const;

/** The bit of each probe, in what an automaton says of an edge. */
export const probes = Object.fromEntries(Object.keys(probed).map((name, i) => [name, 1 << i])) as Readonly<
  Record<keyof typeof probed, number>
>;

/** The memory of a retry that has come due. */
export const retryHeld = S(not(or(RS, FirstComing)), RetryDue);

export const compileTheory = (parts: readonly Monitorable[]): Automaton =>
  new Automaton(parts, Object.values(probed), [retryHeld]);
