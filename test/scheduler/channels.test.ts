/** What a scheduler publishes through `diagnostics_channel`: every event on its own channel, each run, each durable batch; nothing without subscribers. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, test } from 'node:test';
import {
  COMMIT_CHANNEL,
  type CommitMessage,
  channelsOf,
  EVENT_NAMES,
  eventChannel,
  RUN_CHANNEL,
  type RunMessage,
} from '../../src/scheduler/channels.ts';
import { createEmit } from '../../src/scheduler/emit.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import { createScheduler } from '../../src/scheduler/index.ts';
import { memory } from '../../src/store/memory.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import { createWorld, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

function hear(name: string): unknown[] {
  const heard: unknown[] = [];
  const listener = (message: unknown): void => void heard.push(message);
  subscribe(name, listener);
  undo.push(() => unsubscribe(name, listener));
  return heard;
}

function hearRuns(): { readonly heard: string[]; readonly messages: Set<RunMessage> } {
  const heard: string[] = [];
  const messages = new Set<RunMessage>();
  const runs = tracingChannel<unknown, RunMessage>(RUN_CHANNEL);
  const note = (what: string) => (message: RunMessage) => {
    heard.push(`${what} ${message.task}`);
    messages.add(message);
  };
  const listeners = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  runs.subscribe(listeners);
  undo.push(() => runs.unsubscribe(listeners));
  return { heard, messages };
}

describe('G4 the channels of events', () => {
  test('G4 each event is published on the channel of its type, as the listener gets it, with the store', async () => {
    const published = EVENT_NAMES.flatMap((type) => [[type, hear(eventChannel(type))] as const]);
    const store = memory();
    const world = createWorld(NOON, { store });
    await world.scheduler.initialize([
      ['good', '* * * * *', () => {}, 0],
      ['bad', '0 12 * * *', () => Promise.reject(new Error('on purpose')), 20_000],
    ]);
    await world.clock.advance(60_000);
    await world.scheduler.stop();
    const types = new Set(world.events.map(({ type }) => type));
    for (const needed of ['TaskRunStarted', 'TaskRetryStarted', 'TaskRunFailed', 'SchedulerStopped'] as const)
      assert.ok(types.has(needed), needed);
    for (const [type, messages] of published) {
      const expected = world.events.filter((event) => event.type === type);
      assert.deepEqual(
        messages,
        expected.map((event) => ({ ...event, store: store.location })),
        type,
      );
    }
  });

  test('G4 a subscriber hears a scheduler that has no listener, from when it subscribes', async () => {
    const clock = new MovedClock(NOON);
    const [store, timeZone] = [memory(), 'UTC'];
    // The test clock listens to every scheduler itself; without that method nobody does.
    const plain = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: clock.setTimer.bind(clock),
      defer: clock.defer.bind(clock),
    };
    const scheduler = createScheduler({ clock: plain, store, timeZone, logger: false });
    let calls = 0;
    await scheduler.initialize([['a', '* * * * *', () => void calls++, 0]]);
    await clock.advance(60_000);
    const heard = hear(eventChannel('TaskRunCompleted'));
    await clock.advance(60_000);
    await scheduler.stop();
    assert.deepEqual([calls, heard.length], [3, 1]);
  });

  test('G4 without a listener and without subscribers no event is put together', () => {
    const emit = createEmit(undefined, 'memory');
    const details = {
      get error(): never {
        throw new Error('somebody looked');
      },
    };
    emit('SchedulerInitializationFailed', 0, details);
    assert.deepEqual(
      EVENT_NAMES.filter((type) => emit.isHeard(channelsOf(type))),
      [],
    );
    hear(eventChannel('SchedulerInitializationFailed'));
    assert.throws(() => emit('SchedulerInitializationFailed', 0, details), /somebody looked/);
    assert.equal(emit.isHeard(channelsOf('SchedulerStopped')), false);
    assert.equal(emit.isHeard(channelsOf('SchedulerStopped', 'SchedulerInitializationFailed')), true);
  });

  test('G4 a listener that throws keeps nothing from the channel', () => {
    const heard = hear(eventChannel('StoreTroubleEnded'));
    const told: SchedulerEvent[] = [];
    const emit = createEmit((event) => {
      told.push(event);
      throw new Error('on purpose');
    }, 'here');
    emit('StoreTroubleEnded', 5, { sinceMs: 7 });
    assert.deepEqual(told, [{ type: 'StoreTroubleEnded', at: 5, sinceMs: 7 }]);
    assert.deepEqual(heard, [{ type: 'StoreTroubleEnded', at: 5, sinceMs: 7, store: 'here' }]);
  });
});

describe('F1 the tracing channel of runs', () => {
  test('F1 a run that ends at once, one that waits, one that throws and one that rejects', async () => {
    const { heard, messages } = hearRuns();
    const world = createWorld(NOON);
    const fault = new Error('on purpose');
    await world.scheduler.initialize([
      ['at once', '0 12 * * *', () => 'a secret', 99_000],
      ['waits', '0 12 * * *', async () => 'a secret', 99_000],
      [
        'throws',
        '0 12 * * *',
        () => {
          throw fault;
        },
        99_000,
      ],
      ['rejects', '0 12 * * *', () => Promise.reject(fault), 99_000],
    ]);
    await turns();
    await world.scheduler.stop();
    const of = (task: string): string[] =>
      heard.filter((each) => each.endsWith(` ${task}`)).map((each) => each.slice(0, -task.length - 1));
    assert.deepEqual(of('at once'), ['start', 'end']);
    assert.deepEqual(of('waits'), ['start', 'end', 'asyncStart', 'asyncEnd']);
    assert.deepEqual(of('throws'), ['start', 'error', 'end']);
    assert.deepEqual(of('rejects'), ['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    assert.equal(messages.size, 4, 'one object per run');
    const errors = [...messages].map(({ task, error }) => [task, error]);
    assert.deepEqual(errors, [
      ['at once', undefined],
      ['waits', undefined],
      ['throws', fault],
      ['rejects', fault],
    ]);
    assert.doesNotMatch(JSON.stringify([...messages]), /secret/);
    // The channel changes nothing of what the runs come to.
    const ends = world.events.flatMap((event) =>
      event.type === 'TaskRunCompleted' || event.type === 'TaskRunFailed'
        ? [`${event.type} ${event.task}`]
        : [],
    );
    assert.deepEqual(ends.sort(), [
      'TaskRunCompleted at once',
      'TaskRunCompleted waits',
      'TaskRunFailed rejects',
      'TaskRunFailed throws',
    ]);
  });

  test('F4 what a subscriber binds to the start is there in the callback, and in what it awaits', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { start } = tracingChannel<unknown, RunMessage>(RUN_CHANNEL);
    start.bindStore(storage, ({ task, runId }: RunMessage) => `${task} ${runId}`);
    undo.push(() => start.unbindStore(storage));
    const seen: (string | undefined)[] = [];
    const runIds: string[] = [];
    const world = createWorld(NOON);
    await world.scheduler.initialize([
      [
        'a',
        '0 12 * * *',
        async ({ runId }) => {
          runIds.push(runId);
          seen.push(storage.getStore());
          await turns();
          seen.push(storage.getStore());
        },
        0,
      ],
    ]);
    await world.next('TaskRunCompleted');
    await world.scheduler.stop();
    assert.deepEqual(seen, [`a ${runIds[0]}`, `a ${runIds[0]}`]);
    assert.equal(storage.getStore(), undefined);
  });
});

describe('A4 the channel of durable batches', () => {
  test('A4 a batch of starts and a batch of ends, with their sizes and the time that they took', async () => {
    const heard = hear(COMMIT_CHANNEL);
    const world = createWorld(NOON);
    await world.scheduler.initialize([
      ['a', '0 12 * * *', () => {}, 0],
      ['b', '0 12 * * *', () => {}, 0],
    ]);
    await turns();
    await world.scheduler.stop();
    const messages = heard as CommitMessage[];
    const sum = (of: 'starts' | 'ends' | 'changes'): number =>
      messages.reduce((total, message) => total + message[of], 0);
    assert.deepEqual([sum('starts'), sum('ends')], [2, 2]);
    assert.ok(sum('changes') >= 4);
    assert.ok(messages.every(({ tookMs, store }) => tookMs >= 0 && store === 'memory'));
    assert.equal(channel(COMMIT_CHANNEL).hasSubscribers, true);
  });
});
