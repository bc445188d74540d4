/**
 * Worlds in which one list follows the other, while tasks run, processes die and clocks are set (I5). In the worlds of the short form one in
 * ten has any; a fault that needs two lists and a run between them would show there in one of many thousands.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, describeScenario, drawScenario } from '../../src/simulation/index.ts';
import { Random } from '../../src/simulation/scenario/random.ts';
import { reloads } from '../../src/simulation/scenario/requests.ts';
import type { Scenario } from '../../src/simulation/scenario/scenario.ts';
import { few } from '../sample.ts';

const WORLDS = few(100, 300);

/** Up to sixteen lists more than the seed has drawn. */
function withManyLists(seed: number): Scenario {
  const random = new Random(seed);
  const drawn = drawScenario(seed);
  const some = { ...drawn, ...reloads(drawn, random.fork('again')) };
  return { ...some, ...reloads(some, random.fork('and again')) };
}

test(`I5 seeds 1 to ${WORLDS} with many more lists: every axiom kept, and nothing that a model of the store forbids`, async (t) => {
  let lists = 0;
  for (let seed = 1; seed <= WORLDS; seed++) {
    const scenario = withManyLists(seed);
    const { violations, counts } = await createWorld({ scenario }).run();
    const [first] = violations;
    if (first !== undefined) assert.fail(`${first.rule}: ${first.because}\n${describeScenario(scenario)}`);
    lists += counts.reloads;
  }
  t.diagnostic(`${lists} lists were taken over`);
  assert.ok(lists > WORLDS, `only ${lists} lists were taken over`);
});
