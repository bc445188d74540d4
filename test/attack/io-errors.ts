/** Writes and syncs of the store's files fail, or do not return for a while. */
import { constants } from 'node:os';
import type { Attack } from './attack.ts';
import { FailingDisk } from './failing-disk.ts';
import { planFor } from './owner.ts';
import { noCompiler } from './preload.ts';
import { TASKS, type Trouble, troubled } from './troubled.ts';

const { EIO, ENOSPC } = constants.errno;
const ORDERS = [
  ['a write fails with EIO', `write ${EIO}`, /^StoreIoError$/],
  ['a write fails with ENOSPC', `write ${ENOSPC}`, /^StoreFullError$/],
  ['a sync fails with EIO', `sync ${EIO}`, /^StoreIoError$/],
  ['a sync hangs', 'hang', /^StoreSlowError$/],
] as const;

export const ioErrors: Attack = {
  name: 'io-errors',
  what: 'writes and syncs fail with EIO and ENOSPC, or hang: starts wait, trouble is reported, and everything is caught up',
  unit: 'errors',
  short: ORDERS.length,
  long: 60,
  missing: noCompiler,
  async play(ground, count) {
    const plan = planFor(ground.place(), ground.place(), TASKS);
    const disk = new FailingDisk(ground, plan.file);
    const troubles = Array.from({ length: count }, (_, index): Trouble => {
      const [name, order, error] = ORDERS[index % ORDERS.length];
      return { name, error, inflict: () => disk.order(order), lift: () => disk.order('') };
    });
    return troubled(ground, plan, troubles, disk.env);
  },
};
