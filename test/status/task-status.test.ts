/** `taskStatus`: what a stored record says of its task. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dueInstants, taskStatus } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { NOW } from '../cli/commands-kit.ts';

describe('the state of a task', () => {
  const run = { runId: 'r', instanceId: 'i', startedAt: NOW - 5000, reason: 'due', cutOffAt: null } as const;
  const work = { key: 'k', scheduledFor: NOW - 60_000, attempt: 1 };
  const at = (over: Parameters<typeof newRecord>[1], owner: 'held' | 'free' = 'held') =>
    taskStatus(newRecord('x', { cron: '0 13 * * *', servedThrough: NOW - 1, ...over }), {
      owner,
      timeZone: 'UTC',
      now: NOW,
    });

  test('A1, A12 follows from the record, its owner and the clock', () => {
    assert.equal(at({}).state, 'waiting');
    assert.equal(at({ run, work }).state, 'running');
    assert.equal(at({ run, work }, 'free').state, 'cut off');
    assert.equal(at({ work, pendingRetryUntil: NOW + 1000 }).state, 'retry');
    const noon = { cron: '59 11 * * *', servedThrough: NOW - 60_001 };
    assert.equal(at(noon).state, 'owed');
    assert.equal(at({ ...noon, servedThrough: NOW - 60_000 }).state, 'waiting');
    assert.equal(at({ ...noon, work, pendingRetryUntil: NOW + 1000 }).state, 'owed');
    assert.equal(at({ work, pendingRetryUntil: NOW - 1001 }).state, 'owed');
    // It is being started.
    assert.equal(at({ cron: '0 12 * * *' }).state, 'waiting');
    assert.equal(at({ work, pendingRetryUntil: NOW - 1000 }).state, 'retry');
  });

  test('A12 the phase has the names of the specification, whatever the clock and operators say', () => {
    const retry = { work, pendingRetryUntil: NOW + 1000 };
    const due = { cron: '0 12 * * *' };
    assert.equal(at({}).phase, 'AwaitingRun');
    assert.equal(at(due).phase, 'AwaitingRun');
    assert.equal(at({ pausedAt: NOW }).phase, 'AwaitingRun');
    assert.equal(at({ run, work }).phase, 'Running');
    assert.equal(at({ run, work, pausedAt: NOW }).phase, 'Running');
    assert.equal(at({ run, work }, 'free').phase, 'AwaitingRun');
    assert.equal(at(retry).phase, 'AwaitingRetry');
    assert.equal(at({ ...retry, ...due }).phase, 'AwaitingRetry');
    assert.equal(at({ ...retry, pausedAt: NOW }).phase, 'AwaitingRetry');
    assert.equal(at({ ...retry, pendingRetryUntil: NOW - 1 }).phase, 'AwaitingRetry');
  });

  test('A12 a run whose scheduler has died is cut off, also while another scheduler owns the store', () => {
    const cutOff = { run: { ...run, cutOffAt: NOW - 1000 }, work };
    assert.equal(at(cutOff).state, 'cut off');
    assert.equal(at(cutOff).phase, 'AwaitingRun');
  });

  test('what a run serves is not due again', () => {
    assert.equal(at({ cron: '* * * * *', servedThrough: NOW - 600_000, run, work }).nextDueAt, NOW);
  });

  test('an expression that cannot be read has no next instant', () => {
    assert.equal(at({ cron: 'nonsense' }).nextDueAt, null);
    assert.equal(at({ cron: 'nonsense' }).state, 'waiting');
  });

  test('the later end is the last outcome', () => {
    assert.equal(at({}).lastOutcome, null);
    assert.equal(at({ lastSuccessAt: 5, lastFailureAt: 4 }).lastOutcome, 'success');
    assert.equal(at({ lastSuccessAt: 4, lastFailureAt: 5 }).lastOutcome, 'failure');
    assert.equal(at({ lastFailureAt: 5 }).lastOutcome, 'failure');
  });

  test('I3 a paused task is paused, whatever is due; what runs goes on', () => {
    const paused = { pausedAt: NOW - 1000 };
    assert.equal(at({ ...paused, cron: '0 12 * * *' }).state, 'paused');
    assert.equal(at({ ...paused, work, pendingRetryUntil: NOW - 1000 }).state, 'paused');
    assert.equal(at({ ...paused, run, work }).state, 'running');
    assert.equal(at({ ...paused, cron: '0 12 * * *' }).lateSince, null);
    const cutOff = { ...paused, run: { ...run, cutOffAt: NOW - 500 }, work };
    assert.equal(at(cutOff).state, 'paused');
    assert.equal(at({ ...paused, run, work }, 'free').state, 'paused');
  });

  test('H3 the dues are of the zone of the task', () => {
    const policy = JSON.stringify({ timeZone: 'Asia/Tokyo' });
    assert.equal(at({ cron: '0 21 * * *', policy }).nextDueAt, NOW);
    assert.equal(at({ cron: '0 21 * * *' }).nextDueAt, NOW + 9 * 3_600_000);
  });

  test('H4 a due that is too old is not owed', () => {
    const policy = JSON.stringify({ startWithinMs: 60_000 });
    const old = { cron: '50 11 * * *', servedThrough: NOW - 3_600_000 };
    assert.equal(at(old).state, 'owed');
    assert.deepEqual([at({ ...old, policy }).state, at({ ...old, policy }).lateSince], ['waiting', null]);
    const exact = { cron: '59 11 * * *', servedThrough: NOW - 3_600_000, policy };
    assert.equal(at(exact).nextDueAt, NOW - 60_000);
  });

  test('H5 jitter moves each task by its own offset', () => {
    const policy = JSON.stringify({ jitterMs: 3_600_000 });
    const nextOf = (name: string): number | null =>
      taskStatus(newRecord(name, { cron: '0 13 * * *', servedThrough: NOW, policy }), {
        owner: 'held',
        timeZone: 'UTC',
        now: NOW,
      }).nextDueAt;
    for (const name of ['a', 'b', 'c'])
      assert.equal(nextOf(name), dueInstants({ name, cron: '0 13 * * *', policy }, 'UTC').next(NOW));
    assert.equal(new Set(['a', 'b', 'c'].map(nextOf)).size, 3);
  });

  test('A1 lateness counts from the first reason that was not served, a second after it has come', () => {
    assert.equal(at({}).lateSince, null);
    assert.equal(at({ cron: '0 12 * * *' }).lateSince, null);
    assert.equal(at({ cron: '59 11 * * *', servedThrough: NOW - 60_001 }).lateSince, NOW - 60_000);
    assert.equal(at({ work, pendingRetryUntil: NOW - 5000 }).lateSince, NOW - 5000);
    assert.equal(at({ work, pendingRetryUntil: NOW + 5000 }).lateSince, null);
    assert.equal(at({ run: { ...run, cutOffAt: NOW - 2000 }, work }).lateSince, NOW - 2000);
  });

  test('A3 a start has served what had come, the retry too; what comes while it runs is late (A5), unless it is skipped (H9)', () => {
    const retried = { run: { ...run, startedAt: NOW - 5000, reason: 'retry' }, work } as const;
    assert.equal(at({ ...retried, pendingRetryUntil: NOW - 5000 }).lateSince, null);
    assert.equal(at({ ...retried, pendingRetryUntil: NOW - 5000 }).nextStartAt, NOW + 3_600_000);
    const hung = {
      ...{ cron: '* * * * *', servedThrough: NOW - 700_000, work },
      run: { ...run, startedAt: NOW - 600_000 },
    };
    const { state, lateSince, runningSince, lastStartAt } = at({ ...hung, lastAttemptAt: NOW - 700_000 });
    assert.deepEqual(
      [state, lateSince, runningSince, lastStartAt],
      ['running', NOW - 540_000, NOW - 600_000, NOW - 600_000],
    );
    assert.equal(at({ ...hung, policy: '{"whileRunning":"skip"}' }).lateSince, null);
    assert.equal(at({ ...hung, pausedAt: NOW - 1000 }).lateSince, null);
  });
});
