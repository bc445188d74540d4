/** One axiom by its id. */
import { type Axiom, axioms } from '../../../src/theory/axioms/index.ts';

export function axiomOf(id: string): Axiom {
  const axiom = axioms.find((one) => one.id === id);
  if (axiom === undefined) throw new RangeError(`There is no axiom ${id}`);
  return axiom;
}
