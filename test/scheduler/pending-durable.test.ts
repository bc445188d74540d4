/** What is durable when (A4, A10): the write ahead of the call, a disk in trouble, and runs that a crash cut off. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Batch } from '../../src/store/port.ts';
import { fail, fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const startsNothing = ({ starts = [] }: Batch): boolean => starts.length === 0;
const endsNothing = ({ ends = [] }: Batch): boolean => ends.length === 0;

describe('write-ahead', () => {
  test('A4 a start is durable before the callback is called', async (t) => {
    const stage = new Stage('2026-03-02T12:00:00Z', { store: fileStore(t) });
    let calls = 0;
    const callback = (): void => {
      stage.disk.log.push('call noon');
      if (++calls === 1) fail();
    };
    await stage.initialize(['noon', '0 12 * * *', callback, SECOND]);
    await stage.clock.advance(SECOND);
    const once = ['start noon', 'call noon', 'end noon'];
    assert.deepEqual(stage.disk.log, [...once, ...once]);
    await stage.stop();
  });

  test('A4 the stored run is there, under its own name, while the callback is called', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0]);
    const { run, work } = await stage.disk.record('noon');
    assert.equal(run?.runId, runs[0].context.runId);
    assert.equal(work?.key, runs[0].context.key);
    runs[0].succeed();
    await stage.stop();
    assert.equal((await stage.disk.record('noon')).run, null);
  });

  for (const fate of ['refused', 'taken but refused'] as const) {
    test(`A4 no callback is called until its start is known to be durable: ${fate}`, async () => {
      const stage = new Stage('2026-03-02T11:59:00Z');
      const held = heldCallback();
      await stage.initialize(['earlier', '59 11 * * *', held.callback, 0], ['noon', '0 12 * * *', noop, 0]);
      stage.disk.fate = (batch) => (startsNothing(batch) ? 'taken' : fate);
      await stage.clock.advance(MINUTE);
      assert.deepEqual(stage.starts(), ['earlier 11:59 due']);
      assert.equal(stage.world.told().filter((told) => told === 'StoreTroubleStarted').length, 1);
      assert.ok(!stage.world.told().includes('StoreTroubleEnded'));
      held.runs[0].succeed(); // what runs goes on, and ends
      await stage.clock.settle();
      assert.ok(stage.world.told().includes('TaskRunCompleted earlier'));
      stage.disk.fate = () => 'taken';
      await stage.clock.advance(20 * SECOND);
      assert.ok(stage.world.told().includes('StoreTroubleEnded'));
      assert.deepEqual(
        stage.starts().map((start) => start.split(' ')[0]),
        ['earlier', 'noon'],
      );
      assert.deepEqual(
        stage.disk.log.filter((entry) => entry === 'start noon'),
        ['start noon'], // a batch that did take effect is not sent again (E9)
      );
      await stage.stop();
    });
  }

  test('A4 a disk that stays in trouble is asked again and again, ever more rarely', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let asked = 0;
    stage.disk.fate = (batch) => {
      if (startsNothing(batch)) return 'taken';
      asked++;
      return 'refused';
    };
    await stage.initialize(['noon', '0 12 * * *', noop, 0]);
    await stage.clock.advance(10 * SECOND);
    const inTenSeconds = asked;
    assert.ok(inTenSeconds >= 5 && inTenSeconds <= 12, `${inTenSeconds} times`);
    await stage.clock.advance(HOUR);
    assert.ok(asked - inTenSeconds >= 300 && asked - inTenSeconds <= 400, `${asked} times`);
    assert.deepEqual(stage.starts(), []);
    stage.disk.fate = () => 'taken';
    await stage.clock.advance(10 * SECOND);
    assert.equal(stage.starts().length, 1);
    await stage.stop();
  });

  test('A4 dues that pass while the disk is in trouble become one start when it recovers', async () => {
    const stage = new Stage('2026-03-02T11:59:30Z');
    await stage.initialize(['each', '* * * * *', noop, 0]);
    stage.disk.fate = () => 'refused';
    await stage.clock.advance(10 * MINUTE);
    assert.equal(stage.starts().length, 1);
    stage.disk.fate = () => 'taken';
    await stage.clock.advance(20 * SECOND);
    assert.equal(stage.starts().length, 2);
    await stage.stop();
  });

  test('A4 a start that is durable but not yet called when stop begins is taken back before it resolves', async () => {
    const stage = new Stage('2026-03-02T11:59:30Z');
    let calls = 0;
    const stopping = (): void => {
      calls++;
      void stage.stop();
    };
    await stage.initialize(['noon', '0 12 * * *', stopping, 0], ['other', '0 12 * * *', () => calls++, 0]);
    const before = await stage.disk.record('other');
    await stage.clock.advance(30 * SECOND);
    await stage.stop();
    assert.equal(calls, 1);
    assert.deepEqual(await stage.disk.record('other'), { ...before, version: before.version + 2 });
    assert.ok(stage.disk.log.includes('unstart other'));
    await stage.initialize(['other', '0 12 * * *', () => calls++, 0]);
    assert.equal(calls, 2);
    await stage.stop();
  });
});

describe('a start on its way when stop begins', () => {
  test('A4 it is taken back, durably, once it is known to be there', async () => {
    const stage = new Stage('2026-03-02T11:59:30Z');
    let calls = 0;
    await stage.initialize(['noon', '0 12 * * *', () => calls++, 0]);
    const before = await stage.disk.record('noon');
    stage.disk.fate = (batch) => {
      if (!startsNothing(batch)) void stage.stop();
      return 'taken';
    };
    await stage.clock.advance(30 * SECOND);
    await stage.stop();
    assert.equal(calls, 0);
    assert.deepEqual(stage.disk.log, ['start noon', 'unstart noon']);
    assert.deepEqual(await stage.disk.record('noon'), { ...before, version: before.version + 2 });
  });
});

describe('crashes', () => {
  test('A1 a run that was cut off is started again at once, however long it has been', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['noon', '0 12 * * *', heldCallback().callback, HOUR]);
    await stage.clock.advance(MINUTE);
    await stage.crash();
    await stage.clock.advance(5 * MINUTE);
    await stage.initialize(['noon', '0 12 * * *', noop, HOUR]);
    assert.deepEqual(stage.starts(), ['noon 12:06 orphaned']);
    await stage.stop();
    await stage.initialize(['noon', '0 12 * * *', noop, HOUR]);
    assert.equal(stage.starts().length, 1);
    await stage.stop();
  });

  test('A1 a run that was cut off is started again under a changed configuration', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['noon', '0 12 * * *', heldCallback().callback, HOUR]);
    await stage.crash();
    await stage.initialize(['noon', '30 3 * * *', fail, SECOND]);
    assert.deepEqual(stage.starts(), ['noon 12:00 orphaned']);
    await stage.clock.advance(SECOND); // the delay is the new one
    assert.deepEqual(stage.starts(), ['noon 12:00 orphaned', 'noon 12:00:01 retry']);
    await stage.stop();
  });

  test('A1 a second crash before the restart is durable forgets nothing', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['noon', '0 12 * * *', heldCallback().callback, HOUR]);
    await stage.crash();
    stage.disk.fate = (batch) => (startsNothing(batch) ? 'taken' : 'silence');
    await stage.initialize(['noon', '0 12 * * *', noop, HOUR]);
    assert.deepEqual(stage.starts(), []);
    await stage.crash();
    await stage.initialize(['noon', '0 12 * * *', noop, HOUR]);
    assert.deepEqual(stage.starts(), ['noon 12:00 orphaned']);
    await stage.stop();
  });

  test('A3 the restart of a run that was cut off discharges the dues of the meantime as well', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['each', '* * * * *', heldCallback().callback, SECOND]);
    await stage.crash();
    await stage.clock.advance(10 * MINUTE + SECOND);
    await stage.initialize(['each', '* * * * *', noop, SECOND]);
    await stage.clock.advance(58 * SECOND);
    assert.deepEqual(stage.starts(), ['each 12:10:01 orphaned']);
    await stage.stop();
  });

  for (const outcome of ['succeed', 'fail'] as const) {
    test(`A10 a run whose end was lost in a crash is repeated: ${outcome}`, async () => {
      const stage = new Stage('2026-03-02T12:00:00Z');
      const { callback, runs } = heldCallback();
      await stage.initialize(['noon', '0 12 * * *', callback, HOUR]);
      stage.disk.fate = (batch) => (endsNothing(batch) ? 'taken' : 'silence');
      runs[0][outcome]();
      await stage.clock.settle();
      await stage.crash();
      await stage.initialize(['noon', '0 12 * * *', noop, HOUR]);
      assert.deepEqual(stage.starts(), ['noon 12:00 orphaned']);
      await stage.stop();
    });

    test(`A10 a run whose end is durable is not repeated: ${outcome}`, async () => {
      const stage = new Stage('2026-03-02T12:00:00Z');
      const { callback, runs } = heldCallback();
      await stage.initialize(['noon', '0 12 * * *', callback, HOUR]);
      runs[0][outcome]();
      await stage.clock.settle();
      await stage.crash();
      await stage.initialize(['noon', '0 12 * * *', noop, HOUR]);
      await stage.clock.advance(HOUR - 1);
      assert.deepEqual(stage.starts(), []);
      await stage.clock.advance(1);
      assert.deepEqual(stage.starts(), outcome === 'fail' ? ['noon 13:00 retry'] : []);
      await stage.stop();
    });
  }
});
