/** The short form of `npm run simulate`: two thousand worlds, each played twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCounts,
  createCounts,
  createWorld,
  describeScenario,
  runTwice,
} from '../../src/simulation/index.ts';
import { axioms } from '../../src/theory/index.ts';

test('A1, A11 two thousand seeds, each twice: every start predicted, every axiom kept, the same trace byte for byte', async (t) => {
  const counts = createCounts();
  const tested = new Set<string>();
  let starts = 0;

  for (let seed = 1; seed <= 2000; seed++) {
    const world = createWorld({ seed });
    const report = await runTwice(world);
    const [first] = report.violations;
    if (first !== undefined)
      assert.fail(`${first.rule}: ${first.because}\n${describeScenario(world.scenario)}`);
    addCounts(counts, report.counts);
    starts += report.starts;
    for (const axiom of report.tested) tested.add(axiom);
  }
  t.diagnostic(`${starts} starts; ${JSON.stringify(counts)}`);
  for (const [fault, count] of Object.entries(counts)) assert.ok(count > 0, `no world had any ${fault}`);
  assert.ok(counts.crashes > 15_000, `only ${counts.crashes} crashes`);
  // Over all worlds together, no axiom or property that a finite trace can break is vacuous. A3 is of the witnesses.
  const breakable = axioms.filter(({ id, unbreakable }) => unbreakable === undefined && id !== 'A3');
  assert.deepEqual(
    breakable.map(({ id }) => id).filter((id) => !tested.has(id)),
    [],
    'never put to the test',
  );
});

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

test('B0 a hundred tasks run at least a thousand times faster than the clock on the wall', async (t) => {
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
  const times = simulatedMs / (performance.now() - startedAt);
  t.diagnostic(`${Math.round(times)} times faster than real time, ${starts} starts`);
  assert.ok(times >= 1000, `only ${times} times`);
  assert.ok(starts > 5000, `only ${starts} starts`);
});
