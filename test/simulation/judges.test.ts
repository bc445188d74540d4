/** Judges only watch: the machine reports to all of them in order, and the world is the same without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, type Scenario } from '../../src/simulation/index.ts';
import { type Judge, notifyAll } from '../../src/simulation/judges/judge.ts';
import { act } from '../../src/simulation/machine/actions.ts';
import { Machine } from '../../src/simulation/machine/machine.ts';
import { Timeline } from '../../src/simulation/machine/timeline.ts';

test('every judge that has the method hears of an observation, in the order of the list', () => {
  const heard: string[] = [];
  const judge = (name: string): Judge => ({
    clockSet: (byMs) => heard.push(`${name} ${byMs}`),
    processDied: () => heard.push(`${name} died`),
  });
  const notify = notifyAll([
    judge('first'),
    {},
    { clockSet: (byMs) => heard.push(`only ${byMs}`) },
    judge('last'),
  ]);
  notify('clockSet', 5);
  notify('processDied');
  assert.deepEqual(heard, ['first 5', 'only 5', 'last 5', 'first died', 'last died']);
});

/** The trace of a scenario that nobody judges, up to its last event. */
async function traceWithoutJudges(scenario: Scenario): Promise<string> {
  const timeline = new Timeline(Date.parse(scenario.start));
  const machine = new Machine(scenario, timeline, notifyAll([]), () => {});
  let left = scenario.events.length;
  for (const [atMs, action] of scenario.events)
    timeline.plan(atMs, () => {
      left--;
      act(machine, timeline, action, () => undefined);
    });
  await timeline.drive(() => left === 0);
  return machine.recorder.text();
}

test('the same scenario is the same world without its judges', async (t) => {
  let records = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const world = createWorld({ seed });
    // The model says where a cursor is, so a world that asks is another one without it.
    if (
      world.scenario.events.some(([, action]) => 'landing' in action && action.landing === 'before a cursor')
    )
      continue;
    const { text } = await world.run();
    const unjudged = await traceWithoutJudges(world.scenario);
    assert.equal(unjudged, text.slice(0, unjudged.length), `seed ${seed}`);
    records += unjudged.split('\n').length;
  }
  t.diagnostic(`${records} records`);
  assert.ok(records > 5000, `only ${records} records`);
});
