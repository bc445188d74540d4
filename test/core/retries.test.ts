import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Retries } from '../../src/core/retries.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';

/** Tasks that failed, each with its own deadline. */
function failed(deadlines: readonly number[]): Tasks {
  const registrations = checkRegistrations(
    deadlines.map((_, index) => [`task ${index}`, '* * * * *', () => {}, 0]),
  );
  const tasks = new Tasks(registrations, 'life');
  for (const [task, pendingRetryUntil] of deadlines.entries())
    tasks.fill(task, newRecord(`task ${task}`, { lastFailureAt: 0, pendingRetryUntil }));
  return tasks;
}

const told = (retries: Retries, now: number): number[] => {
  const tasks: number[] = [];
  retries.advance(now, (task) => tasks.push(task));
  return tasks;
};

test('A7 deadlines are told of when they have come, the earliest first, and once', () => {
  const retries = new Retries(failed([30, 10, 20]));
  retries.gather();
  assert.equal(retries.next, 10);
  assert.deepEqual(told(retries, 9), []);
  assert.deepEqual(told(retries, 20), [1, 2]);
  assert.deepEqual(told(retries, 100), [0]);
  assert.equal(retries.next, Number.POSITIVE_INFINITY);
});

test('A7 deadlines that were overtaken are dropped before they pile up; those that stand are not', () => {
  const retries = new Retries(failed([1_000_000]));
  for (let overtaken = 1; overtaken <= 10_000; overtaken++) retries.add(overtaken, 0);
  const tasks = told(retries, 999_999);
  assert.ok(tasks.length <= 66, `${tasks.length} were kept`);
  assert.equal(retries.next, 1_000_000);
});
