/** How late a task started: from the first due instant that its run serves, not from the last one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { latenessOf } from '../../src/dashboard/lateness.ts';
import type { Run } from '../../src/dashboard/past.ts';
import { entryOf, type TaskEntry } from '../../src/dashboard/task-entry.ts';
import type { TaskRecord } from '../../src/index.ts';
import { recordOf } from './records.ts';

const NOON = Date.UTC(2027, 5, 1, 12);
const MINUTE = 60_000;
const EVERY_MINUTE = '* * * * *';

const entry = (changes: Partial<TaskRecord>): TaskEntry =>
  entryOf({ ...recordOf('task', 1), cron: EVERY_MINUTE, ...changes }, undefined, {
    timeZone: 'UTC',
    owner: 'held',
    at: NOON,
  });

const run = (calledAt: number, scheduledFor: number, changes: Partial<Run> = {}): Run => ({
  ...{ task: 'task', runId: String(calledAt), attempt: 1, reason: 'due', scheduledFor, calledAt },
  ...{ endedAt: calledAt + 1000, outcome: 'success', ...changes },
});

describe('the lateness of a task', () => {
  test('of the run that goes on, whatever the runs before it were', () => {
    const startedAt = NOON + 2 * MINUTE + 47_000;
    const going = { runId: 'r', instanceId: 'i', startedAt, reason: 'due', cutOffAt: null } as const;
    const work = { key: 'k', scheduledFor: NOON + 2 * MINUTE, attempt: 1 };
    const served = NOON - 30_000;
    const before = [run(served, NOON - MINUTE, { endedAt: startedAt - 100 })];
    const busy = entry({ servedThrough: served, run: going, work });
    assert.equal(latenessOf(busy, before), 2 * MINUTE + 47_000);
    const again = entry({ servedThrough: served, run: { ...going, reason: 'retry' }, work });
    assert.equal(latenessOf(again, before), 30_000, 'a retry has no due: the latest due run counts');
  });

  test('of the latest due run counts from the first due since the start before', () => {
    const idle = entry({});
    assert.ok(Number.isNaN(latenessOf(idle, [])));
    assert.equal(latenessOf(idle, [run(NOON + 40, NOON)]), 40, 'of the first that is known, its own due');
    const outage = [run(NOON + 40, NOON), run(NOON + 90 * MINUTE + 1800, NOON + 90 * MINUTE)];
    assert.equal(latenessOf(idle, outage), 89 * MINUTE + 1800);
    const asked = run(NOON + 91 * MINUTE, NOON + 91 * MINUTE, { reason: 'manual' });
    assert.equal(latenessOf(idle, [...outage, asked]), 89 * MINUTE + 1800);
  });

  test('counts from when the task was first seen, if its first run serves a due before that', () => {
    const fresh = entry({ firstSeenAt: NOON + 34_000 });
    assert.equal(latenessOf(fresh, [run(NOON + 34_050, NOON)]), 50);
  });

  test('counts nothing that the policy does not serve, and no jitter', () => {
    const long = run(NOON + 40, NOON, { endedAt: NOON + 10 * MINUTE + 30_000 });
    const next = run(NOON + 11 * MINUTE + 40, NOON + 11 * MINUTE);
    assert.equal(latenessOf(entry({ policy: '{"whileRunning":"skip"}' }), [long, next]), 40);
    const late = run(NOON + 90 * MINUTE + 500, NOON + 90 * MINUTE);
    const bound = entry({ policy: '{"startWithinMs":120000}' });
    assert.equal(latenessOf(bound, [run(NOON, NOON), late]), MINUTE + 500);
    const moved = entry({ cron: '0 * * * *', policy: '{"jitterMs":1800000}' });
    const due = moved.calendar?.next(NOON - 1) ?? 0;
    assert.ok(due > NOON);
    assert.equal(latenessOf(moved, [run(due + 40, NOON)]), 40);
  });
});
