/** The end that a transaction of the user carries (K8), without a database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndChange } from '../../../src/core/changes.ts';
import { type CompletingStore, TransactionEnds } from '../../../src/store/sharing/transaction-ends.ts';
import { createTestClock } from '../../../src/testing/index.ts';

test('H9 K8 the end of a run that skips is the instant of complete, and serves every due up to that', async () => {
  const written: EndChange[] = [];
  const store: CompletingStore = {
    now: () => 90,
    async complete(_, end, began) {
      written.push(end);
      began({ outcome: async () => 'durable' });
      return true;
    },
  };
  const tasks = { calledAt: () => 50, servedByEnd: (_: number, endedAt: number) => endedAt };
  const clock = createTestClock();
  const ends = new TransactionEnds(store, { instanceId: 'a', clock, tasks, spread: () => 0 });
  const work = { key: 'a-1', scheduledFor: new Date(40), attempt: 1 };
  const run = { name: 't', runId: 'a-1', ...work, reason: 'due', isOver: false } as const;
  await ends.complete(0, run, async () => []);
  const [{ calledAt, servedThrough, endedAt }] = written;
  assert.deepEqual({ calledAt, servedThrough, endedAt }, { calledAt: 50, servedThrough: 90, endedAt: 90 });
  assert.deepEqual(await ends.settle(0), written[0], 'the scheduler goes on from what is durable');
});
