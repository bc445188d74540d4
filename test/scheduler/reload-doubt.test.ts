/** I5: lists that follow each other while runs go on, and a list of which nobody knows whether it is stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { control, task } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import type { Store } from '../../src/store/port.ts';
import { failsAfter, failsBefore, gate, through } from './fixtures/troubled-store.ts';
import { fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const NOON = '2026-03-02T12:00:00Z';
const reloading = { reload: true };

describe('I5 reload, again and in doubt', () => {
  test('I5 a run that has ended is busy for no later list, also while another run of that list goes on', async () => {
    const stage = new Stage(NOON, reloading);
    const a = heldCallback();
    const b = heldCallback();
    const list: readonly Registration[] = [
      ['a', '* * * * *', a.callback, 0],
      ['b', '1 12 * * *', b.callback, 0],
    ];
    await stage.initialize(...list);
    await stage.initialize(...list);
    await stage.clock.advance(MINUTE);
    await stage.initialize(...list);
    a.runs[0].succeed();
    await stage.clock.settle();
    a.runs[1].succeed();
    await stage.clock.settle();
    await stage.initialize(...list);
    await stage.clock.advance(MINUTE);
    assert.deepEqual([a.runs.length, b.runs.length], [3, 1]);
    a.runs[2].succeed();
    b.runs[0].succeed();
    await stage.stop();
  });

  test('I1 I5 a request that the store shows again while the list is handed over is applied once', async () => {
    const stage = new Stage(NOON, reloading);
    const list: readonly Registration[] = [
      ['a', '0 0 1 1 *', noop, 0],
      ['b', '0 0 1 1 *', noop, 0],
    ];
    await stage.initialize(...list);
    const operator = control(stage.disk.inner);
    const held = gate();
    stage.disk.commits = (batch, commit) =>
      (batch.starts ?? []).length > 0 ? commit() : held.commits(batch, commit);
    await operator.run('a', { wait: 0 });
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['a 12:00 manual'], 'and the answer is not durable');
    const reloaded = stage.initialize(...list);
    await stage.clock.settle();
    await operator.run('b', { wait: 0 }); // the store shows all that are open
    await stage.clock.settle();
    stage.disk.commits = through;
    held.open();
    await reloaded;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 manual', 'b 12:00 manual']);
    await stage.stop();
  });

  test('I5 F2 a run whose start was on its way with the end of the one before, when the list came, is not overlapped', async () => {
    const stage = new Stage(NOON, reloading);
    const before = heldCallback();
    const after = heldCallback();
    await stage.initialize(['a', '* * * * *', before.callback, 0]);
    await stage.clock.advance(MINUTE);
    const held = gate();
    stage.disk.commits = held.commits;
    before.runs[0].succeed();
    await stage.clock.settle();
    const batch = stage.disk.batches.at(-1);
    assert.deepEqual([batch?.ends?.length, batch?.starts?.length], [1, 1], 'one batch has both');
    const reloaded = stage.initialize(['a', '* * * * *', after.callback, 0]);
    await stage.clock.settle();
    stage.disk.commits = through;
    held.open();
    await reloaded;
    await stage.clock.advance(MINUTE);
    assert.deepEqual([before.runs.length, after.runs.length], [2, 0]);
    before.runs[1].succeed();
    await stage.clock.settle();
    assert.deepEqual([before.runs.length, after.runs.length], [2, 1]);
    after.runs[0].succeed();
    await stage.stop();
  });

  test('I5 H9 a due after the end of a run of the list before is no due during it, though that end is not stored yet', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    const list = (delayMs: number) =>
      task({ name: 'a', cron: '* * * * *', run: callback, retry: { delay: delayMs }, whileRunning: 'skip' });
    await stage.initialize(list(1));
    await stage.clock.settle();
    await stage.initialize(list(2));
    await stage.clock.advance(MINUTE);
    stage.disk.commits = failsBefore;
    runs[0].succeed();
    await stage.clock.advance(MINUTE);
    assert.equal(runs.length, 1, 'the start waits for the store');
    stage.disk.commits = through;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(
      runs.map(({ context }) => new Date(context.scheduledFor).toISOString().slice(11, 16)),
      ['12:00', '12:02'],
    );
    runs[1].succeed();
    await stage.clock.settle();
    const skipped = stage.world.events.filter(({ type }) => type === 'TaskDueSkipped');
    assert.equal(skipped.length, 2, '12:01, and 12:03 during the second run');
    await stage.stop();
  });

  test('I5 B5 a clock that is set during a stop is judged by the next initialize, also for a run of the list before', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    const list: Registration = ['a', '* * * * *', callback, 0];
    await stage.initialize(list);
    await stage.initialize(list);
    const stopped = stage.stop();
    stage.clock.step(-HOUR);
    await stage.clock.advance(SECOND);
    runs[0].succeed();
    await stopped;
    await stage.clock.advance(MINUTE);
    await stage.initialize(['a', '* * * * *', noop, 0]);
    await stage.clock.advance(MINUTE);
    // The due at 11:01 lies before the instant to which that initialize has moved the cursor.
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 11:02 due']);
    await stage.stop();
  });

  test('I5 B5 a clock that is set back while a list is written is judged by that list, and the trace says so', async () => {
    const stage = new Stage(NOON, reloading);
    // The hour field of the first list is no asterisk: by that list nothing would move.
    await stage.initialize(['a', '* 0-23 * * *', noop, 0]);
    await stage.clock.advance(SECOND);
    const held = gate();
    stage.disk.commits = held.commits;
    const reloaded = stage.initialize(['a', '* * * * *', noop, 0]);
    await stage.clock.settle();
    stage.clock.step(-HOUR);
    stage.disk.commits = through;
    held.open();
    await reloaded;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 11:01 due']);
    const told = stage.world.trace.map(({ event }) => event).filter((event) => /^(Init|Clock)/.test(event));
    assert.deepEqual(told.slice(2), ['InitStart', 'ClockStep', 'InitSuccess', 'ClockStep']);
    await stage.stop();
  });

  test('I5 B5 a clock that was set back is judged again by a list that changes the expression', async () => {
    const stage = new Stage(NOON, reloading);
    await stage.initialize(['a', '* 11-12 * * *', noop, 0]);
    await stage.clock.advance(SECOND);
    stage.clock.step(-HOUR / 2);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due'], 'the hour field is no asterisk');
    await stage.initialize(['a', '* * * * *', noop, 0]);
    await stage.clock.advance(MINUTE);
    assert.equal(stage.starts().length, 2);
    await stage.stop();
  });

  test('I5 H4 what runs under the list before is not looked at, however old its due is, until the run has ended', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    const list = () => task({ name: 'a', cron: '* * * * *', run: callback, startWithin: SECOND });
    await stage.initialize(list());
    await stage.clock.settle();
    await stage.initialize(list());
    stage.clock.step(30 * SECOND); // seen when the next minute was to begin
    await stage.clock.advance(MINUTE);
    const skipped = () => stage.world.events.filter(({ type }) => type === 'TaskDueSkipped').length;
    assert.deepEqual([runs.length, skipped()], [1, 0]);
    runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual([runs.length, skipped()], [1, 1]);
    await stage.stop();
  });

  test('I5 E9 the old list goes on whole after a list that the store does not take', async (t) => {
    const { stage, other } = await withThree(fileStore(t));
    stage.disk.commits = failsBefore;
    await assert.rejects(stage.world.scheduler.initialize(other), { name: 'ScheduleTaskError' });
    stage.disk.commits = through;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(await stored(stage), ['changed', 'left out', 'same']);
    assert.equal((await stage.disk.record('changed')).cron, '* * * * *');
    const later = stage.starts().filter((line) => line.includes('12:01'));
    assert.deepEqual(later.toSorted(), ['changed 12:01 due', 'left out 12:01 due', 'same 12:01 due']);
    await stage.stop();
  });

  test('I5 E9 a list that the store takes, and says that it failed, is in force: the store is read first', async (t) => {
    const { stage, other } = await withThree(fileStore(t));
    stage.disk.commits = failsAfter;
    const reloaded = stage.world.scheduler.initialize(other);
    await stage.clock.settle();
    stage.disk.commits = through;
    await reloaded;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(await stored(stage), ['changed', 'new', 'same']);
    const later = stage.starts().filter((line) => line.includes('12:01'));
    assert.deepEqual(later.toSorted(), ['new 12:01 due', 'same 12:01 due']);
    await stage.stop();
  });

  test('I5 E9 while nobody knows whether a list is stored, nothing starts; then it is in force', async () => {
    const { stage, other } = await withThree();
    const before = stage.starts().length;
    stage.disk.commits = failsAfter;
    stage.disk.reads = () => Promise.reject(new Error('unreadable'));
    const reloaded = stage.initialize(...other);
    await stage.clock.advance(3 * MINUTE);
    assert.equal(stage.starts().length, before);
    stage.disk.commits = through;
    stage.disk.reads = (read) => read();
    await stage.clock.advance(SECOND * 10);
    await reloaded;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(await stored(stage), ['changed', 'new', 'same']);
    await stage.stop();
  });

  test('I5 D7 a list that came before a stop is stored and resolves, and nothing starts by it', async () => {
    const { stage, other } = await withThree();
    const before = stage.starts().length;
    const held = gate();
    stage.disk.commits = held.commits;
    const first = stage.initialize(...other);
    const second = stage.initialize(['last', '* * * * *', noop, 0]);
    await stage.clock.settle();
    const stopped = stage.stop();
    stage.disk.commits = through;
    held.open();
    await Promise.all([first, second, stopped]);
    assert.deepEqual(await stored(stage), ['last']);
    assert.equal(stage.starts().length, before);
  });

  test('I5 a name goes while the end of its run waits for the store: the end is written, and then the name is forgotten', async () => {
    const stage = new Stage(NOON, reloading);
    const { callback, runs } = heldCallback();
    await stage.initialize(['goes', '0 12 * * *', callback, 0], ['other', '* * * * *', noop, 0]);
    await stage.clock.advance(SECOND);
    const held = gate();
    stage.disk.commits = held.commits;
    await stage.clock.advance(MINUTE); // the start of the other one is on its way
    const reloaded = stage.initialize(['other', '* * * * *', noop, 0]);
    await stage.clock.settle();
    runs[0].succeed();
    await stage.clock.settle();
    stage.disk.commits = through;
    held.open();
    await reloaded;
    await stage.clock.settle();
    assert.deepEqual(await stored(stage), ['other']);
    const wrong = stage.world.events.filter(({ type }) => /SetAside|Refused/.test(type));
    assert.deepEqual(wrong, []);
    const ended = stage.disk.batches.flatMap(({ ends = [] }) => Array.from(ends, ({ name }) => name));
    assert.ok(ended.includes('goes'));
    await stage.stop();
  });

  test('I5 a task that no list touches starts while a list is compared, and each number is used again', async () => {
    const stage = new Stage(NOON, reloading);
    const list = (round: number): Registration[] => [
      ['same', '* * * * *', noop, 0],
      [`round ${round}`, '* * * * *', noop, 0],
    ];
    for (let round = 0; round < 5; round++) {
      await stage.initialize(...list(round));
      await stage.clock.advance(MINUTE);
    }
    const of = (name: string): number => stage.starts().filter((line) => line.startsWith(name)).length;
    assert.deepEqual([of('same'), of('round 0'), of('round 4')], [6, 2, 2]);
    await stage.stop();
  });
});

const stored = async (stage: Stage): Promise<string[]> =>
  (await stage.disk.records()).map(({ name }) => name).toSorted();

async function withThree(store?: Store): Promise<{ readonly stage: Stage; readonly other: Registration[] }> {
  const stage = new Stage(NOON, store === undefined ? reloading : { ...reloading, store });
  await stage.initialize(
    ['left out', '* * * * *', noop, 0],
    ['changed', '* * * * *', noop, 0],
    ['same', '* * * * *', noop, 0],
  );
  await stage.clock.settle();
  const other: Registration[] = [
    ['changed', '30 * * * *', noop, 0],
    ['new', '1 * * * *', noop, 0],
    ['same', '* * * * *', noop, 0],
  ];
  return { stage, other };
}
