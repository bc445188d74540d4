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
  assert.ok(retries.advance(now, Number.POSITIVE_INFINITY, (task) => tasks.push(task)));
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

test('A7 of many deadlines some are told of at a time, and none is left out', () => {
  const retries = new Retries(failed([30, 10, 20, 40]));
  retries.gather();
  const heard: number[] = [];
  const hear = (task: number): void => void heard.push(task);
  assert.equal(retries.advance(30, 2, hear), false);
  assert.deepEqual(heard, [1, 2]);
  assert.equal(retries.advance(30, 2, hear), true);
  assert.deepEqual(heard, [1, 2, 0]);
  assert.equal(retries.next, 40);
});

test('A7 deadlines that were overtaken are dropped before they pile up; those that stand are not', () => {
  const retries = new Retries(failed([1_000_000]));
  for (let overtaken = 1; overtaken <= 10_000; overtaken++) retries.add(overtaken, 0);
  assert.ok(retries.next >= 10_000 - 66, `${retries.next} is still kept`);
  assert.deepEqual(told(retries, 999_999), []);
  assert.equal(retries.next, 1_000_000);
});

test('X4 a deadline that was overtaken puts no task into the queue; the one that stands does', () => {
  const retries = new Retries(failed([100, 30]));
  retries.add(10, 0);
  retries.gather();
  retries.add(20, 0);
  assert.deepEqual(told(retries, 50), [1]);
  assert.deepEqual(told(retries, 100), [0]);
});
