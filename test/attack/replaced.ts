/**
 * The file of the store is deleted, replaced, or its folder is moved away, under a running scheduler. It must notice at the next commit at the
 * latest, report it, start nothing more, and not claim at its stop that everything is durable.
 */
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import type { Ground } from './ground.ts';
import { Owner, planFor } from './owner.ts';
import { TASKS } from './troubled.ts';

const WAYS: Readonly<Record<string, (file: string) => void>> = {
  deleted: (file) => rmSync(file),
  'deleted, with its log and its lock': (file) => {
    for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${file}${end}`);
  },
  'replaced by a copy': (file) => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
  'in a folder that was moved away': (file) => {
    renameSync(dirname(file), `${dirname(file)}-moved`);
    mkdirSync(dirname(file));
  },
};

export const replaced: Attack = {
  name: 'replaced',
  what: 'the file is deleted, replaced or moved away: it is noticed and reported, nothing more starts, stop does not claim that everything is durable',
  unit: 'files',
  short: 2,
  long: 20,
  async play(ground, count) {
    const ways = Object.entries(WAYS);
    const violations: string[] = [];
    for (let time = 0; time < count; time++) {
      const [way, inflict] = ways[time % ways.length];
      violations.push(...(await once(ground, inflict)).map((found) => `a file that was ${way}: ${found}`));
      ground.advance();
    }
    return { violations, figures: { files: count } };
  },
};

async function once(ground: Ground, inflict: (file: string) => void): Promise<readonly string[]> {
  const plan = planFor(ground.place(), ground.place(), TASKS);
  const owner = new Owner(ground, plan);
  await owner.says('initialized');
  await owner.succeeds(3);
  const before = owner.said.length;
  inflict(plan.file);
  // Three more minutes come due. A start that was durable before is still called.
  await pause(3000);
  const after = owner.said.slice(before);
  const noticedAt = after.findIndex(({ type }) => type === 'StoreTroubleStarted');
  const violations: string[] = [];
  if (noticedAt < 0) violations.push('nothing was reported');
  const starts = after.slice(noticedAt).filter(({ type }) => /^Task(Run|Retry)Started$/.test(type));
  if (noticedAt >= 0 && starts.length > 0) violations.push(`${starts.length} starts after it was reported`);
  const end = await owner.stop();
  if (end.type === 'stopped') violations.push('stop claims that everything is durable');
  return violations;
}
