/** The disk of the store runs full under a running scheduler: a tmpfs of a few megabytes, and a file that takes what is left. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from './attack.ts';
import { noMounts } from './ground.ts';
import { planFor } from './owner.ts';
import { TASKS, type Trouble, troubled } from './troubled.ts';

export const diskFull: Attack = {
  name: 'disk-full',
  what: 'a real disk runs full and is made free again: starts wait, trouble is reported, and everything is caught up',
  unit: 'times',
  short: 1,
  long: 20,
  missing: noMounts,
  play(ground, count) {
    const disk = ground.mount('-t', 'tmpfs', '-o', 'size=8m', 'tmpfs');
    const filler = join(disk, 'filler');
    const trouble: Trouble = {
      name: 'full',
      error: /^StoreFullError$/,
      inflict: () => fill(filler),
      lift: () => rmSync(filler),
    };
    return troubled(ground, planFor(disk, ground.place(), TASKS), Array(count).fill(trouble));
  },
};

/** Writes until nothing more fits, in pieces that get smaller. */
export function fill(path: string): void {
  const file = openSync(path, 'w');
  for (let bytes = 2 ** 20; bytes >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes >>= 1;
    } catch {
      bytes >>= 1;
    }
  }
  closeSync(file);
}
