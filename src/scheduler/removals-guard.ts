/** A guard against a list that was cut short by mistake (I6). */
import type { Plan } from '../core/plan.ts';
import { RemovalsRefusedError } from '../errors.ts';

/** Tasks below this number are too few to say that most of them were left out by mistake. */
const GUARDED = 10;

/** I6: a list that forgets most of what is stored is more likely a mistake than a wish. */
export function checkRemovals({ removes, stored }: Plan): void {
  if (stored >= GUARDED && removes.length > stored / 2) throw new RemovalsRefusedError(removes, stored);
}
