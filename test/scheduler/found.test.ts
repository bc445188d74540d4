/** Defects that were found once, each under the rule that it broke. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import {
  failsBefore,
  gate,
  neverAnswers,
  record,
  TroubledStore,
  through,
} from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, MovedClock, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const idle: Registration = ['idle', '0 0 1 1 *', () => {}, 0];
const O = {};

test(
  'D4 an initialize called while a duration of another list is asked for wins, and the other is refused',
  O,
  async () => {
    const store = new TroubledStore();
    const w = createWorld(NOON, { store });
    let inner: Promise<void> | undefined;
    const outer = w.scheduler.initialize([
      [
        'a',
        '0 0 1 1 *',
        () => {},
        {
          toMillis: () => {
            inner ??= w.scheduler.initialize([idle]);
            return 0;
          },
        },
      ],
    ]);
    const r = await Promise.allSettled([outer, inner]);
    assert.deepEqual(r.map((x) => x.status).sort(), ['fulfilled', 'rejected']);
    const rejected = r.find((x) => x.status === 'rejected');
    assert.equal(rejected?.status === 'rejected' && rejected.reason.name, 'SchedulerAlreadyActiveError');
    await w.scheduler.stop();
  },
);
test('D7 a stop in the listener of SchedulerInitializationStarted waits for that initialize', O, async () => {
  const store = new TroubledStore();
  let stopped: Promise<void> | undefined;
  const order: string[] = [];
  const s = createScheduler({
    store,
    clock: new MovedClock(NOON),
    timeZone: 'UTC',
    onEvent: ({ type }) => {
      if (type === 'SchedulerInitializationStarted')
        stopped ??= s.stop().then(() => {
          order.push('stopped');
        });
    },
  });
  await s.initialize([idle]).then(() => order.push('initialized'));
  await stopped;
  assert.deepEqual(order, ['initialized', 'stopped']);
  assert.equal((await store.inspect()).owner, 'free');
});
test('D7 a stop in the listener of SchedulerStopRequested waits like the one it hears of', O, async () => {
  let inner: Promise<string> | undefined;
  const held = heldCallback();
  const order: string[] = [];
  const s = createScheduler({
    store: memory(),
    clock: new MovedClock(NOON),
    timeZone: 'UTC',
    onEvent: ({ type }) => {
      if (type === 'SchedulerStopRequested')
        inner = s.stop().then(() => {
          order.push('inner');
          return '';
        });
    },
  });
  await s.initialize([['a', '* * * * *', held.callback, 0]]);
  await turns();
  const st = s.stop();
  await turns();
  assert.deepEqual(order, []);
  held.runs[0].succeed();
  await st;
  await inner;
});
test('D7 a stop in an abort listener of a callback waits too', O, async () => {
  const order: string[] = [];
  const w = createWorld(NOON);
  const done = Promise.withResolvers<void>();
  await w.scheduler.initialize([
    [
      'a',
      '* * * * *',
      ({ signal }) => {
        signal.addEventListener('abort', () => {
          void w.scheduler.stop().then(() => order.push('inner'));
        });
        return done.promise;
      },
      0,
    ],
  ]);
  await turns();
  const st = w.scheduler.stop();
  await turns();
  assert.deepEqual(order, []);
  done.resolve();
  await st;
});
test('G4 the end of a callback that resolves on abort comes after PollingStopRequested', O, async () => {
  const w = createWorld(NOON);
  await w.scheduler.initialize([
    ['a', '* * * * *', ({ signal }) => new Promise((r) => signal.addEventListener('abort', r)), 0],
  ]);
  await turns();
  await w.scheduler.stop();
  assert.deepEqual(w.told().slice(-5), [
    'SchedulerStopRequested',
    'PollingStopRequested',
    'TaskRunCompleted a',
    'PollingStopped',
    'SchedulerStopped',
  ]);
});
test('G2 a retry delay near 2^53 leaves a record that can be read', O, async () => {
  const store = new TroubledStore();
  const w = createWorld(NOON, { store });
  const list: Registration[] = [
    [
      'a',
      '* * * * *',
      () => {
        throw new Error('x');
      },
      Number.MAX_SAFE_INTEGER,
    ],
  ];
  await w.scheduler.initialize(list);
  await turns();
  await w.scheduler.stop();
  await w.scheduler.initialize(list);
  await w.scheduler.stop();
});
test('G2 a retry delay of 8.64e15 leaves a record that can be read', O, async () => {
  const store = new TroubledStore();
  const w = createWorld(NOON, { store });
  const list: Registration[] = [
    [
      'a',
      '* * * * *',
      () => {
        throw new Error('x');
      },
      8.64e15,
    ],
  ];
  await w.scheduler.initialize(list);
  await turns();
  await w.scheduler.stop();
  await w.scheduler.initialize(list);
  await w.scheduler.stop();
});
test(
  'D6 E5 a roll-over that cannot be written at once does not undo an initialize that took effect',
  O,
  async () => {
    const store = new TroubledStore();
    const slow = gate();
    let n = 0;
    store.commits = (b, c) => (++n === 1 ? slow.commits(b, c) : failsBefore(b, c));
    const w = createWorld('2026-01-01T12:00:59Z', { store });
    const init = w.scheduler.initialize([['a', '0 0 1 1 *', () => {}, 0]]).then(
      () => 'ok',
      (e) => e.name,
    );
    await w.clock.advance(2000);
    slow.open();
    const outcome = await init;
    // either it succeeds, or the previous (empty) state stands
    if (outcome !== 'ok') assert.deepEqual(await store.records(), []);
  },
);
test('D2 a trace sink that throws harms nobody', O, async () => {
  const s = createScheduler({
    store: memory(),
    clock: new MovedClock(NOON),
    timeZone: 'UTC',
    trace: () => {
      throw new Error('sink');
    },
  });
  let p: Promise<void> | undefined;
  assert.doesNotThrow(() => {
    p = s.initialize([idle]);
  });
  await p;
  await s.stop();
});
test('G4 a logger that throws harms nobody', O, async () => {
  const bad = () => {
    throw new Error('log');
  };
  const store = new TroubledStore();
  await store.put(record('gone'));
  const w = createWorld(NOON, { store, logger: { debug: bad, info: bad, warn: bad, error: bad } });
  await w.scheduler.initialize([idle]);
  await w.scheduler.stop();
  assert.equal((await store.inspect()).owner, 'free');
});
test('A4/E8 a log line for store trouble', O, async () => {
  const lines: string[] = [];
  const log = (l: string) => {
    lines.push(l);
  };
  const store = new TroubledStore();
  const w = createWorld('2026-01-01T11:59:30Z', {
    store,
    logger: { debug: log, info: log, warn: log, error: log },
  });
  await w.scheduler.initialize([['a', '0 12 * * *', () => {}, 0]]);
  await turns();
  store.commits = failsBefore;
  await w.clock.advance(60_000);
  store.commits = through;
  await w.clock.advance(60_000);
  await w.scheduler.stop();
  assert.ok(lines.length > 0);
});
test('E8 a store that never answers is reported', O, async () => {
  const store = new TroubledStore();
  const w = createWorld('2026-01-01T11:59:30Z', { store, finalWriteMs: 0 });
  await w.scheduler.initialize([['a', '0 12 * * *', () => {}, 0]]);
  await turns();
  store.commits = neverAnswers;
  await w.clock.advance(3_600_000);
  assert.ok(w.told().includes('StoreTroubleStarted'));
});
test('D7 the trace of a rejected stop says why it ended', O, async () => {
  const store = new TroubledStore();
  const w = createWorld(NOON, { store });
  const held = heldCallback();
  await w.scheduler.initialize([['a', '* * * * *', held.callback, 0]]);
  await turns();
  store.commits = neverAnswers;
  const st = w.scheduler.stop().catch(() => {});
  held.runs[0].succeed();
  await w.clock.advance(10_000);
  await st;
  const end = w.trace.at(-1);
  assert.equal(end?.event === 'StopEnd' && end.error, 'StopSchedulerError');
});
test('E8 a store whose commit throws at once is in trouble like any other', O, async () => {
  const store = new TroubledStore();
  const w = createWorld('2026-01-01T11:59:30Z', { store });
  let n = 0;
  await w.scheduler.initialize([['a', '0 12 * * *', () => n++, 0]]);
  await turns();
  let left = 1;
  store.commits = (_batch, c) => {
    if (left-- > 0) throw new Error('sync');
    return c();
  };
  await w.clock.advance(60_000);
  assert.equal(n, 1);
  await w.scheduler.stop();
});
test('D2 a list that grows while it is checked is read as long as it was', O, () => {
  // checked with a bound
  const list: unknown[] = [];
  let grown = 0;
  const d = {
    toMillis: () => {
      if (grown++ < 5) list.push([`x${grown}`, '0 0 1 1 *', () => {}, d]);
      return 0;
    },
  };
  list.push(['x', '0 0 1 1 *', () => {}, d]);
  const w = createWorld(NOON);
  return Reflect.apply(w.scheduler.initialize, undefined, [list]).then(async () => {
    const r = w.trace[0];
    await w.scheduler.stop();
    assert.equal(r.event === 'InitStart' && r.registrations.length, 1);
  });
});
test('D7 a store that does not answer its close is not waited for', O, async () => {
  // stop waits for close for ever
  const inner = memory();
  const store = {
    location: 'x',
    async open(o: { waitMs: number }) {
      const s = await inner.open(o);
      return {
        read: (n?: readonly string[]) => s.read(n),
        commit: (b: object) => s.commit(b),
        close: () => new Promise<void>(() => {}),
      };
    },
  };
  const w = createWorld(NOON, { store });
  await w.scheduler.initialize([idle]);
  await turns();
  const st = w.scheduler.stop().then(
    () => 'resolved',
    (e: Error) => e.name,
  );
  await w.clock.advance(3_600_000);
  assert.notEqual(await Promise.race([st, turns(5).then(() => 'pending')]), 'pending');
});
test('E5 a store whose open throws at once gives a ScheduleTaskError', O, async () => {
  const w = createWorld(NOON, {
    store: {
      location: 'x',
      open() {
        throw new Error('sync');
      },
    },
  });
  await assert.rejects(w.scheduler.initialize([idle]), { name: 'ScheduleTaskError' });
});
test('B5 a deadline that a step has moved is not moved again by a second look', O, async () => {
  const { deadlineAfterStep } = await import('../../src/core/clock-step.ts');
  const H = 3_600_000;
  const moved = deadlineAfterStep(13 * H, 12 * H, H, 11.5 * H);
  assert.equal(moved, 12.5 * H);
  assert.equal(deadlineAfterStep(moved, 12 * H, H, 11.5 * H + 60_000), moved);
});
test('D7 a stop after one that failed has nothing to stop, and resolves', O, async () => {
  const store = new TroubledStore();
  const w = createWorld(NOON, { store, finalWriteMs: 1000 });
  const held = heldCallback();
  await w.scheduler.initialize([['a', '0 12 * * *', held.callback, 0]]);
  await turns();
  store.commits = neverAnswers;
  const first = assert.rejects(w.scheduler.stop(), { name: 'StopSchedulerError' });
  held.runs[0].succeed();
  await w.clock.advance(2000);
  await first;
  await w.scheduler.stop();
});
