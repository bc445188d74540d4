/**
 * The file of the store is deleted, replaced, or its folder is moved away, under a running scheduler. It must notice at the next commit at the
 * latest, report it, start nothing more, and not claim at its stop that everything is durable.
 */
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
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
  const plan = { ...planFor(ground.place(), ground.place(), TASKS), finalWriteMs: 2000 };
  const owner = new Owner(ground, plan);
  await owner.says('initialized');
  await owner.succeeds(3);
  await owner.calm();
  inflict(plan.file);
  const minutesOfTrouble = (): number => owner.inTrouble.filter(({ type }) => type === 'minute').length;
  await owner.event(() => minutesOfTrouble() >= 3, 0, 'three minutes of trouble');
  const violations: string[] = [];
  const starts = owner.inTrouble.filter(({ type }) => /^Task(Run|Retry)Started$/.test(type));
  if (starts.length > 0) violations.push(`${starts.length} starts after it was reported`);
  const end = await owner.stop();
  if (end.type === 'stopped') violations.push('stop claims that everything is durable');
  return violations;
}
