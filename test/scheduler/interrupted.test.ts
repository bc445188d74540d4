/** Runs that a stop ends (A13): they have not failed, and start again with the next scheduler. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Callback, TaskOptions } from '../../src/index.ts';
import { history, task, withTimeout } from '../../src/index.ts';
import type { RunContext } from '../../src/scheduler/index.ts';
import type { PastRun } from '../../src/store/port.ts';
import { until } from '../../src/testing/index.ts';
import { fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';

const NOON = '2026-03-02T12:00:00Z';

/** Ends as soon as its signal is aborted, by throwing the reason. */
const willing: Callback = ({ signal }) =>
  until(new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))));

/** The same, where somebody else says when it ends. */
function held(take: (context: RunContext) => unknown) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const run: Callback = (context) => {
    take(context);
    return until(promise);
  };
  return { run, end: resolve, fail: () => reject(new Error('failed on purpose')) };
}

const noonly = (run: Callback, options: Partial<TaskOptions> = {}) =>
  task({ name: 'noon', cron: '0 12 * * *', retry: false, run, ...options });

async function pastOf(t: TestContext, play: (stage: Stage) => Promise<void>): Promise<readonly PastRun[]> {
  const store = fileStore(t);
  await play(new Stage(NOON, { store }));
  const past: PastRun[] = [];
  for await (const run of history(store)) past.push(run);
  return past.reverse();
}

const outcomes = (past: readonly PastRun[]): readonly string[] =>
  past.map(({ outcome, attempt, reason }) => `${outcome} ${attempt} ${reason}`);

/** One life in which the task is stopped while it runs, and how that counts. */
async function ended(
  t: TestContext,
  run: Callback,
  meanwhile: () => void = noop,
): Promise<readonly string[]> {
  const past = await pastOf(t, async (stage) => {
    await stage.initialize(noonly(run));
    const stopped = stage.stop();
    meanwhile();
    await stopped;
  });
  return outcomes(past);
}

describe('A13 a run that a stop interrupts', () => {
  test('A13 starts again in the next life, under the same key and the same attempt number, though it is never retried', async (t) => {
    const contexts: RunContext[] = [];
    const past = await pastOf(t, async (stage) => {
      const run: Callback = (context) => {
        contexts.push({ ...context });
        return willing(context);
      };
      for (let life = 0; life < 3; life++) {
        await stage.initialize(noonly(run));
        await stage.stop();
      }
      await stage.initialize(noonly(noop));
      await stage.stop();
      assert.deepEqual(stage.starts(), ['noon 12:00 due', ...Array(3).fill('noon 12:00 orphaned')]);
    });
    assert.deepEqual(outcomes(past), [
      'interrupted 1 due',
      'interrupted 1 orphaned',
      'interrupted 1 orphaned',
      'success 1 orphaned',
    ]);
    assert.equal(new Set(past.map(({ key }) => key)).size, 1);
    assert.deepEqual(
      past.map(({ error }) => error),
      [null, null, null, null],
    );
  });

  test('A13 A6 J3 counts as no failure anywhere: record, events, log, trace', async (t) => {
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    const logger = { debug: noop, info: say, warn: say, error: (line: string) => say(`error: ${line}`) };
    const stage = new Stage(NOON, { store: fileStore(t), logger });
    await stage.initialize(noonly(willing, { retry: { delay: HOUR } }));
    await stage.stop();
    const record = await stage.disk.record('noon');
    const at = stage.clock.now();
    assert.deepEqual(
      [
        record.failures,
        record.failingSince,
        record.lastFailureAt,
        record.lastError,
        record.pendingRetryUntil,
      ],
      [0, null, null, null, null],
    );
    assert.deepEqual([record.lastAttemptAt, record.servedThrough], [at, at]);
    assert.equal(record.run?.reason, 'interrupted');
    assert.equal(record.run?.cutOffAt, at);
    const types = stage.world.events.map(({ type }) => type);
    assert.ok(!types.some((type) => type === 'TaskRunFailed' || type === 'TaskGaveUp'), types.join());
    const [event] = stage.world.events.filter(({ type }) => type === 'TaskRunInterrupted');
    assert.ok(
      event?.type === 'TaskRunInterrupted' && event.attempt === 1 && event.error instanceof DOMException,
    );
    assert.deepEqual(
      lines.filter((line) => line.includes('noon')),
      ['task "noon" was interrupted by the stop (attempt 1): it starts again with the next scheduler'],
    );
    const ends = stage.world.trace.filter(({ event: each }) =>
      /^Run(Success|Failure|Interrupted)$/.test(each),
    );
    assert.deepEqual(
      ends.map(({ event: each }) => each),
      ['RunInterrupted'],
    );
  });

  test('A13 H2 uses up no attempt: three deploys, and three failures are still to come', async (t) => {
    const retry = { delay: SECOND, max: 3 };
    const past = await pastOf(t, async (stage) => {
      for (let life = 0; life < 3; life++) {
        await stage.initialize(noonly(willing, { retry }));
        await stage.stop();
      }
      await stage.initialize(noonly(() => Promise.reject(new Error('failed on purpose')), { retry }));
      await stage.clock.advance(MINUTE);
      await stage.stop();
    });
    assert.deepEqual(outcomes(past).slice(2), [
      'interrupted 1 orphaned',
      'failure 1 orphaned',
      'failure 2 retry',
      'gave up 3 retry',
    ]);
  });

  test('A13 H2 of a retry, too, keeps its number', async (t) => {
    const retry = { delay: SECOND, max: 2 };
    const past = await pastOf(t, async (stage) => {
      let runs = 0;
      const run: Callback = (context) =>
        runs++ === 0 ? Promise.reject(new Error('first')) : willing(context);
      await stage.initialize(noonly(run, { retry }));
      await stage.clock.advance(SECOND);
      await stage.stop();
      await stage.initialize(noonly(noop, { retry }));
      await stage.stop();
    });
    assert.deepEqual(outcomes(past), ['failure 1 due', 'interrupted 2 retry', 'success 2 orphaned']);
  });

  test('A13 F4 serves a newer due under a new key', async (t) => {
    const past = await pastOf(t, async (stage) => {
      const hourly = { cron: '0 * * * *' };
      await stage.initialize(noonly(willing, hourly));
      await stage.stop();
      await stage.clock.advance(HOUR);
      await stage.initialize(noonly(noop, hourly));
      await stage.stop();
    });
    assert.deepEqual(outcomes(past), ['interrupted 1 due', 'success 1 orphaned']);
    assert.notEqual(past[0].key, past[1].key);
    assert.equal(past[1].scheduledFor, past[0].scheduledFor + HOUR);
  });

  test('A13 H9 a run that skips serves what came due until its end, and what comes later is newer', async (t) => {
    const past = await pastOf(t, async (stage) => {
      const skipping = { cron: '* * * * *', whileRunning: 'skip' } as const;
      await stage.initialize(noonly(willing, skipping));
      await stage.clock.advance(2 * MINUTE + SECOND);
      await stage.stop();
      await stage.initialize(noonly(noop, skipping));
      await stage.stop();
    });
    assert.deepEqual(outcomes(past), ['interrupted 1 due', 'success 1 orphaned']);
    assert.equal(past[0].key, past[1].key);
  });

  test('A13 I5 of a name that a list has left out stays for the next initialize', async (t) => {
    const store = fileStore(t);
    const stage = new Stage(NOON, { store, reload: true });
    await stage.initialize(noonly(willing));
    await stage.initialize();
    await stage.stop();
    assert.equal((await stage.disk.record('noon')).run?.reason, 'interrupted');
    await stage.initialize(noonly(noop));
    assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 12:00 orphaned']);
    await stage.stop();
  });
});

describe('A13 only an abort that can be the cause interrupts', () => {
  test('A13 A6 a callback that never took its signal fails as ever', async (t) => {
    const { run, fail } = held(({ name, key, attempt }) => [name, key, attempt]);
    assert.deepEqual(await ended(t, run, fail), ['gave up 1 due']);
  });

  test('A13 it is taken by reading it and by spreading the context, and not by writing the context into a log', async (t) => {
    for (const take of [
      ({ signal }: RunContext) => signal,
      (context: RunContext) => ({ ...context }),
      (context: RunContext) => withTimeout((inner) => void inner.signal, HOUR)(context),
    ]) {
      const { run, fail } = held(take);
      assert.deepEqual(await ended(t, run, fail), ['interrupted 1 due']);
    }
    const { run, fail } = held((context) => JSON.stringify(context));
    assert.deepEqual(await ended(t, run, fail), ['gave up 1 due']);
  });

  test('A13 a wrapper of ours takes it only if the callback does', async (t) => {
    for (const [take, outcome] of [
      [({ signal }: RunContext) => signal, 'interrupted'],
      [(context: RunContext) => ({ ...context }), 'interrupted'],
      [({ name, runId, scheduledFor }: RunContext) => [name, runId, scheduledFor], 'gave up'],
    ] as const) {
      const { run, fail } = held(take);
      assert.deepEqual(await ended(t, withTimeout(run, HOUR), fail), [`${outcome} 1 due`]);
    }
  });

  test('A13 a success after the abort is a success', async (t) => {
    const { run, end } = held(({ signal }) => signal);
    assert.deepEqual(await ended(t, run, end), ['success 1 due']);
  });

  test('A13 H6 a limit that came before the stop has timed out; one that comes after it ends the work, as interrupted', async (t) => {
    const limited = { retry: { delay: HOUR }, timeout: SECOND, abandonAfter: SECOND };
    const early = await pastOf(t, async (stage) => {
      const { run, fail } = held(({ signal }) => signal);
      await stage.initialize(noonly(run, limited));
      await stage.clock.advance(SECOND);
      const stopped = stage.stop();
      fail();
      await stopped;
    });
    const late = await pastOf(t, async (stage) => {
      const { run } = held(({ signal }) => signal);
      await stage.initialize(noonly(run, limited));
      const stopped = stage.stop();
      await stage.clock.advance(2 * SECOND);
      await stopped;
    });
    assert.deepEqual(outcomes([...early, ...late]), ['timed out 1 due', 'interrupted 1 due']);
  });

  test('A13 D8 the same object starts it again', async (t) => {
    const stage = new Stage(NOON, { store: fileStore(t) });
    await stage.initialize(noonly(willing));
    await stage.stop();
    await stage.initialize(noonly(noop));
    await stage.stop();
    await stage.initialize(noonly(noop));
    assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 12:00 orphaned']);
    await stage.stop();
  });
});
