/** What waits to be written, and in which order: changes of one task become durable as they happened (A4), and a lost answer is looked up (E9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpareCells } from '../../src/core/rows.ts';
import { RunNames } from '../../src/core/run-names.ts';
import { Outbox } from '../../src/scheduler/outbox.ts';
import { isApplied } from '../../src/scheduler/read-back.ts';
import { newRecord, startOf } from '../../src/store/conformance-kit.ts';

const BATCH = 2;

function outboxWith(ends: number, store: 'own' | 'shared' = 'own'): Outbox {
  const naming = { runNames: new RunNames(), spareCells: new SpareCells(), nameOf: String };
  const outbox = new Outbox(BATCH, naming, store === 'shared');
  for (let count = 0; count < ends; count++) outbox.ends.add(null);
  return outbox;
}

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
  const moveOf = (name: string) => ({
    name,
    runId: null,
    lastAttemptAt: null,
    servedThrough: 0,
    pendingRetryUntil: null,
  });
  for (const name of ['2', '0', 'idle']) outbox.moved(moveOf(name));
  assert.deepEqual(outbox.take().moves, [moveOf('0'), moveOf('idle')]);
  assert.deepEqual(outbox.take().moves, [moveOf('2')]);
  assert.equal(outbox.isEmpty, true);
});

test('B5 in a store of its own the last move of a task is the one that is written, with whatever starts next', () => {
  const outbox = outboxWith(0);
  const move = { name: 'moved', runId: null, lastAttemptAt: null, pendingRetryUntil: null };
  const stepped = { ...move, servedThrough: 2, isByList: true } as const;
  outbox.moved({ ...move, servedThrough: 1 });
  outbox.moved(stepped);
  assert.deepEqual(outbox.take().moves, [stepped]);
  assert.equal(outbox.isEmpty, true);
});

test('K5 what a list has decided does not take the place of another move: the store may refuse it alone', () => {
  const outbox = outboxWith(0, 'shared');
  const move = { name: 'moved', runId: null, lastAttemptAt: null, pendingRetryUntil: null };
  const resumed = { ...move, servedThrough: 1 };
  const skipped = { ...move, servedThrough: 2, isByList: true } as const;
  outbox.moved(resumed);
  outbox.moved(skipped);
  assert.deepEqual(outbox.take().moves, [resumed]);
  assert.equal(outbox.isEmpty, false);
  assert.deepEqual(outbox.take().moves, [skipped]);
  outbox.moved(skipped);
  outbox.moved({ ...move, servedThrough: 3 });
  assert.deepEqual(
    outbox.take().moves,
    [{ ...move, servedThrough: 3 }],
    'the later move needs no earlier one',
  );
  assert.equal(outbox.isEmpty, true);
});

test('E9 a start that was taken back counts as written only if the record shows it', () => {
  const { work, run } = startOf('task');
  const unstart = { name: 'task', runId: run.runId, work: null, run: null };
  assert.equal(isApplied({ unstarts: [unstart] }, [newRecord('task', { work, run })]), false);
  assert.equal(isApplied({ unstarts: [unstart] }, [newRecord('task')]), true);
  assert.equal(isApplied({ unstarts: [unstart] }, []), false);
});
