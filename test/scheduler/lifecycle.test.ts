/** D1–D5, D8: the two methods, what they answer in each state, and beginning again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SchedulerAlreadyActiveError, ScheduleTaskError, StoreLockedError } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import { failsBefore, TroubledStore, through } from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const due: Registration = ['due', '* * * * *', () => {}, 0];
const idle: Registration = ['idle', '0 0 1 1 *', () => {}, 0];

/** `initialize` as a program without types might call it. */
const initializeWith = (scheduler: Scheduler, list: unknown): unknown =>
  Reflect.apply(scheduler.initialize, scheduler, [list]);

describe('D1 the object', () => {
  test('D1 it has exactly two methods, initialize and stop', () => {
    const scheduler = createScheduler({ store: memory() });
    assert.deepEqual(Reflect.ownKeys(scheduler).sort(), ['initialize', 'stop']);
    assert.equal(typeof scheduler.initialize, 'function');
    assert.equal(typeof scheduler.stop, 'function');
    assert.equal(Object.getPrototypeOf(scheduler), Object.prototype);
  });

  test('D1 nothing can be added to it or changed in it, and its methods need no `this`', async () => {
    const scheduler = createScheduler({ store: memory() });
    assert.ok(Object.isFrozen(scheduler));
    const { initialize, stop } = scheduler;
    await initialize([]);
    await stop();
  });
});

describe('D2 both always return promises', () => {
  const unreadable = new Proxy([], {
    get() {
      throw new Error('a trap');
    },
  });
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  const withGetter = Object.defineProperty([], 0, {
    get() {
      throw new Error('a getter');
    },
  });
  const tupleWithGetter = Object.defineProperty(['a', '* * * * *', () => {}, 0], 1, {
    get() {
      throw new Error('a getter');
    },
  });
  const absurd: Readonly<Record<string, unknown>> = {
    nothing: undefined,
    null: null,
    number: 5,
    text: 'list',
    symbol: Symbol('list'),
    function: () => [],
    object: {},
    'array-like': { length: 1, 0: due },
    iterable: new Set([due]),
    'array of nothing': [undefined],
    'sparse array': new Array(3),
    'longest array': new Array(2 ** 32 - 1),
    'array of itself': [[[]]],
    'proxy that throws': unreadable,
    'revoked proxy': revoked.proxy,
    'getter that throws': withGetter,
    'getter in a tuple': [tupleWithGetter],
    'tuple that is revoked': [revoked.proxy],
    'duration that is revoked': [['a', '* * * * *', () => {}, revoked.proxy]],
    'callback that is no function': [['a', '* * * * *', {}, 0]],
    'one that is wrong after 100,000 that are right': [
      ...Array.from({ length: 100_000 }, (_, index) => [`task ${index}`, '* * * * *', () => {}, 0]),
      undefined,
    ],
  };

  for (const [what, list] of Object.entries(absurd)) {
    test(`D2 initialize(${what}) returns a promise that rejects, and touches no store`, async () => {
      const store = new TroubledStore();
      const { scheduler } = createWorld(NOON, { store });
      const answer = initializeWith(scheduler, list);
      assert.ok(answer instanceof Promise);
      await assert.rejects(answer, Error);
      assert.deepEqual(store.calls, []);
      await scheduler.initialize([idle]);
      await scheduler.stop();
    });
  }

  test('D2 a proxy of a good list is a good list', async () => {
    const { scheduler } = createWorld(NOON);
    await scheduler.initialize(new Proxy([idle], {}));
    await scheduler.stop();
  });

  test('D2 stop returns a promise in every state, whatever it is given', async () => {
    const { scheduler } = createWorld(NOON);
    const stop = (...given: unknown[]): unknown => Reflect.apply(scheduler.stop, undefined, given);
    const answers = [stop(), stop(null), stop(new Proxy({}, {}))];
    const initialized = scheduler.initialize([due]);
    answers.push(stop(1));
    await initialized;
    for (const answer of answers) {
      assert.ok(answer instanceof Promise);
      assert.equal(await answer, undefined);
    }
  });

  test('D2 both resolve to undefined', async () => {
    const { scheduler } = createWorld(NOON);
    assert.equal(await scheduler.initialize([idle]), undefined);
    assert.equal(await scheduler.stop(), undefined);
  });
});

describe('D4 initialize while active', () => {
  const isAlready =
    (currentState: string) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof SchedulerAlreadyActiveError);
      assert.deepEqual(error.details, { currentState });
      assert.equal(error.message, `Cannot initialize scheduler: scheduler is already ${currentState}`);
      return true;
    };

  test('D4 initializing, running, stopping: rejected with the state, and without any effect', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const { scheduler } = world;
    const held = heldCallback();
    const other: Registration[] = [['other', '* * * * *', () => assert.fail('never registered'), 0]];
    const initialized = scheduler.initialize([['held', '* * * * *', held.callback, 0]]);
    await assert.rejects(scheduler.initialize(other), isAlready('initializing'));
    await initialized;
    await turns();
    const before = { told: world.told(), trace: world.trace.length, calls: [...store.calls] };
    await assert.rejects(scheduler.initialize(other), isAlready('running'));
    await turns();
    assert.deepEqual({ told: world.told(), trace: world.trace.length, calls: store.calls }, before);
    const stopped = scheduler.stop();
    await assert.rejects(scheduler.initialize(other), isAlready('stopping'));
    await turns();
    await assert.rejects(scheduler.initialize(other), isAlready('stopping'));
    held.runs[0].succeed();
    await stopped;
    assert.deepEqual(
      (await store.records()).map(({ name }) => name),
      ['held'],
    );
    assert.equal(world.trace.filter(({ event }) => event === 'InitStart').length, 1);
    assert.equal(world.told().includes('SchedulerInitializationFailed'), false);
  });

  test('D4 the same list a second time changes nothing', async () => {
    const { scheduler, trace } = createWorld(NOON);
    const list = [due];
    await scheduler.initialize(list);
    await assert.rejects(scheduler.initialize(list), isAlready('running'));
    await turns();
    assert.equal(trace.filter(({ event }) => event === 'RunStart').length, 1);
    await scheduler.stop();
  });
});

test('D5 an empty list is valid: the scheduler runs, and polls nothing', async () => {
  const world = createWorld(NOON);
  await world.scheduler.initialize([]);
  await world.clock.advance(10 * 60_000);
  await assert.rejects(world.scheduler.initialize([]), { currentState: 'running' });
  await world.scheduler.stop();
  assert.deepEqual(world.told(), [
    'SchedulerInitializationStarted',
    'SchedulerInitializationCompleted',
    'SchedulerStopRequested',
    'SchedulerStopped',
  ]);
});

describe('D8 beginning again', () => {
  test('D8 the same object is initialized and stopped many times, and each minute is served once', async () => {
    const world = createWorld(NOON);
    for (let life = 0; life < 20; life++) {
      await world.scheduler.initialize([due]);
      await world.clock.advance(60_000);
      await world.scheduler.stop();
    }
    assert.equal(world.told().filter((event) => event === 'TaskRunStarted due').length, 21);
    const instances = world.trace.flatMap((record) =>
      record.event === 'InitSuccess' ? [record.instance] : [],
    );
    assert.equal(new Set(instances).size, 20, 'E6: every initialize has an identifier of its own');
  });

  test('D8 after an initialize that was refused, and after one that failed, it can be initialized', async () => {
    const store = new TroubledStore();
    const { scheduler } = createWorld(NOON, { store });
    for (let round = 0; round < 5; round++) {
      await assert.rejects(scheduler.initialize([['', '* * * * *', () => {}, 0]]));
      store.commits = failsBefore;
      await assert.rejects(scheduler.initialize([['new', '* * * * *', () => {}, round]]), ScheduleTaskError);
      store.commits = through;
      await scheduler.initialize([idle]);
      await scheduler.stop();
    }
    assert.equal(store.count('open'), store.count('close'), 'every session is closed');
  });

  test('E6 a second scheduler cannot have the store meanwhile, and can afterwards', async () => {
    const store = memory();
    const first = createWorld(NOON, { store });
    const second = createWorld(NOON, { store });
    await first.scheduler.initialize([idle]);
    await assert.rejects(second.scheduler.initialize([idle]), StoreLockedError);
    await first.scheduler.stop();
    await second.scheduler.initialize([idle]);
    await second.scheduler.stop();
  });
});
