/** The possible pasts of a task: when it is in doubt, what is dropped, what is merged, and which delays count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { axioms } from '../../src/theory/axioms/index.ts';
import { Compute } from '../../src/theory/delays/compute.ts';
import { bits } from '../../src/theory/logic/atoms.ts';
import { compileTheory, scoped } from '../../src/theory/logic/compiled.ts';
import { Tasks } from '../../src/theory/tasks/tasks.ts';
import type { Delay } from '../../src/theory/verdict/ledger.ts';
import { noFindings } from './agreement.ts';
import { divisionMatcher, MINUTE_MS } from './random.ts';
import { axiomOf } from './reference/axiom-of.ts';

const minuteStart = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;
const parts = scoped(
  axioms.filter(({ part }) => part === 'scheduler'),
  'task',
).parts;

/** Tasks that hear which rows broke an axiom, and which delays were settled. */
function heard() {
  const broken: number[] = [];
  const settled: Delay[] = [];
  const tasks = new Tasks(compileTheory(parts), divisionMatcher, minuteStart, {
    ...noFindings,
    broken: (_mask, _edge, rows) => broken.push(...rows),
    delayed: (delay) => settled.push(delay),
  });
  tasks.begin(0);
  tasks.initialize(
    { list: [{ name: 'x', schedule: '5', retryDelayMs: 1000 }], isLive: true, plannedAt: 1000 },
    1000,
  );
  return { tasks, x: tasks.task('x'), broken, settled };
}

const delay = (from: number, to: number, row: number): Delay => ({
  axiom: axiomOf('L1'),
  from,
  to,
  budget: 0,
  compute: new Compute(),
  what: row,
  task: 'x',
  isStarted: false,
  line: 0,
  judgeAt: Number.NaN,
});

/** A run has ended, and the process dies before that is durable: ended, or cut off (T10). */
function crashed() {
  const all = heard();
  const { tasks, x } = all;
  tasks.started(x, 2000);
  tasks.ended(x, bits.REs, 3000);
  const dying = { mayHaveClaimed: false, isStopping: false, ended: [x], claimed: [], initializations: [] };
  assert.equal(tasks.crash(dying, 4000), 1);
  return all;
}

const again = (tasks: Tasks, schedule: string, now: number): void =>
  tasks.initialize(
    { list: [{ name: 'x', schedule, retryDelayMs: 1000 }], isLive: true, plannedAt: now },
    now,
  );

describe('T10 a task in doubt', () => {
  test('T10 has one past per possibility, and the trace taken literally comes first', () => {
    const { tasks, x } = crashed();
    const [first, second] = tasks.pasts.of(x).map((row) => tasks.pasts.read(row));
    assert.equal(tasks.pasts.of(x)[0], x);
    assert.notEqual(first.state, second.state);
    assert.equal(tasks.pasts.taskOf(tasks.pasts.of(x)[1]), x);
  });

  test('S1 a start that one past forbids settles the doubt, and breaks nothing', () => {
    const { tasks, x, broken } = crashed();
    again(tasks, '5', 5000);
    tasks.started(x, 6000);
    assert.deepEqual([tasks.pasts.isInDoubt(x), broken], [false, []]);
  });

  test('S1 a start that every past forbids breaks the axiom, once', () => {
    const { tasks, x, broken } = crashed();
    again(tasks, '5', 5000);
    tasks.started(x, 6000);
    tasks.ended(x, bits.REs, 6500);
    tasks.started(x, 7000);
    assert.deepEqual(broken, [x]);
  });

  test('the row of the name is used again when its past is the wrong one', () => {
    const { tasks, x } = crashed();
    again(tasks, '5', 5000);
    const [, cutOff] = tasks.pasts.of(x);
    tasks.started(x, 6000);
    assert.deepEqual(tasks.pasts.of(x), [x]);
    assert.equal(tasks.classes.of(cutOff).state, -1);
  });

  test('a past that there is already is not added again', () => {
    const { tasks, x } = crashed();
    tasks.pasts.add(x, tasks.pasts.read(tasks.pasts.of(x)[1]), 4000);
    assert.equal(tasks.pasts.of(x).length, 2);
  });

  test('there are at most 129 pasts: those that allow most and ask least stay', () => {
    const { tasks, x } = crashed();
    const past = tasks.pasts.read(x);
    for (let i = 1; i <= 500; i++) tasks.pasts.add(x, { ...past, servedTo: i }, 4000);
    tasks.pasts.merge(x);
    const served = tasks.pasts.of(x).map((row) => tasks.table.history[row].servedTo);
    assert.ok(served.length <= 129, String(served.length));
    assert.ok(served.includes(1) && served.includes(500));
  });
});

describe('L1 what was owed in one past', () => {
  test('L1 counts at once if the task is certain', () => {
    const { tasks, x, settled } = heard();
    const late = delay(0, 90_000, x);
    tasks.pasts.delayed(x, late);
    assert.deepEqual(settled, [late]);
  });

  test('L1 counts when the doubt is settled, if its past is the one that is left', () => {
    const { tasks, x, settled } = crashed();
    again(tasks, '5', 5000);
    const [literal, cutOff] = tasks.pasts.of(x);
    const [dropped, kept] = [delay(0, 80_000, literal), delay(0, 90_000, cutOff)];
    tasks.pasts.delayed(literal, dropped);
    tasks.pasts.delayed(cutOff, kept);
    assert.deepEqual(settled, []);
    tasks.started(x, 6000);
    assert.deepEqual(settled, [kept]);
  });

  test('L1 at the end of a trace the past counts in which the least was owed', () => {
    const { tasks, x } = crashed();
    const [literal, cutOff] = tasks.pasts.of(x);
    tasks.pasts.delayed(literal, delay(0, 90_000, literal));
    const open = delay(0, 10_000, cutOff);
    assert.deepEqual(
      tasks.pasts.least(x, (row) => (row === cutOff ? [open] : [])),
      { ended: [], open: [open] },
    );
  });
});
