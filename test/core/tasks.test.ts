/** The states of a task: idle, claimed, running; A1, A3, A6 and F4 as functions of the columns. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TaskRecord } from '../../src/core/record.ts';
import { readRecord } from '../../src/core/stored.ts';
import type { TaskState, Tasks } from '../../src/core/tasks.ts';
import { fc } from '../property.ts';
import { claim, cutOff, end, fresh, tasksOf, work } from './one-task.ts';

const stateOf = (record: TaskRecord): Omit<TaskState, 'pausedAt' | 'version'> => {
  const {
    servedThrough,
    lastAttemptAt,
    lastFailureAt,
    pendingRetryUntil,
    failures,
    failingSince,
    work,
    run,
  } = record;
  return {
    servedThrough,
    lastAttemptAt,
    lastFailureAt,
    pendingRetryUntil,
    failures,
    failingSince,
    work,
    run,
  };
};

describe('A1 who is pending', () => {
  test('A1 due after the cursor; not at it (A9)', () => {
    const tasks = tasksOf();
    assert.equal(tasks.reasonToRun(0, 200, 99), undefined);
    assert.equal(tasks.reasonToRun(0, 200, 100), 'due');
    assert.equal(tasks.reasonToRun(0, 200, Number.NEGATIVE_INFINITY), undefined);
  });

  test('A1 a retry from its millisecond on (A7)', () => {
    const tasks = tasksOf({ pendingRetryUntil: 150, work });
    assert.equal(tasks.reasonToRun(0, 149, 0), undefined);
    assert.equal(tasks.reasonToRun(0, 150, 0), 'retry');
  });

  test('F4 orphaned before due before retry', () => {
    assert.equal(tasksOf({ pendingRetryUntil: 1, work, run: cutOff }).reasonToRun(0, 200, 150), 'orphaned');
    assert.equal(tasksOf({ pendingRetryUntil: 1, work }).reasonToRun(0, 200, 150), 'due');
  });
});

describe('the states of a task', () => {
  test('A3 a call discharges all three reasons at once', () => {
    const tasks = tasksOf({ pendingRetryUntil: 1, work, run: cutOff });
    claim(tasks, 1, 150, 'orphaned');
    tasks.call(0, 160);
    end(tasks, 'success', 170);
    assert.equal(tasks.reasonToRun(0, 1000, 160), undefined);
    const { servedThrough, lastAttemptAt, pendingRetryUntil, run } = tasks.stateOf(0);
    assert.deepEqual(
      { servedThrough, lastAttemptAt, pendingRetryUntil, run },
      { servedThrough: 160, lastAttemptAt: 160, pendingRetryUntil: null, run: null },
    );
  });

  test('A4 a claim discharges nothing, and taking it back leaves what was there', () => {
    const before = { ...fresh, pendingRetryUntil: 1, work, run: cutOff };
    const tasks = tasksOf(before);
    assert.deepEqual(claim(tasks, 71, 150, 'orphaned'), {
      name: 'a',
      version: 1,
      work: { key: 'life-1z', scheduledFor: 150, attempt: 1 },
      run: { runId: 'life-1z', instanceId: 'life', startedAt: 100, reason: 'orphaned', cutOffAt: null },
    });
    assert.deepEqual(tasks.unclaim(0), { name: 'a', runId: 'life-1z', work, run: cutOff });
    assert.deepEqual(tasks.stateOf(0), stateOf(before));
    assert.equal(tasks.reasonToRun(0, 0, Number.NEGATIVE_INFINITY), 'orphaned');
  });

  test('A4 a claim that is taken back leaves nothing where nothing was', () => {
    const tasks = tasksOf();
    claim(tasks, 1, 150);
    assert.deepEqual(tasks.unclaim(0), { name: 'a', runId: 'life-1', work: null, run: null });
    assert.deepEqual(tasks.stateOf(0), stateOf(fresh));
    assert.equal(tasks.reasonToRun(0, 0, Number.NEGATIVE_INFINITY), undefined);
  });

  test('F4 the key stays through retries and counts attempts, until a newer due is served', () => {
    const tasks = tasksOf({ pendingRetryUntil: 1, work });
    assert.deepEqual(claim(tasks, 1, 99, 'retry').work, { ...work, attempt: 3 });
    tasks.call(0, 100);
    assert.deepEqual(end(tasks, 'failure', 110).work, { ...work, attempt: 3 });
    assert.deepEqual(claim(tasks, 2, 105).work, { key: 'life-2', scheduledFor: 105, attempt: 1 });
  });

  test('F4 an orphan goes on with its work, although the due that it served lies after its cursor', () => {
    const served = { ...work, scheduledFor: 150 };
    const tasks = tasksOf({ work: served, run: cutOff });
    assert.deepEqual(claim(tasks, 1, 150, 'orphaned').work, { ...served, attempt: 3 });
    tasks.unclaim(0);
    assert.deepEqual(claim(tasks, 1, 151, 'orphaned').work, {
      key: 'life-1',
      scheduledFor: 151,
      attempt: 1,
    });
  });

  test('A6 a failure owes a retry; a success owes nothing, and keeps the last failure', () => {
    const tasks = tasksOf();
    claim(tasks, 1, 150);
    tasks.call(0, 160);
    assert.equal(end(tasks, 'failure', 170).pendingRetryUntil, 670);
    assert.equal(tasks.retryOf(0), 670);
    claim(tasks, 2, 150, 'retry');
    tasks.call(0, 700);
    assert.equal(end(tasks, 'success', 710).pendingRetryUntil, null);
    const { lastFailureAt, work: left } = tasks.stateOf(0);
    assert.deepEqual({ lastFailureAt, left }, { lastFailureAt: 170, left: null });
  });

  test('a step out of order is an error, not a state', () => {
    assert.throws(() => tasksOf().call(0, 100), /Only a claimed task is called \(a\)/);
    assert.throws(() => tasksOf().unclaim(0), /Only a claimed task is unclaimed \(a\)/);
    assert.throws(() => end(tasksOf(), 'success', 100), /Only a running task ends \(a\)/);
    const called = tasksOf();
    claim(called, 1, 150);
    called.call(0, 160);
    assert.throws(() => called.unclaim(0), /Only a claimed task/);
  });

  test('I3 a moved cursor is told with the deadline that stays', () => {
    const tasks = tasksOf({ pendingRetryUntil: 5, work });
    const move = { name: 'a', version: 1, servedThrough: 120, pendingRetryUntil: 5 };
    assert.deepEqual(tasks.moveCursor(0, 120), move);
    assert.equal(tasks.stateOf(0).servedThrough, 120);
  });

  test('K2 B5 a move names the version by which its record is known', () => {
    const day = 86_400_000;
    const tasks = tasksOf({ servedThrough: day, lastAttemptAt: 70, work, run: cutOff });
    assert.deepEqual(tasks.afterStep(0, 100), {
      name: 'a',
      version: 1,
      servedThrough: 100,
      pendingRetryUntil: null,
    });
  });

  /** What can be done in each state, and the state it leads to. */
  const steps: ReadonlyArray<readonly [from: string, act: (tasks: Tasks, now: number) => void, to: string]> =
    [
      ['idle', (tasks, now) => claim(tasks, now, now), 'claimed'],
      ['idle', (tasks, now) => tasks.afterStep(0, now), 'idle'],
      ['claimed', (tasks) => tasks.unclaim(0), 'idle'],
      ['claimed', (tasks, now) => tasks.afterStep(0, now), 'claimed'],
      ['claimed', (tasks, now) => tasks.call(0, now), 'running'],
      ['running', (tasks, now) => end(tasks, 'success', now), 'idle'],
      ['running', (tasks, now) => end(tasks, 'failure', now), 'idle'],
    ];

  test('whatever is done to a task, its record is one that can be read back', () => {
    const choice = fc.record({ pick: fc.nat(), now: fc.integer({ min: 100, max: 10 ** 12 }) });
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 40 }), (choices) => {
        const tasks = tasksOf();
        let state = 'idle';
        for (const { pick, now } of choices) {
          const possible = steps.filter(([from]) => from === state);
          const [, act, to] = possible[pick % possible.length];
          act(tasks, now);
          state = to;
          const record = { ...fresh, ...tasks.stateOf(0) };
          assert.deepEqual(readRecord(record), record);
          assert.equal(record.run === null, state === 'idle');
        }
      }),
    );
  });
});
