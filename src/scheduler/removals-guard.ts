/** A guard against a list that was cut short by mistake (I6). */
import type { Plan } from '../core/plan.ts';
import { RemovalsRefusedError } from '../errors.ts';

/** Tasks below this number are too few to say that most of them were left out by mistake. */
const GUARDED = 10;

/** I6: a list that forgets most of what is stored is more likely a mistake than a wish. */
export function checkRemovals(plan: Pick<Plan, 'removes' | 'stored'>): void {
  if (forgetsMost(plan)) throw new RemovalsRefusedError(plan.removes, plan.stored);
}

/** Whether a guarded `initialize` would be refused. */
export const forgetsMost = ({ removes, stored }: Pick<Plan, 'removes' | 'stored'>): boolean =>
  stored >= GUARDED && removes.length > stored / 2;
