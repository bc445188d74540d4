/**
 * A sync of the store does not return, and the scheduler is asked to stop. `stop` rejects in time. The thread, the lock and the process stay until
 * the system call returns, because nothing can end that call: so nobody else gets the store meanwhile. The next life finds everything that was durable.
 */
import type { Attack } from './attack.ts';
import { FailingDisk } from './failing-disk.ts';
import type { Ground } from './ground.ts';
import { Owner, planFor } from './owner.ts';
import { noCompiler } from './preload.ts';
import { TASKS } from './troubled.ts';
import { aftermath, type Judgement, repeatedly } from './verdict.ts';

export const hanging: Attack = {
  name: 'hanging',
  what: 'a sync hangs while the scheduler stops: stop rejects in time, nobody else gets the store, the next life goes on',
  unit: 'times',
  short: 1,
  long: 20,
  missing: noCompiler,
  play: (ground, count) => repeatedly(ground, count, once),
};

async function once(ground: Ground): Promise<Judgement> {
  const plan = planFor(ground.place(), ground.place(), TASKS);
  const disk = new FailingDisk(ground, plan.file);
  const owner = new Owner(ground, { ...plan, finalWriteMs: 2000 }, disk.env);
  await owner.says('initialized');
  await owner.succeeds(3);
  const before = await owner.calm();
  disk.order('hang');
  const violations: string[] = [];
  const trouble = await owner.says('StoreTroubleStarted', before);
  if (trouble.error?.name !== 'StoreSlowError') violations.push(`reported as ${JSON.stringify(trouble)}`);
  owner.child.kill('SIGTERM');
  const end = await owner.event(({ type }) => /^stop/.test(type), before, 'the answer of stop');
  if (end.type !== 'stop failed') violations.push(`nothing could be written, and stop said ${end.type}`);
  const rival = new Owner(ground, { ...plan, trace: `${plan.trace}.rival` });
  const answer = await rival.event(({ type }) => type === 'refused' || type === 'initialized', 0);
  if (answer.error?.name !== 'StoreLockedError')
    violations.push(`a rival was answered ${JSON.stringify(answer)}`);
  disk.order('');
  await owner.exited;
  const judgement = await aftermath(ground, plan);
  return { ...judgement, violations: [...violations, ...judgement.violations] };
}
