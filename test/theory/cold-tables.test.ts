/**
 * A process judges its first trace with empty tables, which grow while it does so. The verdict must not depend on that. Nothing else may be
 * judged in this file: each file of tests is a process of its own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld } from '../../src/simulation/index.ts';
import { checkTrace } from '../../src/theory/index.ts';

test('T10 the first verdict of a process is that of every later one, also if a table grows while an event is judged', async () => {
  // In this world a table grows at a start whose end is lost in a crash.
  const { trace, violations } = await createWorld({ seed: 1 }).run();
  assert.deepEqual(violations, []);
  const { axioms } = await checkTrace(trace, { theory: ['scheduler', 'environment', 'theorems', 'polling'] });
  assert.deepEqual(
    Object.values(axioms).flatMap(({ violations: found }) => found.map(({ because }) => because)),
    [],
  );
});
