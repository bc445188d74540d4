/** Simulated worlds with several instances: the short form of `npm run campaign -- cluster-worlds`, and every world that ever failed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cutDownCluster } from '../../../src/simulation/cluster/shrink.ts';
import {
  addCounts,
  type ClusterScenario,
  createClusterWorld,
  createCounts,
  describeClusterScenario,
  runClusterTwice,
} from '../../../src/simulation/index.ts';

/** Enough for every planted fault of `faults.test.ts`, and a matter of seconds. */
const SEEDS = 60;

test('K1 K2 K3 K4 K5 K6 K7 K9 worlds of several instances keep every rule, and their merged traces every axiom', async (t) => {
  const counts = createCounts();
  let starts = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = createClusterWorld({ seed });
    const report = await world.run();
    const [first] = report.violations;
    if (first !== undefined)
      assert.fail(
        `seed ${seed}, ${first.rule}: ${first.because}\n${describeClusterScenario(world.scenario)}`,
      );
    addCounts(counts, report.counts);
    starts += report.starts;
  }
  t.diagnostic(`${starts} starts; ${JSON.stringify(counts)}`);
  for (const fault of ['crashes', 'stops', 'reloads', 'freezes', 'troubles', 'failures'] as const)
    assert.ok(counts[fault] > 0, `no world had any ${fault}`);
  for (const fault of ['refused', 'unanswered', 'stalled', 'failedInitializations'] as const)
    assert.ok(counts[fault] > 0, `no world had any ${fault}`);
  assert.ok(starts > SEEDS, `only ${starts} starts`);
});

test('A11 a world of several instances is the same each time, byte for byte', async () => {
  for (const seed of [3, 11, 54])
    assert.deepEqual((await runClusterTwice(createClusterWorld({ seed }))).violations, []);
});

const kept = new URL('./kept.json', import.meta.url);
const KEPT: ReadonlyArray<{ readonly title: string; readonly scenario: ClusterScenario }> = JSON.parse(
  readFileSync(kept, 'utf8'),
);

for (const { title, scenario } of KEPT)
  test(`K1 a world that failed once: ${title}`, async () => {
    assert.deepEqual((await createClusterWorld({ scenario }).run()).violations, []);
  });

test('a scenario is cut down to what still fails', async () => {
  const { scenario } = createClusterWorld({ seed: 2 });
  const hasCrash = ({ events }: ClusterScenario): boolean =>
    events.some(([, action]) => action.kind === 'crash' && action.host === 0);
  const events = [...scenario.events, [90_000, { kind: 'crash', host: 0 }] as const];
  const smaller = await cutDownCluster({ ...scenario, events }, async (each) => hasCrash(each));
  assert.equal(smaller.events.length, 1);
  assert.ok(hasCrash(smaller));
  assert.deepEqual([smaller.lostPerMille, smaller.latencyMs], [0, 0]);
});
