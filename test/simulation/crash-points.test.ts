/**
 * Every crash point. Each of these small worlds is played once per call of a port (clock, store, trace, callback): the process dies
 * before that call, or right after it, is started again at once, or later, and is judged. A campaign plays all four deaths at each
 * call; the suite plays one of them, in turns.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Action, type CallbackMix, createWorld, type Scenario } from '../../src/simulation/index.ts';
import { playsAll } from '../sample.ts';

const never: CallbackMix = {
  succeedAtOnce: 0,
  succeedLater: 0,
  failLater: 0,
  throwAtOnce: 0,
  hang: 0,
  overrun: 0,
  burn: 0,
  stop: 0,
};
const task = (name: string, cron = '* * * * *', retryDelayMs = 1000) => ({ name, cron, retryDelayMs });
const start = (...tasks: ReturnType<typeof task>[]): Action => ({ kind: 'start', tasks });

const calm: Scenario = {
  seed: 1,
  start: '2026-06-01T12:00:30Z',
  timeZone: 'UTC',
  workers: 0,
  finalWriteMs: 10_000,
  callbacks: { ...never, succeedAtOnce: 1 },
  disk: { latencyMs: 5, refusedPerMille: 0, unansweredPerMille: 0 },
  events: [],
};

const scenarios: Readonly<Record<string, Partial<Scenario>>> = {
  'A3, A4 a due task and one that is not': {
    events: [
      [0, start(task('a'), task('b', '0 18 * * *'))],
      [40_000, { kind: 'stop' }],
    ],
  },
  'A6, A7 failures and their retries': {
    callbacks: { ...never, throwAtOnce: 1, failLater: 1, succeedLater: 1 },
    events: [
      [0, start(task('a'), task('b', '* * * * *', 0))],
      [20_000, { kind: 'stop' }],
    ],
  },
  'A5 a run that overruns its next due instant': {
    callbacks: { ...never, overrun: 1 },
    events: [
      [0, start(task('a'))],
      [400_000, { kind: 'stop' }],
    ],
  },
  'A4, D7 stop amid starts and runs, and again on the same object': {
    callbacks: { ...never, succeedLater: 1, hang: 1 },
    disk: { ...calm.disk, latencyMs: 200 },
    events: [
      [0, start(task('a'), task('b'), task('c', '1 12 * * *'))],
      [29_900, { kind: 'stop' }],
      [60_000, start(task('a'), task('b'))],
      [61_000, { kind: 'stop' }],
    ],
  },
  'D9 stop inside a callback': {
    callbacks: { ...never, stop: 1 },
    events: [
      [0, start(task('a'), task('b'))],
      [30_000, start(task('a'), task('b'))],
    ],
  },
  'E4 another list after a restart': {
    callbacks: { ...never, succeedLater: 1, failLater: 1 },
    events: [
      [0, start(task('a'), task('b'), task('c'))],
      [31_000, { kind: 'crash', downMs: 90_000, tasks: [task('b', '5 12 * * *', 0), task('d'), task('a')] }],
      [200_000, { kind: 'stop' }],
    ],
  },
  'E8, E9 a store that refuses, denies and stalls': {
    callbacks: { ...never, succeedLater: 1, failLater: 1 },
    events: [
      [0, start(task('a'), task('b'))],
      [29_000, { kind: 'trouble', trouble: 'takes and denies', ms: 3000 }],
      [33_000, { kind: 'trouble', trouble: 'refuses', ms: 4000 }],
      [60_000, { kind: 'trouble', trouble: 'stalls', ms: 9000 }],
      [95_000, { kind: 'stop' }],
    ],
  },
  'B5 a clock set back, and forward again': {
    callbacks: { ...never, failLater: 1, succeedLater: 1 },
    events: [
      [0, start(task('a', '* * * * *', 60_000), task('b', '0 12 * * *'))],
      [40_000, { kind: 'step', byMs: -7_200_000 }],
      [110_000, { kind: 'step', byMs: 90_000_000 }],
      [180_000, { kind: 'stop' }],
    ],
  },
  'X4 one worker for three tasks': {
    workers: 1,
    callbacks: { ...never, succeedLater: 1 },
    events: [
      [0, start(task('a'), task('b'), task('c'))],
      [70_000, { kind: 'stop' }],
    ],
  },
  'B1 an hour that happens twice': {
    start: '2026-10-25T00:29:00Z',
    timeZone: 'Europe/Stockholm',
    events: [
      [0, start(task('a', '30 2 * * *'), task('b', '0 * * * *'))],
      [3_700_000, { kind: 'stop' }],
    ],
  },
};

const DEATHS = (['before', 'after'] as const).flatMap((when) =>
  [0, 100_000].map((downMs) => ({ when, downMs })),
);
const deathsAt = (call: number): typeof DEATHS => (playsAll ? DEATHS : [DEATHS[call % DEATHS.length]]);

/** The same world, with a process that dies at one call. */
const dying = (scenario: Scenario, calls: number, when: 'before' | 'after', downMs: number): Scenario => ({
  ...scenario,
  events: [[0, { kind: 'crash at call', calls, when, downMs }], ...scenario.events],
});

describe('a crash at every call of a port', () => {
  for (const [title, parts] of Object.entries(scenarios)) {
    test(title, async (t) => {
      const scenario = { ...calm, ...parts };
      const { violations, portCalls } = await createWorld({ scenario }).run();
      assert.deepEqual(violations, []);
      let crashes = 0;
      for (let calls = 0; calls < portCalls; calls++) {
        for (const { when, downMs } of deathsAt(calls)) {
          const doomed = dying(scenario, calls, when, downMs);
          const report = await createWorld({ scenario: doomed }).run();
          assert.deepEqual(report.violations, [], `dead ${when} call ${calls}, for ${downMs} ms`);
          assert.ok(report.counts.crashes > 0, `no process died ${when} call ${calls}`);
          crashes += report.counts.crashes;
        }
      }
      t.diagnostic(`${portCalls} calls, ${crashes} crashes`);
      assert.ok(portCalls > 20);
    });
  }

  test('A1, A10 twice: at every call of the first life, and at many of the second', async (t) => {
    const scenario = {
      ...calm,
      callbacks: { ...never, succeedLater: 1 },
      events: [
        [0, start(task('a'))],
        [33_000, { kind: 'stop' }],
      ],
    } as const;
    const { portCalls } = await createWorld({ scenario }).run();
    let crashes = 0;
    for (let first = 0; first < portCalls; first++) {
      for (let second = playsAll ? 0 : (first % 4) * 3; second < 40; second += playsAll ? 3 : 12) {
        const once = dying(scenario, first, 'after', 500);
        const again: Action = { kind: 'crash at call', calls: second, when: 'before', downMs: 500 };
        // Armed while no process lives, or soon after.
        const report = await createWorld({
          scenario: { ...once, events: [...once.events, [600, again]] },
        }).run();
        assert.deepEqual(report.violations, [], `dead after ${first} and before ${second}`);
        crashes += report.counts.crashes;
      }
    }
    t.diagnostic(`${crashes} crashes`);
  });
});
