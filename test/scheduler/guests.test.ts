/** G4, D2: listeners, loggers, sinks, clocks and getters of others may throw and reject; none of them ends the process or harms a schedule. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createScheduler, type RunContext, type SchedulerOptions } from '../../src/scheduler/index.ts';
import { memory } from '../../src/store/memory.ts';
import { hostClock } from '../../src/time/host-clock.ts';

const boom = (): never => {
  throw new Error('a bad guest');
};
const reject = async (): Promise<never> => boom();

/** What reaches the process while the test runs. */
function strays(t: TestContext): unknown[] {
  const heard: unknown[] = [];
  const hear = (error: unknown): void => void heard.push(error);
  process.on('uncaughtException', hear);
  process.on('unhandledRejection', hear);
  t.after(() => {
    process.off('uncaughtException', hear);
    process.off('unhandledRejection', hear);
  });
  return heard;
}

/** A scheduler that has called its one task, and been stopped. */
async function once(
  options: SchedulerOptions,
  callback: (context: RunContext) => unknown = () => {},
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const scheduler = createScheduler({ store: memory(), ...options });
  await scheduler.initialize([
    [
      'task',
      '* * * * *',
      (context) => {
        resolve();
        return callback(context);
      },
      1000,
    ],
  ]);
  await promise;
  await scheduler.stop();
  await new Promise((done) => setImmediate(done));
}

const loud = { debug: boom, info: boom, warn: boom, error: boom };
const rejecting = { debug: reject, info: reject, warn: reject, error: reject };

describe('G4 guests that throw or reject', () => {
  const cases: ReadonlyArray<readonly [string, SchedulerOptions]> = [
    ['a listener that throws', { onEvent: boom }],
    ['a listener that rejects', { onEvent: reject }],
    ['a logger that throws', { logger: loud, trace: boom }],
    ['a logger that rejects', { logger: rejecting, trace: boom }],
    ['a sink that throws', { trace: boom }],
    ['a sink that rejects', { trace: reject }],
  ];
  for (const [name, options] of cases) {
    test(`G4 ${name} harms nobody`, async (t) => {
      const heard = strays(t);
      await once(options);
      assert.deepEqual(heard, []);
    });
  }

  test('G4 a sink that rejects is logged once', async () => {
    const lines: string[] = [];
    const logger = {
      ...console,
      debug() {},
      info() {},
      warn() {},
      error: (line: string) => void lines.push(line),
    };
    await once({ trace: reject, logger });
    assert.deepEqual(lines, ['the trace has a hole: its sink threw Error: a bad guest']);
  });

  test('D10 a listener of the abort signal that throws is logged, and stop goes on', async (t) => {
    const heard = strays(t);
    const lines: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (line: string) => void lines.push(line) };
    const calls: string[] = [];
    await once({ logger }, ({ signal }) => {
      const removed = (): void => void calls.push('removed');
      signal.addEventListener('abort', boom);
      signal.addEventListener('abort', removed);
      signal.removeEventListener('abort', removed);
      signal.addEventListener('abort', { handleEvent: reject });
      signal.onabort = boom;
      signal.onabort = () => void calls.push('onabort');
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve(), { once: true });
      return promise;
    });
    assert.deepEqual(heard, []);
    assert.deepEqual(calls, ['onabort']);
    assert.deepEqual(lines, Array(2).fill('a listener of an abort signal threw a bad guest'));
  });
});

describe('D2 clocks and getters that throw', () => {
  test('D2 a clock that throws rejects initialize, and the scheduler can be used when it works', async (t) => {
    const heard = strays(t);
    let works = false;
    const clock = { ...hostClock, now: () => (works ? Date.now() : boom()) };
    const scheduler = createScheduler({ store: memory(), clock });
    await assert.rejects(scheduler.initialize([]), /a bad guest/);
    await assert.rejects(scheduler.stop(), /a bad guest/);
    works = true;
    await scheduler.initialize([]);
    await scheduler.stop();
    assert.deepEqual(heard, []);
  });

  test('B0 a clock that stops working while tasks run is logged once, and ends nothing', async (t) => {
    const heard = strays(t);
    const lines: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (line: string) => void lines.push(line) };
    let works = true;
    const ifWorks =
      <Args extends unknown[], Result>(method: (...args: Args) => Result) =>
      (...args: Args): Result =>
        works ? method(...args) : boom();
    const clock = {
      now: ifWorks(hostClock.now),
      monotonic: ifWorks(hostClock.monotonic),
      setTimer: ifWorks(hostClock.setTimer),
      defer: ifWorks(hostClock.defer),
    };
    await once({ clock, logger }, () => {
      works = false;
    });
    assert.deepEqual(heard, []);
    assert.deepEqual(lines, ['the clock does not work: a bad guest']);
  });

  test('D3 an entry whose getter throws is a shape error with its index', async () => {
    const entry = Object.defineProperty(['a', '* * * * *', () => {}, 0], 1, { get: boom });
    const list = [['fine', '* * * * *', () => {}, 0], entry] as never;
    await assert.rejects(createScheduler({ store: memory() }).initialize(list), {
      name: 'RegistrationShapeError',
      registrationIndex: 1,
    });
  });
});
