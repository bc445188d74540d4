/** What a callback is given to recognise itself by (F4), and how it hears of a stop (D10). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { RunContext } from '../../src/scheduler/context.ts';
import { fileStore, HOUR, MINUTE, noop, SECOND, Stage, timeOfDay } from './scenario.ts';
import { heldCallback } from './world.ts';

const seen = ({ name, scheduledFor, attempt, reason }: RunContext): string =>
  `${name} ${timeOfDay(scheduledFor.getTime())} #${attempt} ${reason}`;

describe('context', () => {
  test('F4 a due is a first attempt under a key of its own', async () => {
    const stage = new Stage('2026-03-02T12:00:30Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['each', '* * * * *', callback, 0]);
    runs[0].succeed();
    await stage.clock.advance(30 * SECOND);
    const contexts = runs.map(({ context }) => context);
    assert.deepEqual(contexts.map(seen), ['each 12:00 #1 due', 'each 12:01 #1 due']);
    assert.equal(new Set(contexts.map(({ key }) => key)).size, 2);
    assert.equal(new Set(contexts.map(({ runId }) => runId)).size, 2);
    runs[1].succeed();
    await stage.stop();
  });

  test('F4 retries keep key and due, and count, until one succeeds', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['hourly', '0 * * * *', callback, SECOND]);
    for (let attempt = 0; attempt < 3; attempt++) {
      runs[attempt].fail();
      await stage.clock.advance(SECOND);
    }
    runs[3].succeed();
    await stage.clock.advance(HOUR - 3 * SECOND);
    const contexts = runs.map(({ context }) => context);
    assert.deepEqual(contexts.map(seen), [
      'hourly 12:00 #1 due',
      'hourly 12:00 #2 retry',
      'hourly 12:00 #3 retry',
      'hourly 12:00 #4 retry',
      'hourly 13:00 #1 due',
    ]);
    assert.equal(new Set(contexts.slice(0, 4).map(({ key }) => key)).size, 1);
    assert.notEqual(contexts[4].key, contexts[0].key);
    assert.equal(new Set(contexts.map(({ runId }) => runId)).size, 5);
    runs[4].succeed();
    await stage.stop();
  });

  test('F4 retries keep key and count across a stop, on a file', async (t) => {
    const stage = new Stage('2026-03-02T12:00:00Z', { store: fileStore(t) });
    const { callback, runs } = heldCallback();
    await stage.initialize(['hourly', '0 * * * *', callback, MINUTE]);
    runs[0].fail();
    await stage.stop();
    await stage.clock.advance(MINUTE);
    await stage.initialize(['hourly', '0 * * * *', callback, MINUTE]);
    assert.equal(seen(runs[1].context), 'hourly 12:00 #2 retry');
    assert.equal(runs[1].context.key, runs[0].context.key);
    assert.notEqual(runs[1].context.runId, runs[0].context.runId);
    runs[1].succeed();
    await stage.stop();
  });

  test('F4 a newer due that overtakes a retry is new work', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['each', '* * * * *', callback, HOUR]);
    runs[0].fail();
    await stage.clock.advance(MINUTE);
    assert.equal(seen(runs[1].context), 'each 12:01 #1 due');
    assert.notEqual(runs[1].context.key, runs[0].context.key);
    runs[1].succeed();
    await stage.stop();
  });

  test('F4 of several missed dues the last one is served', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['each', '* * * * *', callback, HOUR]);
    await stage.clock.advance(5 * MINUTE + SECOND);
    runs[0].succeed();
    await stage.clock.settle();
    assert.equal(seen(runs[1].context), 'each 12:05 #1 due');
    runs[1].succeed();
    await stage.stop();
  });

  test('F4 the orphaned restart of a retry keeps key and due, and counts on', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['hourly', '0 * * * *', callback, SECOND]);
    runs[0].fail();
    await stage.clock.advance(SECOND);
    await stage.crash();
    await stage.initialize(['hourly', '0 * * * *', callback, SECOND]);
    assert.deepEqual(
      runs.map(({ context }) => seen(context)),
      ['hourly 12:00 #1 due', 'hourly 12:00 #2 retry', 'hourly 12:00 #3 orphaned'],
    );
    assert.equal(new Set(runs.map(({ context }) => context.key)).size, 1);
    runs[2].succeed();
    await stage.stop();
  });

  test('F4 the orphaned restart of a due run keeps key and due, and counts on', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['hourly', '0 * * * *', callback, SECOND]);
    for (let crash = 0; crash < 2; crash++) {
      await stage.crash();
      await stage.clock.advance(MINUTE);
      await stage.initialize(['hourly', '0 * * * *', callback, SECOND]);
    }
    assert.deepEqual(
      runs.map(({ context }) => seen(context)),
      ['hourly 12:00 #1 due', 'hourly 12:00 #2 orphaned', 'hourly 12:00 #3 orphaned'],
    );
    assert.equal(new Set(runs.map(({ context }) => context.key)).size, 1);
    runs[2].succeed();
    await stage.stop();
  });

  test('F4 an orphaned restart after a newer due serves that, as new work, and says why it runs', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['each', '* * * * *', callback, SECOND]);
    await stage.crash();
    await stage.clock.advance(MINUTE);
    await stage.initialize(['each', '* * * * *', callback, SECOND]);
    assert.equal(seen(runs[1].context), 'each 12:01 #1 orphaned');
    assert.notEqual(runs[1].context.key, runs[0].context.key);
    runs[1].succeed();
    await stage.stop();
  });

  test('F4 runIds are unique over lives', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const ids: string[] = [];
    for (let life = 0; life < 5; life++) {
      await stage.initialize(['each', '* * * * *', ({ runId }) => ids.push(runId), 0]);
      await stage.stop();
      await stage.clock.advance(MINUTE);
    }
    assert.equal(ids.length, 5);
    assert.equal(new Set(ids).size, 5);
  });

  test('F4 a copy of the argument has every field, and so has what is left of it', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0]);
    const { context } = runs[0];
    const copy = { ...context };
    const { name, ...rest } = context;
    const fields = ['attempt', 'complete', 'key', 'name', 'reason', 'runId', 'scheduledFor', 'signal'];
    for (const whole of [copy, { name, ...rest }, Object.assign({}, context), Object.freeze(context)])
      assert.deepEqual(Object.keys(whole).sort(), fields);
    assert.equal(copy.key, context.key);
    assert.equal(copy.runId, context.runId);
    assert.equal(seen(copy), 'noon 12:00 #1 due');
    assert.equal(copy.signal, context.signal);
    const stopped = stage.stop();
    assert.equal(copy.signal.aborted, true);
    assert.equal(rest.signal.aborted, true);
    runs[0].succeed();
    await stopped;
  });

  test('F4 what is shown and sent of the argument has every field but the signal and the call', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0]);
    const { context } = runs[0];
    const { signal: _, ...sent } = { ...context };
    assert.deepEqual(JSON.parse(JSON.stringify(context)), JSON.parse(JSON.stringify(sent)));
    assert.equal(
      inspect(context),
      inspect({ ...JSON.parse(JSON.stringify(context)), scheduledFor: sent.scheduledFor }),
    );
    runs[0].succeed();
    await stage.stop();
  });

  test('D10 the signal is aborted when stop begins, and a willing callback ends early', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0]);
    const { signal } = runs[0].context;
    assert.equal(signal.aborted, false);
    assert.equal(runs[0].context.signal, signal);
    let toldInTime = false;
    signal.addEventListener('abort', () => {
      toldInTime = true;
      runs[0].succeed();
    });
    const stopped = stage.stop();
    assert.equal(toldInTime, true); // in the very call
    await stopped;
    assert.equal(signal.reason.name, 'AbortError');
  });

  test('D10 a signal that is first asked for after stop began is aborted already', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0]);
    const stopped = stage.stop();
    assert.equal(runs[0].context.signal.aborted, true);
    runs[0].succeed();
    await stopped;
  });

  test('D10 the signal of a run that is over is left alone', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const signals: AbortSignal[] = [];
    await stage.initialize(['noon', '0 12 * * *', ({ signal }) => signals.push(signal), 0]);
    await stage.stop();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
  });

  test('D10 a signal is made only for callbacks that touch it', async (t) => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let made = 0;
    const { AbortController: Real } = globalThis;
    globalThis.AbortController = class extends Real {
      constructor() {
        super();
        made++;
      }
    };
    t.after(() => {
      globalThis.AbortController = Real;
    });
    await stage.initialize(['plain', '* * * * *', noop, 0], ['reads', '* * * * *', seen, 0]);
    await stage.clock.advance(5 * MINUTE);
    assert.equal(made, 0);
    await stage.stop();
    await stage.initialize(['touches', '* * * * *', ({ signal }) => [signal, signal], 0]);
    assert.equal(made, 1);
    await stage.stop();
  });
});
