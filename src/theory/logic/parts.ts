/** The axioms of some parts of the theory, taken apart into what a monitor steps: by scope, safety first, then demands. */
import type { Axiom } from '../axioms/axiom.ts';
import { axioms } from '../axioms/index.ts';
import { type Monitorable, monitorable } from './monitorable.ts';

export interface Scoped {
  /** In this order: the bit of a safety axiom is its place here. */
  readonly safety: readonly Axiom[];
  readonly demands: readonly Axiom[];
  /** Safety first, then demands. */
  readonly parts: readonly Monitorable[];
}

export const partsOf = (wanted: readonly Axiom['part'][]): readonly Axiom[] =>
  axioms.filter((axiom) => wanted.includes(axiom.part));

/** By what was asked for: there are few answers, and who compiles them finds what was compiled before. */
const known = new Map<string, Scoped>();

export function scoped(wanted: readonly Axiom[], scope: Axiom['scope']): Scoped {
  const key = [scope, ...wanted.map(({ id }) => id)].join(' ');
  const scopedBefore = known.get(key);
  if (scopedBefore !== undefined) return scopedBefore;
  const made = takenApart(wanted, scope);
  known.set(key, made);
  return made;
}

function takenApart(wanted: readonly Axiom[], scope: Axiom['scope']): Scoped {
  const owned = wanted
    .filter((axiom) => axiom.scope === scope && axiom.unbreakable === undefined)
    .flatMap((axiom) =>
      monitorable(axiom.monitored ?? axiom.formula).map((part, i) => ({
        axiom: axiom.blames === undefined ? axiom : { ...axiom, blame: axiom.blames[i] },
        part,
      })),
    );
  const safety = owned.filter(({ part }) => part.kind === 'safety');
  const demands = owned.filter(({ part }) => part.kind === 'response');
  return {
    safety: safety.map(({ axiom }) => axiom),
    demands: demands.map(({ axiom }) => axiom),
    parts: [...safety, ...demands].map(({ part }) => part),
  };
}

/** The axioms that were put to the test, by the bits of their parts. */
export function seenOf({ safety, demands }: Scoped, mask: number): readonly string[] {
  return [...safety, ...demands].filter((_, i) => mask & (1 << i)).map((axiom) => axiom.id);
}
