/** The possible pasts of a task: when it is in doubt, what is dropped, what is merged, and which delays count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { axioms } from '../../src/theory/axioms/index.ts';
import { Compute } from '../../src/theory/delays/compute.ts';
import type { Delay } from '../../src/theory/delays/delay.ts';
import { bits } from '../../src/theory/logic/atoms.ts';
import { scoped } from '../../src/theory/logic/compiled.ts';
import { crash } from '../../src/theory/tasks/crashes.ts';
import { initialize } from '../../src/theory/tasks/initializations.ts';
import { leastOwed } from '../../src/theory/tasks/pasts.ts';
import { nowhere, type Past, type Task } from '../../src/theory/tasks/task.ts';
import { Tasks } from '../../src/theory/tasks/tasks.ts';
import { noFindings } from './agreement.ts';
import { divisionSchedule } from './random.ts';
import { axiomOf } from './reference/axiom-of.ts';

const { automaton } = scoped(
  axioms.filter(({ part }) => part === 'scheduler'),
  'task',
);

/** Tasks that hear which pasts broke an axiom, and which delays were settled. */
function heard() {
  const broken: Past[] = [];
  const settled: Delay[] = [];
  const tasks = new Tasks(automaton, {
    ...noFindings,
    broken: (_mask, _edge, past) => broken.push(past),
    delayed: (delay) => settled.push(delay),
  });
  tasks.reader.begin(0);
  initialize(
    tasks,
    {
      list: [{ name: 'x', schedule: divisionSchedule('Z\n5'), retryDelayMs: 1000 }],
      isLive: true,
      plannedAt: 1000,
    },
    1000,
  );
  return { tasks, x: tasks.task('x'), broken, settled };
}

const delay = (from: number, to: number, what: Task): Delay => ({
  axiom: axiomOf('L1'),
  from,
  to,
  lagMs: 60_000,
  budget: 0,
  compute: new Compute(),
  what,
  isStarted: false,
  line: 0,
  judgeAt: Number.NaN,
});

/** A run has ended, and the process dies before that is durable: ended, or cut off (T10). */
function crashed() {
  const all = heard();
  const { tasks, x } = all;
  tasks.started(x, 1500);
  tasks.ended(x, bits.REs, 3000);
  const dying = { mayHaveClaimed: false, isStopping: false, ended: [x], claimed: [], committed: [] };
  assert.equal(crash(tasks, dying, 4000), 1);
  return all;
}

const again = (tasks: Tasks, schedule: string, now: number): void =>
  initialize(
    tasks,
    {
      list: [{ name: 'x', schedule: divisionSchedule(schedule), retryDelayMs: 1000 }],
      isLive: true,
      plannedAt: now,
    },
    now,
  );

describe('T10 a task in doubt', () => {
  test('T10 has one past per possibility, and the trace taken literally comes first', () => {
    const { tasks, x } = crashed();
    const [first, second] = x.pasts.map((past) => tasks.pasts.read(past));
    assert.equal(x.pasts[0], x.past);
    assert.notEqual(first.state, second.state);
    assert.equal(x.pasts[1].task, x);
  });

  test('S1 a start that one past forbids settles the doubt, and breaks nothing', () => {
    const { tasks, x, broken } = crashed();
    again(tasks, 'Z\n5', 5000);
    tasks.started(x, 6000);
    assert.deepEqual([x.isInDoubt, broken], [false, []]);
  });

  test('S1 a start that every past forbids breaks the axiom, once', () => {
    const { tasks, x, broken } = crashed();
    again(tasks, 'Z\n5', 5000);
    tasks.started(x, 6000);
    tasks.ended(x, bits.REs, 6500);
    tasks.started(x, 7000);
    assert.deepEqual(broken, [x.past]);
  });

  test('another past takes the place of the literal one if that is the wrong one', () => {
    const { tasks, x } = crashed();
    again(tasks, 'Z\n5', 5000);
    const [literal, cutOff] = x.pasts;
    tasks.started(x, 6000);
    assert.deepEqual(x.pasts, [cutOff]);
    assert.equal(literal.group, nowhere);
  });

  test('a past that there is already is not added again', () => {
    const { tasks, x } = crashed();
    tasks.pasts.add(x.past, tasks.pasts.read(x.pasts[1]), 4000);
    assert.equal(x.pasts.length, 2);
  });

  test('there are at most 33 pasts: those that allow most and ask least stay', () => {
    const { tasks, x } = crashed();
    const past = tasks.pasts.read(x.past);
    for (let i = 1; i <= 500; i++) tasks.pasts.add(x.past, { ...past, servedTo: i }, 4000);
    tasks.pasts.merge(x);
    const served = x.pasts.map(({ history }) => history.servedTo);
    assert.ok(served.length <= 33, String(served.length));
    assert.ok(served.includes(1) && served.includes(500));
  });
});

describe('L1 what was owed in one past', () => {
  test('L1 counts at once if the task is certain', () => {
    const { tasks, x, settled } = heard();
    const late = delay(0, 90_000, x);
    tasks.pasts.delayed(x.past, late);
    assert.deepEqual(settled, [late]);
  });

  test('L1 counts when the doubt is settled, if its past is the one that is left', () => {
    const { tasks, x, settled } = crashed();
    again(tasks, 'Z\n5', 5000);
    const [literal, cutOff] = x.pasts;
    const [dropped, kept] = [delay(0, 80_000, x), delay(0, 90_000, x)];
    tasks.pasts.delayed(literal, dropped);
    tasks.pasts.delayed(cutOff, kept);
    assert.deepEqual(settled, []);
    tasks.started(x, 6000);
    assert.deepEqual(settled, [kept]);
  });

  test('L1 at the end of a trace the past counts in which the least was owed', () => {
    const { tasks, x } = crashed();
    const [literal, cutOff] = x.pasts;
    tasks.pasts.delayed(literal, delay(0, 90_000, x));
    const open = delay(0, 10_000, x);
    assert.deepEqual(
      leastOwed(x, (past) => (past === cutOff ? [open] : [])),
      { ended: [], open: [open] },
    );
  });
});
