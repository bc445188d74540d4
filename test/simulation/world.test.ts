/** The first half of the short form of `npm run campaign -- worlds`, and two single worlds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld } from '../../src/simulation/index.ts';
import { testAThousandWorlds } from './short-form.ts';

testAThousandWorlds(1);

test('the trace is complete: every crash, every downtime, every run', async () => {
  const { trace, counts, starts } = await createWorld({ seed: 7 }).run();
  const count = (event: string): number => trace.filter((record) => record.event === event).length;
  assert.equal(count('UnexpectedShutdown'), counts.crashes);
  assert.ok(count('Frozen') >= counts.crashes);
  assert.ok(count('RunStart') >= starts);
  for (const [index, record] of trace.entries()) {
    if (record.event === 'UnexpectedShutdown') assert.equal(record.at, trace[index - 1].at);
  }
});

test('a hundred tasks for two hours, with a crash: every start is predicted', async (t) => {
  const { scenario } = createWorld({ seed: 1 });
  const tasks = Array.from({ length: 100 }, (_, index) => ({
    name: `t${index}`,
    cron: '* * * * *',
    retryDelayMs: 1000,
  }));
  const HOUR = 3_600_000;
  const startedAt = performance.now();
  const { violations, simulatedMs, starts } = await createWorld({
    scenario: {
      ...scenario,
      workers: 0,
      events: [
        [0, { kind: 'start', tasks }],
        [HOUR, { kind: 'crash', downMs: 1000 }],
        [2 * HOUR, { kind: 'intrude' }],
      ],
    },
  }).run();
  assert.deepEqual(violations, []);
  assert.ok(starts > 5000, `only ${starts} starts`);
  // How fast that is depends on the machine: npm run bench -- simulation.
  const times = simulatedMs / (performance.now() - startedAt);
  t.diagnostic(`${Math.round(times)} times faster than real time, ${starts} starts`);
});
