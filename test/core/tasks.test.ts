/** The states of a task: idle, claimed, running; A1, A3, A6 and F4 as functions of the columns. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { TaskRecord } from '../../src/core/record.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { readRecord } from '../../src/core/stored.ts';
import { Tasks } from '../../src/core/tasks.ts';

const registrations = checkRegistrations([['a', '0 12 * * *', () => {}, 500]]);
const fresh: TaskRecord = {
  name: 'a',
  cron: '0 12 * * *',
  retryDelayMs: 500,
  firstSeenAt: 90,
  servedThrough: 99,
  lastAttemptAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  pendingRetryUntil: null,
  work: null,
  run: null,
};
const work = { key: 'key', scheduledFor: 50, attempt: 2 };
const tasksOf = (fields: Partial<TaskRecord> = {}): Tasks =>
  new Tasks(registrations, [{ ...fresh, ...fields }]);
const runOf = (runId: string) => ({ runId, instanceId: 'life', startedAt: 100 });

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
    const run = runOf('cut off');
    assert.equal(tasksOf({ pendingRetryUntil: 1, work, run }).reasonToRun(0, 200, 150), 'orphaned');
    assert.equal(tasksOf({ pendingRetryUntil: 1, work }).reasonToRun(0, 200, 150), 'due');
  });
});

describe('the states of a task', () => {
  test('A3 a call discharges all three reasons at once', () => {
    const tasks = tasksOf({ pendingRetryUntil: 1, work, run: runOf('cut off') });
    tasks.claim(0, runOf('r'), 150);
    tasks.call(0, 160);
    tasks.end(0, 'success', 170);
    assert.equal(tasks.reasonToRun(0, 1000, 160), undefined);
    const { servedThrough, lastAttemptAt, lastSuccessAt, pendingRetryUntil, run } = tasks.recordOf(0);
    assert.deepEqual(
      { servedThrough, lastAttemptAt, lastSuccessAt, pendingRetryUntil, run },
      { servedThrough: 160, lastAttemptAt: 160, lastSuccessAt: 170, pendingRetryUntil: null, run: null },
    );
  });

  test('A4 a claim discharges nothing, and taking it back leaves what was there', () => {
    const before = { ...fresh, pendingRetryUntil: 1, work, run: runOf('cut off') };
    const tasks = tasksOf(before);
    const start = tasks.claim(0, runOf('r'), 150);
    assert.deepEqual(start, {
      name: 'a',
      work: { key: 'r', scheduledFor: 150, attempt: 1 },
      run: runOf('r'),
    });
    assert.deepEqual(tasks.unclaim(0), { name: 'a', runId: 'r', work, run: runOf('cut off') });
    assert.deepEqual(tasks.recordOf(0), before);
    assert.equal(tasks.reasonToRun(0, 0, Number.NEGATIVE_INFINITY), 'orphaned');
  });

  test('F4 the key stays through retries and counts attempts, until a newer due is served', () => {
    const tasks = tasksOf({ pendingRetryUntil: 1, work });
    assert.deepEqual(tasks.claim(0, runOf('r1'), 99).work, { ...work, attempt: 3 });
    tasks.call(0, 100);
    assert.deepEqual(tasks.end(0, 'failure', 110).work, { ...work, attempt: 3 });
    assert.deepEqual(tasks.claim(0, runOf('r2'), 105).work, { key: 'r2', scheduledFor: 105, attempt: 1 });
  });

  test('A6 a failure keeps the last success, and owes a retry; a success keeps the last failure', () => {
    const tasks = tasksOf({ lastSuccessAt: 7 });
    tasks.claim(0, runOf('r1'), 150);
    tasks.call(0, 160);
    const end = tasks.end(0, 'failure', 170);
    assert.equal(end.runId, 'r1');
    assert.equal(end.pendingRetryUntil, 670);
    assert.equal(tasks.retryOf(0), 670);
    assert.equal(tasks.recordOf(0).lastSuccessAt, 7);
    tasks.claim(0, runOf('r2'), 150);
    tasks.call(0, 700);
    assert.equal(tasks.end(0, 'success', 710).pendingRetryUntil, null);
    const { lastSuccessAt, lastFailureAt, work: left } = tasks.recordOf(0);
    assert.deepEqual(
      { lastSuccessAt, lastFailureAt, left },
      { lastSuccessAt: 710, lastFailureAt: 170, left: null },
    );
  });

  test('a step out of order is an error, not a state', () => {
    assert.throws(() => tasksOf().call(0, 100), /Only a claimed task is called \(a\)/);
    assert.throws(() => tasksOf().unclaim(0), /Only a claimed task is unclaimed \(a\)/);
    assert.throws(() => tasksOf().end(0, 'success', 100), /Only a running task ends \(a\)/);
    const called = tasksOf();
    called.claim(0, runOf('r'), 150);
    called.call(0, 160);
    assert.throws(() => called.unclaim(0), /Only a claimed task/);
  });

  test('D6 a moved cursor is told with the deadline that stays', () => {
    const tasks = tasksOf({ pendingRetryUntil: 5, work });
    const move = { name: 'a', runId: null, lastAttemptAt: null, servedThrough: 120, pendingRetryUntil: 5 };
    assert.deepEqual(tasks.moveCursor(0, 120), move);
    assert.equal(tasks.recordOf(0).servedThrough, 120);
  });

  test('B5 a move names the run that was cut off and the last attempt, by which its record is known', () => {
    const day = 86_400_000;
    const tasks = tasksOf({ servedThrough: day, lastAttemptAt: 70, work, run: runOf('cut off') });
    assert.deepEqual(tasks.afterStep(0, 100, 100), {
      name: 'a',
      runId: 'cut off',
      lastAttemptAt: 70,
      servedThrough: 100,
      pendingRetryUntil: null,
    });
  });

  /** What can be done in each state, and the state it leads to. */
  const steps: ReadonlyArray<readonly [from: string, act: (tasks: Tasks, now: number) => void, to: string]> =
    [
      ['idle', (tasks, now) => tasks.claim(0, runOf(`run of ${now}`), now), 'claimed'],
      ['idle', (tasks, now) => tasks.afterStep(0, now, now), 'idle'],
      ['claimed', (tasks) => tasks.unclaim(0), 'idle'],
      ['claimed', (tasks, now) => tasks.afterStep(0, now, now), 'claimed'],
      ['claimed', (tasks, now) => tasks.call(0, now), 'running'],
      ['running', (tasks, now) => tasks.end(0, 'success', now), 'idle'],
      ['running', (tasks, now) => tasks.end(0, 'failure', now), 'idle'],
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
          const record = tasks.recordOf(0);
          assert.deepEqual(readRecord(record), record);
          assert.equal(record.run === null, state === 'idle');
        }
      }),
    );
  });
});
