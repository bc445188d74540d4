/** The latest runs, as the page keeps them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Past, tookMs } from '../../src/dashboard/past.ts';
import { memory, type PastRun, type Store } from '../../src/index.ts';

const run = (count: number, outcome: PastRun['outcome'] = 'success'): PastRun => ({
  task: 'a',
  runId: `r${count}`,
  key: `k${count}`,
  attempt: 1,
  reason: 'due',
  scheduledFor: count * 1000,
  calledAt: count * 1000,
  endedAt: count * 1000 + 500,
  outcome,
  instanceId: 'i',
  error: null,
});

/** A store whose history is what a test says, the newest first. */
function storeOf(): { store: Store; runs: PastRun[] } {
  const runs: PastRun[] = [];
  const store = Object.assign(memory(), {
    async *history({ limit = Number.POSITIVE_INFINITY }: { limit?: number }) {
      yield* runs.toReversed().slice(0, limit);
    },
  });
  return { store, runs };
}

const idsOf = (past: Past): string[] => past.of('a').map(({ runId }) => runId);

test('J2 runs that the store has let go, the newest of them too, are none any more', async () => {
  const { store, runs } = storeOf();
  const past = new Past(store);
  runs.push(run(1), run(2));
  await past.refresh();
  assert.deepEqual([idsOf(past), past.since], [['r1', 'r2'], Number.NEGATIVE_INFINITY]);
  runs.splice(0, 2, run(3));
  await past.refresh();
  assert.deepEqual(idsOf(past), ['r3']);
});

test('J2 of more runs than are kept, each is there once, and those before them are said to be missing', async () => {
  const { store, runs } = storeOf();
  const past = new Past(store, 3);
  runs.push(run(1), run(2));
  await past.refresh();
  runs.push(run(3), run(4), run(5));
  await past.refresh();
  assert.deepEqual([idsOf(past), past.since], [['r3', 'r4', 'r5'], 5500 - 2000]);
});

test('nobody knows how long a run took that was cut off', () => {
  assert.deepEqual([tookMs(run(1)), tookMs(run(1, 'cut off'))], [500, 0]);
});
