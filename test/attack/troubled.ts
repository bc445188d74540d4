/**
 * A scheduler whose disk fails under it and comes back, again and again. Trouble is reported with an error that says what is wrong, and so is
 * its end; then everything that came due meanwhile is started, once. The trace is judged: nothing was called that was not durable.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../outcome.ts';
import type { Ground } from './ground.ts';
import { type AttackedTask, Owner, type OwnerPlan } from './owner.ts';
import { concluded } from './verdict.ts';

export const TASKS: readonly AttackedTask[] = [
  { name: 'quick', cron: '* * * * *', takesMs: 0, failures: 0 },
  { name: 'slow', cron: '* * * * *', takesMs: 300, failures: 0 },
  { name: 'failing at first', cron: '* * * * *', takesMs: 10, failures: 2 },
];

/** One way in which the disk fails. */
export interface Trouble {
  readonly name: string;
  /** The name of the error that must be reported. */
  readonly error: RegExp;
  inflict(): void;
  lift(): void;
}

/** How long trouble is left alone, in milliseconds of the machine: a minute comes due each second. */
const TROUBLE_MS = 1200;

/**
 * The clock of an owner runs so fast that its patience is a tenth of a second of the machine. If the machine is busy, an answer takes longer, and
 * then that is what is reported first, and rightly so; the trouble is the same.
 */
export const isOnlySlow = ({ error }: { readonly error?: { readonly name: string } }): boolean =>
  error?.name === 'StoreSlowError';

export async function troubled(
  ground: Ground,
  plan: OwnerPlan,
  troubles: readonly Trouble[],
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const owner = new Owner(ground, plan, env);
  await owner.says('initialized');
  await owner.succeeds(3);
  const violations: string[] = [];
  for (const { name, error, inflict, lift } of troubles) {
    const before = await owner.calm();
    inflict();
    const reported = await owner.says('StoreTroubleStarted', before);
    if (!error.test(reported.error?.name ?? '') && !isOnlySlow(reported))
      violations.push(`${name}: reported as ${JSON.stringify(reported)}`);
    await pause(TROUBLE_MS);
    lift();
    await owner.says('StoreTroubleEnded', before);
    await owner.succeeds(3);
    ground.advance();
  }
  const { violations: found, starts } = await concluded(ground, plan, owner);
  return { violations: [...violations, ...found], figures: { troubles: troubles.length, starts } };
}
