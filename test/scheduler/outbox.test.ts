/** What waits to be written, and in which order: changes of one task become durable as they happened (A4), and a lost answer is looked up (E9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Starts } from '../../src/core/rows.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { Outbox } from '../../src/scheduler/outbox.ts';
import { isApplied } from '../../src/scheduler/read-back.ts';
import { newRecord, startOf } from '../../src/store/conformance-kit.ts';

const BATCH = 2;

const NAMES = ['0', '1', '2', 'idle', 'moved'];

/** Every record is in version 1. */
function tasksOf(): Tasks {
  const tasks = new Tasks(checkRegistrations(NAMES.map((name) => [name, '* * * * *', () => {}, 0])), 'i');
  for (let task = 0; task < tasks.count; task++) tasks.setVersion(task, 1);
  return tasks;
}

function outboxWith(ends: number, tasks = tasksOf()): Outbox {
  const outbox = new Outbox(BATCH, tasks);
  for (let count = 0; count < ends; count++) outbox.ends.add(null);
  return outbox;
}

const moveOf = (name: string, servedThrough = 0, version = 1) => ({
  name,
  version,
  servedThrough,
  pendingRetryUntil: null,
});

test('A4 starts wait while more ends wait than go into one batch', () => {
  const outbox = outboxWith(BATCH + 1);
  assert.equal(outbox.mayStart, false);
  assert.equal(outbox.take().ends.length, BATCH);
  assert.equal(outbox.mayStart, true);
  assert.equal(outbox.take().ends.length, 1);
  assert.equal(outbox.isEmpty, true);
});

test('A4 B5 a move is written no earlier than the end of its task, and together with it', () => {
  const outbox = outboxWith(0);
  for (const task of [0, 1, 2]) {
    const { ends } = outbox;
    ends.cells[ends.add(null)] = task;
  }
  for (const name of ['2', '0', 'idle']) outbox.moved(NAMES.indexOf(name), moveOf(name));
  assert.deepEqual(outbox.take().moves, [moveOf('0'), moveOf('idle')]);
  assert.deepEqual(outbox.take().moves, [moveOf('2')]);
  assert.equal(outbox.isEmpty, true);
});

test('B5 the last move of a task is the one that is written, with whatever starts next', () => {
  const tasks = tasksOf();
  const outbox = outboxWith(0, tasks);
  const task = NAMES.indexOf('moved');
  outbox.moved(task, moveOf('moved', 1));
  outbox.moved(task, moveOf('moved', 2));
  assert.equal(tasks.versionOf(task), 2, 'it is one write');
  assert.deepEqual(outbox.take().moves, [moveOf('moved', 2)]);
  assert.equal(outbox.isEmpty, true);
});

test('K2 a move names the version that the record has when the store comes to it, whatever is in the same batch', () => {
  const tasks = tasksOf();
  const outbox = outboxWith(0, tasks);
  const task = NAMES.indexOf('moved');
  outbox.moved(task, moveOf('moved', 1));
  outbox.paused(task, { name: 'moved', pausedAt: 5 });
  outbox.paused(task, { name: 'moved', pausedAt: 6 });
  tasks.firstComing(task, 0);
  const starts = new Starts(tasks);
  tasks.claim(task, 1, 10, 'due', 5, starts);
  assert.deepEqual(outbox.take().moves, [moveOf('moved', 1, 2)], 'the pause comes first');
  assert.deepEqual(
    Array.from(starts, ({ version }) => version),
    [3],
    'the claim comes last',
  );
  assert.equal(tasks.versionOf(task), 4);
});

test('K2 a pause that ends before it was written is nothing to write, and raises nothing', () => {
  const tasks = tasksOf();
  const outbox = outboxWith(0, tasks);
  const task = NAMES.indexOf('moved');
  const before = tasks.versionOf(task);
  outbox.paused(task, { name: 'moved', pausedAt: 5 });
  assert.equal(tasks.versionOf(task), before + 1);
  outbox.paused(task, { name: 'moved', pausedAt: null });
  assert.equal(tasks.versionOf(task), before);
  assert.equal(outbox.isEmpty, true);
  outbox.paused(task, { name: 'moved', pausedAt: null });
  outbox.paused(task, { name: 'moved', pausedAt: 7 });
  assert.deepEqual(outbox.take().pauses, [{ name: 'moved', pausedAt: 7 }], 'one that had ended goes on');
  assert.equal(tasks.versionOf(task), before + 1);
});

test('E9 a start that was taken back counts as written only if the record shows it', () => {
  const { work, run } = startOf('task');
  const unstart = { name: 'task', runId: run.runId, work: null, run: null };
  assert.equal(isApplied({ unstarts: [unstart] }, [newRecord('task', { work, run })]), false);
  assert.equal(isApplied({ unstarts: [unstart] }, [newRecord('task')]), true);
  assert.equal(isApplied({ unstarts: [unstart] }, []), false);
});
