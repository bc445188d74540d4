/** Asks for pauses, one each tenth of a second, and posts when each was asked for and when it was applied. */
import { control } from 'obbligato';
import { sleep, wallClock } from './measuring.ts';

export interface OperatorParams {
  readonly path: string;
  /** When to begin. */
  readonly from: number;
  readonly names: readonly string[];
}

export interface Asked {
  readonly askedAt: number;
  readonly appliedAt: number;
}

const EVERY_MS = 100;
const PATIENCE_MS = 60_000;

const { path, from, names }: OperatorParams = JSON.parse(process.argv[2]);
const operator = control(path);

async function ask(name: string, at: number): Promise<Asked> {
  await sleep(at - wallClock());
  const askedAt = wallClock();
  const { state, at: appliedAt } = await operator.pause(name, { wait: PATIENCE_MS });
  if (state !== 'applied' || appliedAt === null) throw new Error(`the pause of "${name}" is ${state}`);
  return { askedAt, appliedAt };
}

const asked = await Promise.all(names.map((name, index) => ask(name, from + index * EVERY_MS)));
process.send?.(asked, () => process.exit(0));
