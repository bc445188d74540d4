/** The simulated disk: without faults it is a store like any other; with faults, a crash keeps a prefix of the batches. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notifyAll } from '../../src/simulation/judges/judge.ts';
import { Disk } from '../../src/simulation/machine/disk.ts';
import { Timeline } from '../../src/simulation/machine/timeline.ts';
import { Random } from '../../src/simulation/scenario/random.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { type Store, storeConformance } from '../../src/store/index.ts';

const calm = { latencyMs: 5, refusedPerMille: 0, unansweredPerMille: 0 };

/** A disk whose time passes by itself, until the test is over. */
function running(seed: number): { disk: Disk; store: Store; stop: () => Promise<void> } {
  const timeline = new Timeline(0);
  const disk = new Disk(timeline, new Random(seed), calm);
  let over = false;
  const tick = (): void => {
    timeline.plan(1, tick);
  };
  tick();
  const driven = timeline.drive(() => over);
  const stop = (): Promise<void> => {
    over = true;
    return driven;
  };
  return { disk, store: disk.storeFor(notifyAll([]), () => true), stop };
}

describe('conformance of the simulated disk', () => {
  const create = async () => {
    const { store, stop } = running(1);
    return { store, again: () => store, cleanup: stop };
  };
  for (const { name, run } of storeConformance(create)) test(name, run);
});

test('E5 a crash keeps a prefix of the batches in flight; every prefix occurs', async () => {
  const kept = new Set<number>();
  for (let seed = 0; seed < 200; seed++) {
    const { disk, store, stop } = running(seed);
    const session = await store.open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('synced')] });
    for (const name of ['a', 'b', 'c']) void session.commit({ puts: [newRecord(name)] });
    disk.crash();
    const next = await store.open({ waitMs: 0 });
    const names = (await next.read()).map((record) => String(Reflect.get(Object(record), 'name')));
    assert.deepEqual(names, ['synced', 'a', 'b', 'c'].slice(0, names.length));
    assert.ok(names.length >= 1, 'a synced batch is never lost');
    kept.add(names.length);
    await stop();
  }
  assert.deepEqual([...kept].sort(), [1, 2, 3, 4]);
});
