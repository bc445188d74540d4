/** Tasks beside each other, and the process around them (F2, F3, F5). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { until } from '../../src/testing/index.ts';
import { fail, fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

describe('tasks beside each other', () => {
  test('F2 tasks run at the same time', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const one = heldCallback();
    const two = heldCallback();
    await stage.initialize(['one', '* * * * *', one.callback, 0], ['two', '* * * * *', two.callback, 0]);
    assert.deepEqual([one.runs.length, two.runs.length], [1, 1]);
    one.runs[0].succeed();
    two.runs[0].succeed();
    await stage.stop();
  });

  test('F2 a task never overlaps itself, by due, by retry, or by both', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let running = 0;
    let most = 0;
    let calls = 0;
    const ends: (() => void)[] = [];
    const callback = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await until(new Promise<void>((resolve) => ends.push(resolve)));
      running--;
      if (++calls % 2 === 0) fail();
    };
    await stage.initialize(['each', '* * * * *', callback, 30 * SECOND]);
    for (let turn = 0; turn < 40; turn++) {
      await stage.clock.advance((turn % 4) * 25 * SECOND);
      ends.shift()?.();
    }
    await stage.clock.settle();
    assert.equal(most, 1);
    assert.ok(calls > 15);
    const stopped = stage.stop();
    ends.shift()?.();
    await stopped;
  });

  test('F3 a callback that never ends holds back only its own task, beside a thousand healthy ones', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const stuck = heldCallback();
    const starts = new Map<string, number>();
    const healthy = Array.from(
      { length: 1000 },
      (_, index): Registration => [
        `healthy ${index}`,
        '* * * * *',
        async ({ name }) => starts.set(name, (starts.get(name) ?? 0) + 1),
        0,
      ],
    );
    await stage.initialize(['stuck', '* * * * *', stuck.callback, 0], ...healthy);
    await stage.clock.advance(5 * MINUTE);
    assert.equal(stuck.runs.length, 1);
    assert.equal(starts.size, 1000);
    assert.deepEqual(new Set(starts.values()), new Set([6]));
    stuck.runs[0].succeed();
    await stage.clock.settle();
    assert.equal(stuck.runs.length, 2); // and it has forgotten nothing (A5)
    stuck.runs[1].succeed();
    await stage.stop();
  });

  test('F3 stop waits for a callback that runs, and for its failure to be durable', async (t) => {
    const stage = new Stage('2026-03-02T12:00:00Z', { store: fileStore(t) });
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, HOUR]);
    let stopped = false;
    const stopping = stage.stop().then(() => {
      stopped = true;
    });
    await stage.clock.advance(MINUTE);
    assert.equal(stopped, false);
    runs[0].fail();
    await stopping;
    const { lastFailureAt, run } = await stage.disk.record('noon');
    assert.deepEqual([lastFailureAt, run], [stage.clock.now(), null]);
  });

  test('F1 a rejection that comes after stop was asked for is a failure, and stop resolves', async (t) => {
    const strays: unknown[] = [];
    const listener = (reason: unknown): void => void strays.push(reason);
    process.on('unhandledRejection', listener);
    t.after(() => process.off('unhandledRejection', listener));
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0], ['idle', '30 * * * *', noop, 0]);
    const stopped = stage.stop();
    runs[0].fail(undefined);
    await stopped;
    await stage.clock.settle();
    assert.equal(stage.starts().length, 1); // a delay of 0 starts nothing any more
    assert.equal((await stage.disk.record('noon')).lastFailureAt, stage.clock.now());
    assert.deepEqual(strays, []);
  });
});

describe('the process around it', () => {
  for (const where of ['memory', 'file']) {
    test(`F5 a running scheduler keeps the process alive, a stopped one does not: ${where}`, async () => {
      const script = join(import.meta.dirname, 'fixtures/callbacks-alive.ts');
      const child = spawn(process.execPath, [script, where], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (text: string) => {
        output += text;
        // The child is idle now: nothing but its scheduler keeps it alive, and nothing but this signal ends it.
        if (text.includes('idle')) child.kill('SIGUSR2');
      });
      const [code] = await once(child, 'close');
      assert.deepEqual([code, output], [0, 'idle with a timer\nstopped without one\n']);
    });
  }
});
