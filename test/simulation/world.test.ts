/** Worlds, each played twice: a sample of the campaign `worlds`, with all that they must have met together. And two single worlds. */
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
import { few } from '../sample.ts';

const WORLDS = few(300, 2000);

test(`A1, A11 seeds 1 to ${WORLDS}, each twice: every start predicted, every axiom kept, the same trace byte for byte`, async (t) => {
  const counts = createCounts();
  const tested = new Set<string>();
  let starts = 0;

  for (let seed = 1; seed <= WORLDS; seed++) {
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
  // One scheduler has a file, and no database that could crash.
  const { outages: _, ...faults } = counts;
  for (const [fault, count] of Object.entries(faults)) assert.ok(count > 0, `no world had any ${fault}`);
  assert.ok(counts.crashes > 7 * WORLDS, `only ${counts.crashes} crashes`);
  // Over all worlds together, no axiom or property that a finite trace can break is vacuous. EN3 depends on the witnesses.
  const breakable = axioms.filter(({ id, unbreakable }) => unbreakable === undefined && id !== 'EN3');
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
