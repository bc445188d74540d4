/** When a world is taken for stuck. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHopeless } from '../../src/simulation/frame.ts';
import { Violations } from '../../src/simulation/judges/violations.ts';
import { Timeline } from '../../src/simulation/machine/timeline.ts';

/** What is said of a world in which so much has happened. */
function blamed(steps: number, stepsNow: number, passed: number, starts: number): readonly string[] {
  const violations = new Violations(new Timeline(0));
  const isOver = isHopeless({ steps, stepsNow, passed }, starts, violations, 5);
  assert.equal(isOver, violations.all.length > 0);
  return violations.all.map(({ rule, because }) => `${rule}: ${because}`);
}

test('A7 a world in which a task fails at once and is retried without a delay is not stuck', () => {
  // Seed 4039458 of a cluster: a task that may take 1 ms, is given up after 2 more, and is retried at once.
  assert.deepEqual(blamed(1_145_514, 28, 306_145, 108_720), []);
});

test('A7 a world in which no time passes is stuck', () => {
  assert.deepEqual(blamed(6000, 5001, 1000, 1000), [
    'A7: after 5001 events at one instant no time has passed',
  ]);
});

test('A7 a world in which something is asked again and again is stuck, also if time passes', () => {
  // Every 10 ms a timer, a request and an answer, and nothing starts.
  assert.deepEqual(blamed(300 * 100, 3, 100_000, 2), [
    'A7: 30000 events in 100 s, with 2 starts: something is asked again and again',
  ]);
});

test('A7 the events of an instant are counted until time passes', async () => {
  const timeline = new Timeline(0);
  const counts: number[] = [];
  const look = (): void => {
    counts.push(timeline.stepsNow);
  };
  for (const at of [0, 0, 5, 5, 5, 9]) timeline.plan(at, look);
  timeline.plan(9, () => timeline.burn(3));
  timeline.plan(9, look);
  timeline.plan(5, () => {}).cancel();
  await timeline.drive(() => false);
  assert.deepEqual(counts, [1, 2, 1, 2, 3, 1, 1]);
});
