/** How late a start is, and where the time went (G4). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeEvent } from '../../src/cli/run/describe-event.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const lateness = (stage: Stage) =>
  stage.world.events.flatMap((event) => (event.type === 'TaskStartedLate' ? [event] : []));

/** Each late start in the words of the command line. */
const told = (stage: Stage) =>
  lateness(stage).map((event) => `${event.task} ${describeEvent(event, zoneOf('UTC'))?.text}`);

/** How late, and in which parts: unnoticed, queued, in the store. */
const partsOf = (event: ReturnType<typeof lateness>[number] | undefined) =>
  event && [event.lateMs, event.unnoticedMs, event.queuedMs, event.storeMs];

describe('lateness', () => {
  test('G4 time in the queue is told as such', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const long = heldCallback();
    await stage.initialize(['long', '0 12 * * *', long.callback, 0], ['short', '0 12 * * *', noop, 0]);
    await stage.clock.advance(7 * SECOND);
    long.runs[0].succeed();
    await stage.clock.settle();
    const [late, ...more] = lateness(stage);
    assert.deepEqual(more, []);
    assert.equal(late.task, 'short');
    assert.deepEqual(
      [late.lateMs, late.unnoticedMs, late.queuedMs, late.storeMs],
      [7 * SECOND, 0, 7 * SECOND, 0],
    );
    assert.equal(late.culprit, undefined); // the worker was taken, but the loop was free
    await stage.stop();
  });

  test('G4 time that the store took is told as such', async () => {
    const stage = new Stage('2026-03-02T11:59:59Z');
    await stage.initialize(['noon', '0 12 * * *', noop, 0]);
    stage.disk.fate = () => 'refused';
    await stage.clock.advance(2 * SECOND);
    stage.disk.fate = () => 'taken';
    await stage.clock.advance(10 * SECOND);
    const [late] = lateness(stage);
    assert.equal(late.task, 'noon');
    assert.deepEqual([late.unnoticedMs, late.queuedMs], [0, 0]);
    assert.ok(late.storeMs > SECOND && late.storeMs === late.lateMs);
    await stage.stop();
  });

  test('G4 a callback that burns the loop is named in the report of those it made late', async () => {
    const stage = new Stage('2026-03-02T11:59:50Z');
    await stage.initialize(
      ['burner', '59 11 * * *', () => stage.clock.burn(25 * SECOND), 0],
      ['victim', '0 12 * * *', noop, 0],
    );
    await stage.clock.advance(0);
    const [late, ...more] = lateness(stage);
    assert.deepEqual(more, []);
    assert.deepEqual([late.task, late.culprit], ['victim', 'burner']);
    assert.deepEqual([late.lateMs, late.unnoticedMs], [15 * SECOND, 15 * SECOND]);
    await stage.stop();
  });

  test('G4 nobody is named for a lateness that came long after', async () => {
    const stage = new Stage('2026-03-02T11:59:50Z');
    await stage.initialize(
      ['burner', '59 11 * * *', () => stage.clock.burn(5 * SECOND), 0],
      ['victim', '10 12 * * *', noop, 0],
    );
    await stage.clock.advance(10 * MINUTE);
    stage.clock.burn(20 * SECOND); // somebody else holds the loop
    await stage.clock.advance(0);
    const [late] = lateness(stage);
    assert.deepEqual([late.task, late.culprit], ['victim', undefined]);
    await stage.stop();
  });

  test('G4 what is late by no more than the threshold is not told', async () => {
    for (const [lateAfter, told] of [
      [10 * SECOND, 0],
      [10 * SECOND - 1, 1],
    ]) {
      const stage = new Stage('2026-03-02T11:59:50Z', { lateAfter });
      await stage.initialize(['noon', '0 12 * * *', noop, 0]);
      stage.clock.burn(20 * SECOND);
      await stage.clock.advance(0);
      assert.equal(stage.starts().length, 1);
      assert.equal(lateness(stage).length, told);
      await stage.stop();
    }
  });

  test("A5 G4 a start right after the task's own long run is not late", async () => {
    for (const workers of [1, Number.POSITIVE_INFINITY]) {
      const stage = new Stage('2026-03-02T12:00:00Z', { workers });
      const { callback, runs } = heldCallback();
      await stage.initialize(['long', '* * * * *', callback, 0]);
      await stage.clock.advance(2 * MINUTE + 12 * SECOND);
      runs[0].succeed();
      await stage.clock.settle();
      assert.deepEqual(stage.starts(), ['long 12:00 due', 'long 12:02:12 due']);
      assert.deepEqual(told(stage), []);
      runs[1].succeed();
      await stage.stop();
    }
  });

  test("A5 G4 nor is one after the task's own run that held the event loop past its next due", async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let calls = 0;
    const burn = () => (calls++ === 0 ? stage.clock.burn(72 * SECOND) : undefined);
    await stage.initialize(['burner', '* * * * *', burn, 0]);
    assert.deepEqual(stage.starts(), ['burner 12:00 due', 'burner 12:01:12 due']);
    assert.deepEqual(told(stage), []);
    await stage.stop();
  });

  test('A5 G4 what others add to it is counted from the end of that run', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const long = heldCallback();
    const other = heldCallback();
    await stage.initialize(
      ['long', '* * * * *', long.callback, 0],
      ['other', '1 12 * * *', other.callback, 0],
    );
    await stage.clock.advance(72 * SECOND);
    long.runs[0].succeed();
    await stage.clock.settle();
    await stage.clock.advance(5 * SECOND);
    other.runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['long 12:00 due', 'other 12:01:12 due', 'long 12:01:17 due']);
    assert.deepEqual(told(stage), [
      'other started late by 12 s: no worker was free for 12 s',
      'long started late by 5.0 s: no worker was free for 5.0 s',
    ]);
    assert.deepEqual(lateness(stage).map(partsOf), [
      [12 * SECOND, 0, 12 * SECOND, 0],
      [5 * SECOND, 0, 5 * SECOND, 0],
    ]);
    long.runs[1].succeed();
    await stage.stop();
  });

  test('G4 it is counted from the first due that was not served, not from the last', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const hog = heldCallback();
    await stage.initialize(['hog', '0 12 * * *', hog.callback, 0], ['each', '* * * * *', noop, 0]);
    await stage.clock.advance(3 * HOUR + 30 * SECOND);
    hog.runs[0].succeed();
    await stage.clock.settle();
    const lateMs = 3 * HOUR + 30 * SECOND;
    assert.deepEqual(lateness(stage).map(partsOf), [[lateMs, 0, lateMs, 0]]);
    assert.deepEqual(told(stage), ['each started late by 3 h: no worker was free for 3 h']);
    // The next one is on time: nothing is left of what that start has served.
    await stage.clock.advance(MINUTE);
    assert.equal(lateness(stage).length, 1);
    await stage.stop();
  });

  test('G4 so it is when the event loop was held while many came due', async () => {
    const stage = new Stage('2026-03-02T11:59:50Z');
    await stage.initialize(['each', '* * * * *', noop, 0]);
    await stage.clock.advance(SECOND);
    stage.clock.burn(10 * MINUTE);
    await stage.clock.advance(0);
    const lateMs = 10 * MINUTE - 9 * SECOND;
    assert.deepEqual(lateness(stage).map(partsOf), [[lateMs, lateMs, 0, 0]]);
    assert.match(told(stage).join(), /late by 9 min 51 s: the event loop was held or the machine slept for/);
    await stage.stop();
  });

  test('G4 a retry that waits for a worker is late from its deadline, though a due overtook it', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const hog = heldCallback();
    let calls = 0;
    const failing = () => (calls++ === 0 ? Promise.reject(new Error('no')) : undefined);
    await stage.initialize(
      ['failing', '* * * * *', failing, 30 * SECOND],
      ['hog', '0 12 * * *', hog.callback, 0],
    );
    await stage.clock.advance(70 * SECOND);
    hog.runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['failing 12:00 due', 'hog 12:00 due', 'failing 12:01:10 due']);
    assert.deepEqual(lateness(stage).map(partsOf), [[40 * SECOND, 0, 40 * SECOND, 0]]);
    await stage.stop();
  });

  test('A8 G4 a deadline that is owed no more makes nobody late', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const hog = heldCallback();
    let calls = 0;
    const failing = () => (calls++ === 0 ? Promise.reject(new Error('no')) : undefined);
    // Fails at 12:00 and is to be retried at 12:01:30; what is due at 12:01 succeeds, and the deadline is void.
    await stage.initialize(
      ['failing', '0,1,2 12 * * *', failing, 90 * SECOND],
      ['hog', '1 12 * * *', hog.callback, 0],
    );
    await stage.clock.advance(2 * MINUTE + 10 * SECOND);
    hog.runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts().slice(1), ['failing 12:01 due', 'hog 12:01 due', 'failing 12:02:10 due']);
    assert.deepEqual(lateness(stage).map(partsOf), [[10 * SECOND, 0, 10 * SECOND, 0]]);
    await stage.stop();
  });

  test('B5 G4 an instant that a clock set back made void is forgotten', async () => {
    const stage = new Stage('2026-03-02T12:00:30Z', { workers: 1 });
    const hog = heldCallback();
    await stage.initialize(['hog', '0 12 * * *', hog.callback, 0], ['each', '* * * * *', noop, 0]);
    stage.clock.step(-2 * HOUR);
    await stage.clock.advance(5 * MINUTE);
    hog.runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['hog 12:00:30 due', 'each 10:05:30 due']);
    assert.deepEqual(lateness(stage).map(partsOf), [
      [3 * MINUTE + 30 * SECOND, 0, 3 * MINUTE + 30 * SECOND, 0],
    ]);
    await stage.stop();
  });

  test('A4 G4 whoever waits for the batch before it waits for the store, if workers have no bound', async () => {
    const stage = new Stage('2026-03-02T11:59:59Z');
    await stage.initialize(['noon', '0 12 * * *', noop, 0], ['next', '1 12 * * *', noop, 0]);
    stage.disk.fate = () => 'refused';
    await stage.clock.advance(65 * SECOND);
    stage.disk.fate = () => 'taken';
    await stage.clock.advance(MINUTE);
    const late = lateness(stage).find(({ task }) => task === 'next');
    assert.ok(late !== undefined && late.storeMs > SECOND);
    assert.deepEqual(partsOf(late), [late.lateMs, 0, 0, late.lateMs]);
    await stage.stop();
  });

  test('G4 time that a callback of the same batch took is told with its name', async () => {
    const stage = new Stage('2026-03-02T11:59:59Z');
    await stage.initialize(
      ['burner', '0 12 * * *', () => stage.clock.burn(9 * SECOND), 0],
      ['victim', '0 12 * * *', noop, 0],
    );
    await stage.clock.advance(SECOND);
    assert.deepEqual(told(stage), ['victim started late by 9.0 s: "burner" held the event loop for 9.0 s']);
    assert.deepEqual(lateness(stage).map(partsOf), [[9 * SECOND, 0, 0, 0]]);
    await stage.stop();
  });
});
