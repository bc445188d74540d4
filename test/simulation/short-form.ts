/**
 * The short form of `npm run campaign -- worlds`: two thousand worlds, each played twice. Two test files have half of it each, for two
 * cores.
 */
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

export function testAThousandWorlds(from: number): void {
  const to = from + 999;
  test(`A1, A11 seeds ${from} to ${to}, each twice: every start predicted, every axiom kept, the same trace byte for byte`, async (t) => {
    const counts = createCounts();
    const tested = new Set<string>();
    let starts = 0;

    for (let seed = from; seed <= to; seed++) {
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
    assert.ok(counts.crashes > 7500, `only ${counts.crashes} crashes`);
    // Over all worlds together, no axiom or property that a finite trace can break is vacuous. EN3 depends on the witnesses.
    const breakable = axioms.filter(({ id, unbreakable }) => unbreakable === undefined && id !== 'EN3');
    assert.deepEqual(
      breakable.map(({ id }) => id).filter((id) => !tested.has(id)),
      [],
      'never put to the test',
    );
  });
}
