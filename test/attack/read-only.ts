/**
 * The file system of the store turns read-only under a running scheduler, as ext4 does when its disk fails. It stays so until it is checked and
 * mounted again, so this scheduler cannot stop well, and must say so; the next one finds everything that was durable.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from './attack.ts';
import { type Ground, noMounts } from './ground.ts';
import { Owner, planFor } from './owner.ts';
import { isOnlySlow, TASKS } from './troubled.ts';
import { aftermath, type Judgement, repeatedly } from './verdict.ts';

const IMAGE_BYTES = 16 * 2 ** 20;

export const readOnly: Attack = {
  name: 'read-only',
  what: 'the file system turns read-only: trouble is reported, stop does not claim that everything is durable, the next life goes on',
  unit: 'times',
  short: 1,
  long: 10,
  missing: () => noMounts() ?? noExt4(),
  play: (ground, count) => repeatedly(ground, count, once),
};

async function once(ground: Ground): Promise<Judgement> {
  const image = join(ground.place(), 'image');
  makeFileSystem(image);
  const disk = ground.mount('-o', 'loop', image);
  const plan = planFor(disk, ground.place(), TASKS);
  const owner = new Owner(ground, { ...plan, finalWriteMs: 2000 });
  await owner.says('initialized');
  await owner.succeeds(3);
  const before = await owner.calm();
  execFileSync('mount', ['-o', 'remount,abort', disk], { stdio: 'pipe' });
  const violations: string[] = [];
  const trouble = await owner.says('StoreTroubleStarted', before);
  if (!/^Store(Unwritable|Io)Error$/.test(trouble.error?.name ?? '') && !isOnlySlow(trouble))
    violations.push(`reported as ${JSON.stringify(trouble)}`);
  const end = await owner.stop();
  if (end.type !== 'stop failed')
    violations.push(`it could not write, and ended with ${JSON.stringify(end)}`);
  ground.unmount(disk);
  repair(image);
  const repaired = planFor(ground.mount('-o', 'loop', image), plan.folder, TASKS);
  const judgement = await aftermath(ground, { ...plan, file: repaired.file });
  return { ...judgement, violations: [...violations, ...judgement.violations] };
}

function makeFileSystem(image: string): void {
  const file = openSync(image, 'w');
  ftruncateSync(file, IMAGE_BYTES);
  closeSync(file);
  execFileSync('mkfs.ext4', ['-q', '-F', image], { stdio: 'pipe' });
}

function repair(image: string): void {
  try {
    execFileSync('e2fsck', ['-fy', image], { stdio: 'ignore' });
  } catch (error) {
    const isRepaired = Reflect.get(Object(error), 'status') === 1;
    if (!isRepaired) throw error;
  }
}

/** Why no ext4 file system can be mounted from a file here, if so. */
function noExt4(): string | undefined {
  try {
    execFileSync('sh', ['-c', 'command -v mkfs.ext4 e2fsck && test -e /dev/loop-control'], {
      stdio: 'ignore',
    });
    return undefined;
  } catch {
    return 'there is no mkfs.ext4, or no loop device';
  }
}
