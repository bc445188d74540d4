/** A run that is completed in a transaction of the user (K8), and the death of its instance. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newRecord } from '../../../src/store/conformance-kit.ts';
import type { EndChange, StartChange } from '../../../src/store/port.ts';
import { freshSchema, type Server, startServer } from './server.ts';
import { Twin } from './twin.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const work = { key: 'a-1', scheduledFor: 5, attempt: 1 };
const run = { runId: 'a-1', instanceId: 'a', reason: 'due', cutOffAt: null } as const;
const start = (): StartChange => ({
  name: 't',
  work,
  run: { ...run, startedAt: Date.now() - 5000 },
  version: 1,
});
const success: EndChange = {
  name: 't',
  runId: 'a-1',
  instanceId: 'a',
  reason: 'due',
  work,
  calledAt: 6,
  endedAt: 7,
  outcome: 'success',
  pendingRetryUntil: null,
  failures: 0,
  failingSince: null,
  error: null,
};

test('K3 K8 a death waits for the transaction in which a run is completed, and holds nobody up', async () => {
  for (const ending of ['COMMIT', 'ROLLBACK'] as const) {
    const twin = await Twin.begin(server.url, freshSchema());
    try {
      await twin.join('a');
      await twin.join('b');
      await twin.commit('a', { epoch: 0, sent: 1, list: new Set(['t']), puts: [newRecord('t')] });
      assert.equal(
        await twin.commit('a', { epoch: 1, sent: 2, starts: [start()] }),
        '',
        'the start is granted',
      );
      await twin.age('a', 'lapsed');
      await twin.age('b', 'steady');
      await twin.complete('a', success, ending, () => twin.declaresNobody('b'));
      await twin.compare();
      await twin.declareDead('b');
      await twin.compare();
      const { run } = twin.cluster.records.get('t') ?? {};
      assert.deepEqual([twin.cluster.members.has('a'), run === null], [false, ending === 'COMMIT']);
    } finally {
      await twin.end();
    }
  }
});
