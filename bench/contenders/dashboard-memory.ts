/**
 * What a dashboard keeps in memory, in the process of a scheduler: at first, after as many looks as in some minutes or an hour, and when all viewers have gone and it has
 * forgotten. Garbage is collected before each figure, so what is left is what is held.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Orders } from '../../src/dashboard/orders.ts';
import { Snapshots } from '../../src/dashboard/snapshots.ts';
import type { Store } from '../../src/index.ts';

/** Bytes that are held. */
export interface Held {
  readonly before: number;
  readonly first: number;
  readonly half: number;
  readonly end: number;
  readonly gone: number;
}

const FORGOTTEN_MS = 50;
const SORTS = ['name', 'state', 'next', 'last'] as const;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heldBytes(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Each look is followed by the lists that viewers ask for. */
export async function heldOver(store: Store, looks: number): Promise<Held> {
  const before = heldBytes();
  const snapshots = new Snapshots(store, 'UTC', Date.now, { forgottenMs: FORGOTTEN_MS });
  const orders = new Orders(snapshots.past);
  const leave = snapshots.listen(() => {});
  const look = async (times: number): Promise<number> => {
    for (let each = 0; each < times; each++) {
      await snapshots.refresh();
      const snapshot = await snapshots.whole();
      for (const sort of SORTS)
        orders.of(snapshot, { search: '', filter: 'all', sort, order: 'up' }).slice(0, 50);
    }
    return heldBytes();
  };
  const first = await look(1);
  const half = await look(looks / 2);
  const end = await look(looks / 2);
  leave();
  await delay(20 * FORGOTTEN_MS);
  const gone = heldBytes();
  await snapshots.close();
  return { before, first, half, end, gone };
}
