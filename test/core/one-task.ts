/** One task in the columns, and short ways to take it through its states. */
import assert from 'node:assert/strict';
import type { EndChange, StartChange } from '../../src/core/changes.ts';
import type { Reason, TaskRecord } from '../../src/core/record.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Ends, Starts } from '../../src/core/rows.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';

const registrations = checkRegistrations([['a', '0 12 * * *', () => {}, 500]]);
export const fresh: TaskRecord = newRecord('a', {
  cron: '0 12 * * *',
  retryDelayMs: 500,
  firstSeenAt: 90,
  servedThrough: 99,
});
export const work = { key: 'key', scheduledFor: 50, attempt: 2 };
export const cutOff = {
  runId: 'dead-1',
  instanceId: 'dead',
  startedAt: 40,
  reason: 'retry',
  cutOffAt: 45,
} as const;
export const error = { name: 'Error', message: 'on purpose', text: 'Error: on purpose' };

export const tasksOf = (fields: Partial<TaskRecord> = {}, list = registrations): Tasks => {
  const tasks = new Tasks(list, 'life');
  tasks.fill(0, { ...fresh, ...fields });
  return tasks;
};

/** Claims run `life-<count>` at 100. */
export const claim = (tasks: Tasks, count: number, lastDue: number, reason: Reason = 'due'): StartChange => {
  const starts = new Starts(tasks);
  tasks.claim(0, count, 100, reason, lastDue, starts);
  return [...starts][0];
};

export const end = (tasks: Tasks, outcome: EndChange['outcome'], endedAt: number): EndChange => {
  const ends = new Ends(tasks);
  tasks.end(0, outcome, outcome === 'success' ? null : error, endedAt, ends);
  const retryAt = tasks.retryOf(0);
  const [change] = ends;
  assert.equal(change.pendingRetryUntil, Number.isNaN(retryAt) ? null : retryAt);
  assert.equal(change.outcome, outcome);
  return change;
};
