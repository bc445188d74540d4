/** The places of tasks in the executor's state: more of them while tasks wait, and the same one for another task. And when a trigger is served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExecutor, manual } from '../../src/executor/index.ts';
import {
  addTask,
  createState,
  type ExecutorState,
  endSource,
  NONE,
  pass,
  release,
  SUBSCRIBER,
  TIMER,
  take,
  trigger,
} from '../../src/executor/state.ts';

function takeAll(state: ExecutorState): readonly number[] {
  const taken: number[] = [];
  for (let task = take(state); task !== NONE; task = take(state)) taken.push(task);
  return taken;
}

test('X2, X4 tasks that wait or queue while room is made for more are served, once, in their order', () => {
  const state = createState(Number.POSITIVE_INFINITY, 4);
  const [first, second, third, fourth] = [0, 1, 2, 3].map(() => addTask(state, SUBSCRIBER));
  for (const task of [second, first]) trigger(state, task);
  pass(state);
  for (const task of [fourth, third]) trigger(state, task);
  const fifth = addTask(state, SUBSCRIBER); // room for four more
  trigger(state, fifth);
  pass(state);
  assert.deepEqual(takeAll(state), [second, first, fourth, third, fifth]);
});

test('X2 a task that waits while room is made for more keeps its kind', () => {
  const state = createState(Number.POSITIVE_INFINITY, 2);
  const subscriber = addTask(state, SUBSCRIBER);
  const timer = addTask(state, TIMER);
  addTask(state, SUBSCRIBER);
  trigger(state, subscriber);
  trigger(state, timer);
  pass(state);
  assert.deepEqual(takeAll(state), [timer, subscriber]);
});

test('X4 a subscriber that has the place of a timer that ended goes after the timers', () => {
  const state = createState(Number.POSITIVE_INFINITY);
  const ended = addTask(state, TIMER);
  const timer = addTask(state, TIMER);
  endSource(state, ended);
  release(state, ended);
  const subscriber = addTask(state, SUBSCRIBER);
  assert.equal(subscriber, ended, 'it has the same place');
  trigger(state, subscriber);
  trigger(state, timer);
  pass(state);
  assert.deepEqual(takeAll(state), [timer, subscriber]);
});

test('a trigger is served in the same turn of the event loop', async () => {
  const executor = createExecutor();
  let calls = 0;
  const task = executor.add('t', manual(), () => void calls++);
  let hasComeRound = false;
  setImmediate(() => {
    hasComeRound = true;
  });
  task.trigger();
  for (let microtask = 0; microtask < 100; microtask++) await undefined;
  assert.deepEqual({ calls, hasComeRound }, { calls: 1, hasComeRound: false });
  await executor.stop();
});
