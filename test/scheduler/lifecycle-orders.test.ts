/** D4, D7, D8: every order of up to four calls, some in the same tick and some after the dust has settled, against a model. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  RegistrationsNotArrayError,
  SchedulerAlreadyActiveError,
  ScheduleTaskError,
} from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import type { Scheduler } from '../../src/scheduler/scheduler.ts';
import { until } from '../../src/testing/index.ts';
import { failsBefore, TroubledStore, through } from './fixtures/troubled-store.ts';
import { createWorld, turns } from './world.ts';

const idle: Registration = ['idle', '0 0 1 1 *', () => {}, 0];

const CALLS = ['initialize', 'refused', 'stop'] as const;
const GAPS = ['at once', 'settled'] as const;
type Call = (typeof CALLS)[number];
type Gap = (typeof GAPS)[number];
interface Step {
  readonly call: Call;
  readonly gap: Gap;
}

/** All sequences of so many steps. */
function sequences(length: number): Step[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((before) =>
    CALLS.flatMap((call) => GAPS.map((gap) => [...before, { call, gap }])),
  );
}

/** The state machine of `scheduler.ts`, in a few lines of its own: what each call answers, and what time does. */
class Model {
  #state = 'uninitialized';

  answerTo(call: Call): string {
    if (call === 'stop') {
      if (this.#state !== 'uninitialized') this.#state = 'stopping';
      return 'resolved';
    }
    if (this.#state !== 'uninitialized') return `SchedulerAlreadyActiveError ${this.#state}`;
    if (call === 'refused') return 'RegistrationsNotArrayError';
    this.#state = 'initializing';
    return 'resolved';
  }

  settle(): void {
    if (this.#state === 'initializing') this.#state = 'running';
    if (this.#state === 'stopping') this.#state = 'uninitialized';
  }
}

function make(scheduler: Scheduler, call: Call): Promise<string> {
  const answer =
    call === 'stop'
      ? scheduler.stop()
      : call === 'initialize'
        ? scheduler.initialize([idle])
        : Reflect.apply(scheduler.initialize, undefined, [{}]);
  return answer.then(
    () => 'resolved',
    (error: unknown) => {
      if (error instanceof SchedulerAlreadyActiveError) return `${error.name} ${error.currentState}`;
      if (error instanceof RegistrationsNotArrayError) return error.name;
      throw error;
    },
  );
}

const titleOf = (steps: readonly Step[]): string =>
  steps.map(({ call, gap }) => `${call}, ${gap}`).join('; ');

describe('D7 every order of calls', () => {
  for (const length of [1, 2, 3, 4]) {
    test(`D7 all ${6 ** length} orders of ${length} calls are answered as the state machine says`, async () => {
      for (const steps of sequences(length)) {
        const store = new TroubledStore();
        const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
        const model = new Model();
        const expected: string[] = [];
        const answers: Promise<string>[] = [];
        for (const { call, gap } of steps) {
          expected.push(model.answerTo(call));
          answers.push(make(scheduler, call));
          if (gap === 'at once') continue;
          await turns(4);
          model.settle();
        }
        assert.deepEqual(await Promise.all(answers), expected, titleOf(steps));
        await scheduler.stop();
        assert.equal(store.count('open'), store.count('close'), titleOf(steps));
        assert.equal((await store.inspect()).owner, 'free', titleOf(steps));
      }
    });
  }

  test('D7 calls that are a few microtasks apart are all answered, and nothing stays open', async () => {
    for (let between = 0; between < 30; between++) {
      for (const steps of sequences(3)) {
        const store = new TroubledStore();
        const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
        const answers: Promise<string>[] = [];
        for (const { call } of steps.filter(({ gap }) => gap === 'at once')) {
          answers.push(make(scheduler, call));
          for (let microtask = 0; microtask < between; microtask++) await null;
        }
        await Promise.all(answers);
        await scheduler.stop();
        assert.equal((await store.inspect()).owner, 'free', titleOf(steps));
        assert.equal(store.count('open'), store.count('close'), titleOf(steps));
      }
    }
  });
});

describe('D7 stop before and during initialize', () => {
  test('D7 stop before initialize resolves, any number of times, and touches nothing', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T12:00:00Z', { store });
    await Promise.all([world.scheduler.stop(), world.scheduler.stop()]);
    await world.scheduler.stop();
    assert.deepEqual(store.calls, []);
    assert.deepEqual(world.told(), []);
  });

  test('D7 stop during initialize: initialize resolves, nothing starts, stop resolves after it', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T12:00:00Z', { store });
    const order: string[] = [];
    const initialized = world.scheduler
      .initialize([['due', '* * * * *', () => order.push('called'), 0]])
      .then(() => order.push('initialized'));
    const stopped = [world.scheduler.stop(), world.scheduler.stop()].map((stop) =>
      stop.then(() => order.push('stopped')),
    );
    await Promise.all([initialized, ...stopped]);
    await world.clock.advance(5 * 60_000);
    assert.deepEqual(order, ['initialized', 'stopped', 'stopped']);
    assert.deepEqual(
      (await store.records()).map(({ name, lastAttemptAt, run }) => ({ name, lastAttemptAt, run })),
      [{ name: 'due', lastAttemptAt: null, run: null }],
      'the registration is durable all the same',
    );
    await world.scheduler.initialize([['due', '* * * * *', () => order.push('called'), 0]]);
    await turns();
    assert.equal(order.at(-1), 'called', 'what was owed is still owed');
    await world.scheduler.stop();
  });

  test('D7 stop during an initialize that fails: the one rejects, the other resolves', async () => {
    const store = new TroubledStore();
    store.commits = failsBefore;
    const world = createWorld('2026-01-01T12:00:00Z', { store });
    const initialized = world.scheduler.initialize([idle]);
    const stopped = world.scheduler.stop();
    await assert.rejects(initialized, ScheduleTaskError);
    await stopped;
    store.commits = through;
    await world.scheduler.initialize([idle]);
    await world.scheduler.stop();
    assert.equal(store.count('open'), store.count('close'));
  });

  test('D7 a store that opens late: stop waits for initialize, however long it takes', async () => {
    const store = new TroubledStore();
    const opened = Promise.withResolvers<void>();
    store.opens = () => until(opened.promise);
    const { scheduler, clock } = createWorld('2026-01-01T12:00:00Z', { store });
    const order: string[] = [];
    const initialized = scheduler.initialize([idle]).then(() => order.push('initialized'));
    const stopped = scheduler.stop().then(() => order.push('stopped'));
    await clock.advance(3_600_000);
    assert.deepEqual(order, []);
    opened.resolve();
    await Promise.all([initialized, stopped]);
    assert.deepEqual(order, ['initialized', 'stopped']);
  });
});
