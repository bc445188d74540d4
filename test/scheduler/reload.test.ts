/** I5, I6: another list while the scheduler runs. Every trace is judged by the oracle as well. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { control, hours, minutes, task } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { failsBefore, through } from './fixtures/troubled-store.ts';
import { fail, fileStore, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const NOON = '2026-03-02T12:00:00Z';
const reloading = { reload: true };
const names = async (stage: Stage): Promise<string[]> =>
  (await stage.disk.records()).map(({ name }) => name).toSorted();

describe('I5 reload', () => {
  test('I5 the list is replaced as E4 says, without a stop: new, overridden, removed', async (t) => {
    const stage = new Stage(NOON, { ...reloading, store: fileStore(t) });
    await stage.initialize(
      ['kept', '* * * * *', noop, 0],
      ['changed', '30 * * * *', noop, 0],
      ['gone', '* * * * *', noop, 0],
    );
    await stage.clock.advance(MINUTE);
    await stage.initialize(
      ['kept', '* * * * *', noop, 0],
      ['changed', '2 * * * *', noop, 0],
      ['new', '* * * * *', noop, 0],
    );
    const completed = stage.world.events.filter((event) => event.type === 'SchedulerInitializationCompleted');
    assert.deepEqual(
      completed.map(({ added, overridden, removed }) => [added, overridden, removed]),
      [
        [['kept', 'changed', 'gone'], [], []],
        [['new'], ['changed'], ['gone']],
      ],
    );
    await stage.clock.advance(MINUTE);
    const of = (name: string): string[] => stage.starts().filter((line) => line.startsWith(name));
    assert.deepEqual(of('kept'), ['kept 12:00 due', 'kept 12:01 due', 'kept 12:02 due']);
    assert.deepEqual(of('changed'), ['changed 12:02 due']);
    assert.deepEqual(of('gone'), ['gone 12:00 due', 'gone 12:01 due']);
    assert.deepEqual(of('new'), ['new 12:01 due', 'new 12:02 due']);
    assert.equal(stage.world.told().filter((line) => line === 'SchedulerReinitializationStarted').length, 1);
    await stage.stop();
    assert.deepEqual(await names(stage), ['changed', 'kept', 'new']);
  });

  test('I5 what runs goes on under its old registration, never overlaps itself, and what came due meanwhile follows', async () => {
    const stage = new Stage(NOON, reloading);
    const before = heldCallback();
    const after = heldCallback();
    await stage.initialize(['a', '* * * * *', before.callback, hours(1)]);
    await stage.clock.advance(10 * SECOND);
    await stage.initialize(['a', '* * * * *', after.callback, SECOND]);
    await stage.clock.advance(2 * MINUTE);
    assert.deepEqual([before.runs.length, after.runs.length], [1, 0]);
    assert.equal(before.runs[0].context.signal.aborted, false);
    before.runs[0].fail();
    await stage.clock.settle();
    assert.deepEqual([before.runs.length, after.runs.length], [1, 1]);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:02:10 due']);
    assert.equal((await stage.disk.record('a')).lastFailureAt, stage.clock.now());
    after.runs[0].succeed();
    await stage.stop();
  });

  test('I5 the failure of a run from before waits for the delay of its own registration', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', reloading);
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0 12 * * *', callback, minutes(5)]);
    await stage.initialize(['a', '0 12 * * *', noop, SECOND]);
    runs[0].fail();
    await stage.clock.advance(minutes(5) - 1);
    assert.equal(stage.starts().length, 1);
    await stage.clock.advance(1);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:05 retry']);
    await stage.stop();
  });

  test('I5 a removed task that runs is forgotten when it has ended', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    await stage.initialize(['gone', '* * * * *', callback, 0], ['kept', '0 0 1 1 *', noop, 0]);
    await stage.initialize(['kept', '0 0 1 1 *', noop, 0]);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(await names(stage), ['gone', 'kept']);
    runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(await names(stage), ['kept']);
    assert.equal(runs.length, 1);
    await stage.stop();
  });

  test('I5 a refused list, or a store that fails, changes nothing; the old list goes on', async () => {
    const stage = new Stage(NOON, reloading);
    await stage.initialize(['a', '* * * * *', noop, 0]);
    await assert.rejects(stage.world.scheduler.initialize([['b', '*/5 * * * *', noop, 0]]), {
      name: 'CronExpressionInvalidError',
    });
    stage.disk.commits = failsBefore;
    await assert.rejects(stage.world.scheduler.initialize([['b', '* * * * *', noop, 0]]), {
      name: 'ScheduleTaskError',
    });
    stage.disk.commits = through;
    await stage.clock.advance(2 * MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:01 due', 'a 12:02 due']);
    assert.deepEqual(await names(stage), ['a']);
    await stage.stop();
  });

  test('I5 calls are served one after the other, in their order', async () => {
    const stage = new Stage(NOON, reloading);
    const list = (name: string): Registration[] => [[name, '0 0 1 1 *', noop, 0]];
    const { scheduler } = stage.world;
    await Promise.all([
      scheduler.initialize(list('a')),
      scheduler.initialize(list('b')),
      scheduler.initialize(list('c')),
    ]);
    assert.deepEqual(await names(stage), ['c']);
    await stage.stop();
    assert.deepEqual(await names(stage), ['c']);
  });

  test('I5 a stop ends all: what runs under an old list is aborted and waited for', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '* * * * *', callback, 0]);
    await stage.initialize(['a', '30 * * * *', noop, 0]);
    let isStopped = false;
    const stopped = stage.stop().then(() => {
      isStopped = true;
    });
    await stage.clock.settle();
    assert.deepEqual([runs[0].context.signal.aborted, isStopped], [true, false]);
    runs[0].succeed();
    await stopped;
    assert.equal((await stage.disk.record('a')).run, null);
  });

  test('I5 a crash after a reload orphans what ran under the old list', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback } = heldCallback();
    await stage.initialize(['a', '0 12 * * *', callback, 0]);
    await stage.initialize(['a', '0 12 * * *', noop, 5]);
    await stage.crash();
    await stage.initialize(['a', '0 12 * * *', noop, 5]);
    assert.deepEqual(stage.starts(), ['a 12:00 orphaned']);
    await stage.stop();
  });

  test('I5 requests and pauses outlive a reload: one that waits for a run is served by the new list', async () => {
    const stage = new Stage(NOON, reloading);
    const before = heldCallback();
    const after = heldCallback();
    await stage.initialize(['a', '0 0 1 1 *', before.callback, 0], ['p', '* * * * *', noop, 0]);
    const operator = control(stage.disk.inner);
    await operator.run('a', { wait: 0 });
    await operator.pause('p', { wait: 0 });
    await stage.clock.settle();
    await operator.run('a', { wait: 0 });
    await stage.clock.settle();
    await stage.initialize(['a', '0 0 1 1 *', after.callback, 0], ['p', '* * * * *', noop, 0]);
    await stage.clock.advance(MINUTE);
    before.runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['p 12:00 due', 'a 12:00 manual', 'a 12:01 manual']);
    await operator.cancel('a', { wait: 0 });
    await stage.clock.settle();
    assert.equal(after.runs[0].context.signal.aborted, true);
    after.runs[0].succeed();
    await stage.stop();
  });

  test('I5 a run of an old list is cancelled, replaced and skipped for by the new one', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    const of = (whileRunning: 'skip' | 'replace', run: Registration[2]) =>
      task({ name: whileRunning, cron: '* * * * *', run, whileRunning });
    await stage.initialize(of('skip', callback), of('replace', callback));
    await stage.initialize(of('skip', noop), of('replace', noop));
    await stage.clock.advance(MINUTE);
    const [skip, replace] = runs;
    assert.deepEqual([skip.context.signal.aborted, replace.context.signal.aborted], [false, true]);
    skip.succeed();
    replace.succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts().slice(2), ['replace 12:01 due']);
    await stage.stop();
  });

  test('D4 without the option a second list is refused, as ever', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(['a', '* * * * *', fail, 0]);
    await assert.rejects(stage.world.scheduler.initialize([]), { name: 'SchedulerAlreadyActiveError' });
    await stage.stop();
  });
});

describe('I6 the guard', () => {
  test('I6 a list that would forget more than half of ten or more stored tasks is refused, names them, and changes nothing', async () => {
    const list = (count: number): Registration[] =>
      Array.from({ length: count }, (_, index) => [`task ${index}`, '0 0 1 1 *', noop, 0]);
    const stage = new Stage(NOON, { guardRemovals: true });
    await stage.initialize(...list(10));
    await stage.stop();
    const refused = stage.world.scheduler.initialize(list(4));
    await assert.rejects(refused, {
      name: 'RemovalsRefusedError',
      message: /^The list would forget 6 of 10 stored tasks: "task 4", .*"task 9"; if that is meant/,
    });
    await assert.rejects(stage.world.scheduler.initialize([]), { name: 'RemovalsRefusedError' });
    assert.equal((await stage.disk.records()).length, 10);
    await stage.initialize(...list(5));
    await stage.stop();
    await stage.initialize(...list(0));
    await stage.stop();
    assert.equal((await stage.disk.records()).length, 0, 'five are too few to guard');
  });
});
