/** What a cluster decides, through every order of steps of the given sizes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { label, summary } from '../../../executor/model/explorer.ts';
import { SHORT } from './bounds.ts';
import { check } from './check.ts';

describe('K1 K2 K3 K4 K5 E9 a cluster looks like one scheduler, in every order of steps', () => {
  const [actions, enabled] = [new Set<string>(), new Set<string>()];
  for (const [name, bounds] of Object.entries(SHORT)) {
    test(name, (t) => {
      const { graph, violation, elapsedMs } = check(bounds);
      t.diagnostic(`${summary(graph)}; with liveness ${Math.round(elapsedMs)} ms`);
      graph.system.actions.forEach((action, index) => {
        actions.add(label(action));
        if (graph.enabledCount[index] > 0) enabled.add(label(action));
      });
      assert.equal(violation, undefined, violation && [violation.property, ...violation.trace].join('\n'));
    });
  }

  test('everything that can happen happens somewhere', () => {
    const kinds = (labels: ReadonlySet<string>): Set<string> =>
      new Set([...labels].map((each) => each.replace(/ [a-z]?\(.*| all\(.*|\(.*/, '')));
    assert.deepEqual(
      [...kinds(actions)].filter((kind) => !kinds(enabled).has(kind)),
      [],
    );
  });
});
