/** Shrinking leaves a scenario that cannot be made shorter. The failures here are invented, since there are no real ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, drawScenario, type Scenario } from '../../src/simulation/index.ts';
import { cutDown } from '../../src/simulation/scenario/shrink.ts';

const stepBy = (byMs: number): Action => ({ kind: 'step', byMs });
const scenarioOf = (...steps: readonly number[]): Scenario => ({
  ...drawScenario(51),
  events: steps.map((byMs, index) => [index, stepBy(byMs)]),
});
const stepsOf = ({ events }: Scenario): number[] =>
  events.map(([, action]) => (action.kind === 'step' ? action.byMs : 0));

test('shrinking repeats until nothing changes: an event that only another event needs goes with it', async () => {
  // Each event is needed only while the one before it is there, and the last ones are tried first.
  const chained = (steps: readonly number[]): boolean =>
    steps.includes(7) && steps.every((step) => step === 7 || step === 6 || steps.includes(step + 1));
  const whole = scenarioOf(1, 2, 3, 4, 5, 6, 7);
  const keep = async (smaller: Scenario): Promise<boolean> => chained(stepsOf(smaller));
  const smallest = await cutDown(whole, keep);
  assert.deepEqual(stepsOf(smallest), [7]);
  assert.deepEqual(await cutDown(smallest, keep), smallest);
});

test('one simplification does not undo another', async () => {
  const { callbacks, disk, workers, timeZone } = await cutDown(drawScenario(51), async () => true);
  const { succeedAtOnce, ...others } = callbacks;
  assert.deepEqual(new Set(Object.values(others)), new Set([0]));
  assert.ok(succeedAtOnce > 0);
  assert.deepEqual(disk, { latencyMs: 1, refusedPerMille: 0, unansweredPerMille: 0 });
  assert.deepEqual([workers, timeZone], [0, 'UTC']);
});

test('no scenario is tried twice, and at most four hundred are tried', async () => {
  const tried: string[] = [];
  const whole = scenarioOf(...Array.from({ length: 500 }, (_, index) => index + 1));
  await cutDown(whole, async (smaller) => {
    tried.push(JSON.stringify(smaller));
    return false;
  });
  assert.equal(tried.length, 400);
  assert.equal(new Set(tried).size, 400);
});
