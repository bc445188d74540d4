/** What the columns say of runs that are over (J1), and of failures in a row (J3). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { claim, cutOff, end, error, tasksOf, work } from './one-task.ts';

describe('J1 what is kept of a run', () => {
  test('J1 an end says all that the history keeps of its run', () => {
    const tasks = tasksOf({ pendingRetryUntil: 1, work, run: cutOff });
    claim(tasks, 3, 99, 'orphaned');
    tasks.call(0, 160);
    const failed = {
      name: 'a',
      runId: 'life-3',
      instanceId: 'life',
      reason: 'orphaned',
      work: { ...work, attempt: 3 },
      calledAt: 160,
      endedAt: 170,
      outcome: 'failure',
      pendingRetryUntil: 670,
      failures: 1,
      failingSince: 170,
      error,
    };
    assert.deepEqual(end(tasks, 'failure', 170), failed);
    claim(tasks, 4, 99, 'retry');
    tasks.call(0, 700);
    assert.deepEqual(end(tasks, 'success', 710), {
      ...failed,
      runId: 'life-4',
      reason: 'retry',
      work: { ...work, attempt: 4 },
      calledAt: 700,
      endedAt: 710,
      outcome: 'success',
      pendingRetryUntil: null,
      failures: 0,
      failingSince: null,
      error: null,
    });
  });

  test('J3 failures in a row are counted from the end of the first one, until a success', () => {
    const tasks = tasksOf({ failures: 2, failingSince: 30, work, pendingRetryUntil: 1 });
    const outcomes = ['failure', 'failure', 'success', 'success', 'failure', 'failure'] as const;
    const found = outcomes.map((outcome, index) => {
      const now = 200 + index;
      claim(tasks, index + 1, now);
      tasks.call(0, now);
      const { failures, failingSince } = end(tasks, outcome, now);
      assert.equal(tasks.stateOf(0).failures, failures);
      assert.equal(tasks.stateOf(0).failingSince, failingSince);
      return [failures, failingSince];
    });
    assert.deepEqual(found, [
      [3, 30],
      [4, 30],
      [0, null],
      [0, null],
      [1, 204],
      [2, 204],
    ]);
  });

  test('J1 a run that was cut off remembers when that was found', () => {
    const tasks = tasksOf({ work, run: { ...cutOff, cutOffAt: null } });
    tasks.cutOff(0, 77);
    assert.deepEqual(tasks.runOf(0), { ...cutOff, cutOffAt: 77 });
    const idle = tasksOf();
    idle.cutOff(0, 77);
    assert.equal(idle.runOf(0), null);
  });
});
