/** H1–H10: what a task object says beyond a tuple, on the test clock. Every trace is judged by the oracle as well. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  days,
  everyNthWeek,
  hours,
  lastDayOfMonth,
  minutes,
  nthWeekday,
  seconds,
  task,
} from '../../src/index.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import { until } from '../../src/testing/index.ts';
import { fail, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const NOON = '2026-03-02T12:00:00Z';
const told = <Type extends SchedulerEvent['type']>(
  stage: Stage,
  type: Type,
): Extract<SchedulerEvent, { type: Type }>[] =>
  stage.world.events.filter((event): event is Extract<SchedulerEvent, { type: Type }> => event.type === type);

describe('H2 retry', () => {
  test('H2 each delay is the one before it times backoff, up to maxDelay; then the work is given up', async () => {
    const stage = new Stage(NOON);
    const retry = { delay: seconds(10), max: 5, backoff: 3, maxDelay: minutes(2) };
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: fail, retry }));
    await stage.clock.advance(hours(2));
    assert.deepEqual(stage.starts(), [
      'a 12:00 due',
      'a 12:00:10 retry',
      'a 12:00:40 retry',
      'a 12:02:10 retry',
      'a 12:04:10 retry',
    ]);
    assert.deepEqual(
      told(stage, 'TaskRunFailed').map(({ attempt, outcome }) => `${attempt} ${outcome}`),
      ['1 failure', '2 failure', '3 failure', '4 failure', '5 gave up'],
    );
    assert.deepEqual(
      told(stage, 'TaskGaveUp').map(({ attempt }) => attempt),
      [5],
    );
    const { pendingRetryUntil, work, lastSuccessAt, failures } = await stage.disk.record('a');
    assert.deepEqual([pendingRetryUntil, work, lastSuccessAt, failures], [null, null, null, 5]);
    await stage.clock.advance(days(1) - hours(2));
    assert.equal(stage.starts().at(5), 'a 12:00 due', 'the next due is new work');
    assert.equal(told(stage, 'TaskRunStarted').at(-1)?.attempt, 1);
    await stage.stop();
  });

  test('H2 retry: false gives up at once, and giving up is no success', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: fail, retry: false }));
    await stage.clock.advance(hours(3));
    assert.deepEqual(stage.starts(), ['a 12:00 due']);
    assert.equal((await stage.disk.record('a')).lastSuccessAt, null);
    await stage.stop();
  });

  test('H2 an orphaned restart counts as an attempt, and is called before it is given up', async () => {
    const stage = new Stage(NOON);
    const retry = { delay: 0, max: 1 };
    const { callback, runs } = heldCallback();
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: callback, retry }));
    assert.equal(runs.length, 1);
    await stage.crash();
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: fail, retry }));
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 orphaned']);
    assert.deepEqual(
      told(stage, 'TaskGaveUp').map(({ attempt }) => attempt),
      [2],
    );
    await stage.stop();
  });

  test('H2 without a word about it, a failure is tried again after 1, 2, 4 … minutes, at most an hour', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: fail }));
    await stage.clock.advance(minutes(20));
    assert.deepEqual(stage.starts(), [
      'a 12:00 due',
      'a 12:01 retry',
      'a 12:03 retry',
      'a 12:07 retry',
      'a 12:15 retry',
    ]);
    await stage.stop();
  });
});

describe('H3 zones and days', () => {
  test('H3 each task has the zone of its own', async () => {
    const stage = new Stage('2026-03-02T00:30:00Z');
    const at9 = (name: string, timeZone?: string) =>
      task({ name, cron: '0 9 * * *', run: noop, ...(timeZone === undefined ? {} : { timeZone }) });
    await stage.initialize(at9('tokyo', 'Asia/Tokyo'), at9('utc'), at9('lima', 'america/lima'));
    await stage.clock.advance(days(1));
    assert.deepEqual(stage.starts(), ['utc 09:00 due', 'lima 14:00 due', 'tokyo 00:00 due']);
    await stage.stop();
  });

  test('H3 with clockChanges: once, the night of a clock change has one start; without, none or two', async () => {
    const both = ['once', 'posix'] as const;
    const list = both.map((clockChanges) =>
      task({ name: clockChanges, cron: '30 2 * * *', run: noop, timeZone: 'Europe/Stockholm', clockChanges }),
    );
    const spring = new Stage('2026-03-28T12:00:00Z');
    await spring.initialize(...list);
    await spring.clock.advance(days(1));
    assert.deepEqual(spring.starts(), ['once 01:00 due']);
    await spring.stop();
    const autumn = new Stage('2026-10-24T12:00:00Z');
    await autumn.initialize(...list);
    await autumn.clock.advance(days(1));
    assert.deepEqual(autumn.starts(), ['once 00:30 due', 'posix 00:30 due', 'posix 01:30 due']);
    await autumn.stop();
  });

  test('the last day of the month, its second Tuesday, every second Tuesday: due, and caught up after downtime', async () => {
    const stage = new Stage('2026-02-09T12:00:00Z');
    const on = (name: string, rule: ReturnType<typeof lastDayOfMonth>, cron = '0 9 * * *') =>
      task({ name, cron, run: noop, days: rule });
    const list = [
      on('month end', lastDayOfMonth()),
      on('second tuesday', nthWeekday(2, 'tue')),
      on('every second', everyNthWeek(2, '2026-02-03'), '0 10 * * 2'),
    ];
    await stage.initialize(...list);
    await stage.clock.advance(days(10));
    assert.deepEqual(stage.starts(), ['second tuesday 09:00 due', 'every second 10:00 due']);
    await stage.stop();
    await stage.clock.advance(days(12));
    await stage.initialize(...list);
    assert.ok(stage.starts().includes('month end 12:00 due'), 'on 3 March, for 28 February');
    await stage.stop();
  });
});

describe('H4 startWithin', () => {
  test('H4 a due that is too old when its turn comes is skipped, and nothing is written of that; one that is young enough is served', async () => {
    const stage = new Stage(NOON);
    const list = [10, 90].map((count) =>
      task({ name: `${count}`, cron: '0 * * * *', run: noop, startWithin: minutes(count) }),
    );
    await stage.initialize(...list);
    await stage.stop();
    await stage.clock.advance(hours(3) + minutes(20));
    await stage.initialize(...list);
    assert.deepEqual(stage.starts(), ['10 12:00 due', '90 12:00 due', '90 15:20 due']);
    const [skipped] = told(stage, 'TaskDueSkipped');
    assert.deepEqual([skipped.task, new Date(skipped.dueAt).getUTCHours(), skipped.why], ['10', 15, 'late']);
    await stage.clock.settle();
    assert.equal((await stage.disk.record('10')).servedThrough, Date.parse(NOON), 'the cursor stays');
    await stage.clock.advance(hours(1));
    assert.deepEqual(stage.starts().slice(3), ['10 16:00 due', '90 16:00 due']);
    await stage.stop();
  });

  test('H4 a retry and an orphan are not touched', async () => {
    const stage = new Stage(NOON);
    const startWithin = minutes(1);
    const list = (run: () => unknown) => [
      task({ name: 'fails', cron: '0 12 * * *', run: fail, startWithin, retry: { delay: hours(30) } }),
      task({ name: 'dies', cron: '0 12 * * *', run, startWithin }),
    ];
    await stage.initialize(...list(() => until(new Promise(() => {}))));
    await stage.crash();
    await stage.clock.advance(hours(31));
    await stage.initialize(...list(noop));
    assert.deepEqual(stage.starts().toSorted(), ['dies 19:00 orphaned', 'fails 19:00 retry']);
    assert.equal(told(stage, 'TaskDueSkipped').length, 2, 'those of the day that was slept through');
    await stage.stop();
  });

  test('H4 it is said once in a life, also where another list comes, and again in the next life', async () => {
    const stage = new Stage(NOON, { reload: true });
    const list = (count: number) => task({ name: 'a', cron: '0 * * * *', run: noop, startWithin: count });
    await stage.initialize(list(minutes(10)));
    await stage.stop();
    await stage.clock.advance(hours(1) + minutes(20));
    await stage.initialize(list(minutes(10)));
    stage.clock.step(-30 * SECOND);
    await stage.clock.advance(MINUTE);
    await stage.initialize(list(minutes(11)));
    await stage.clock.advance(MINUTE);
    assert.equal(told(stage, 'TaskDueSkipped').length, 1);
    await stage.stop();
    await stage.initialize(list(minutes(11)));
    assert.equal(told(stage, 'TaskDueSkipped').length, 2);
    await stage.stop();
  });

  test('H4 a longer limit in a later list makes an old due pending again', async () => {
    const stage = new Stage(NOON);
    const list = (count: number) =>
      task({ name: 'a', cron: '0 * * * *', run: noop, startWithin: minutes(count) });
    await stage.initialize(list(10));
    await stage.stop();
    await stage.clock.advance(hours(1) + minutes(20));
    await stage.initialize(list(10));
    await stage.stop();
    assert.deepEqual([stage.starts(), told(stage, 'TaskDueSkipped').length], [['a 12:00 due'], 1]);
    await stage.initialize(list(30));
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 13:20 due']);
    await stage.stop();
  });

  test('H4 F4 work that is retried keeps its key where a newer due is too old', async () => {
    const stage = new Stage(NOON);
    const keys: string[] = [];
    const run = ({ key }: { key: string }): never => {
      keys.push(key);
      return fail();
    };
    const retry = { delay: minutes(90), max: 2 };
    await stage.initialize(task({ name: 'a', cron: '0 * * * *', run, startWithin: MINUTE, retry }));
    await stage.stop();
    await stage.clock.advance(minutes(100));
    await stage.initialize(task({ name: 'a', cron: '0 * * * *', run, startWithin: MINUTE, retry }));
    assert.deepEqual([stage.starts(), new Set(keys).size], [['a 12:00 due', 'a 13:40 retry'], 1]);
    assert.equal(told(stage, 'TaskGaveUp').length, 1);
    await stage.stop();
  });
});

describe('H5 jitter', () => {
  test('H5 starts are moved by what the name decides, and scheduledFor is of the expression', async () => {
    const stage = new Stage('2026-03-02T11:59:00Z');
    const contexts: Date[] = [];
    const run = ({ scheduledFor }: { scheduledFor: Date }) => contexts.push(scheduledFor);
    await stage.initialize(task({ name: 'nightly-report', cron: '0 12 * * *', run, jitter: hours(1) }));
    await stage.clock.advance(hours(1));
    assert.deepEqual(stage.starts(), ['nightly-report 12:22:28 due']);
    assert.deepEqual(contexts, [new Date(NOON)]);
    await stage.stop();
    await stage.initialize(task({ name: 'nightly-report', cron: '0 12 * * *', run, jitter: hours(1) }));
    await stage.clock.advance(days(1) - 1);
    assert.deepEqual(stage.starts().slice(1), ['nightly-report 12:22:28 due']);
    await stage.stop();
  });
});

describe('H6 timeout', () => {
  test('H6 at the limit the signal is aborted; the run ends when the callback does, and has failed whatever it returned', async () => {
    const stage = new Stage(NOON);
    const reasons: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<string>();
    const run = ({ signal }: { signal: AbortSignal }): Promise<string> => {
      signal.addEventListener('abort', () => reasons.push(signal.reason?.name));
      return until(promise);
    };
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run, timeout: seconds(30), retry: false }));
    await stage.clock.advance(30 * SECOND - 1);
    assert.deepEqual(reasons, []);
    await stage.clock.advance(1);
    assert.deepEqual(reasons, ['TaskTimeoutError']);
    await stage.clock.advance(MINUTE);
    assert.equal(told(stage, 'TaskRunFailed').length, 0, 'it still runs (F2)');
    resolve('done');
    await stage.clock.settle();
    const [failed] = told(stage, 'TaskRunFailed');
    assert.deepEqual([failed.outcome, failed.durationMs], ['gave up', 30 * SECOND + MINUTE]);
    await stage.stop();
  });

  test('H6 timed out, not given up: the outcome says so, and it is retried', async () => {
    const stage = new Stage(NOON);
    const run = ({ signal }: { signal: AbortSignal }): Promise<never> =>
      until(new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
    const limits = { timeout: seconds(5), retry: { delay: MINUTE } };
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run, ...limits }));
    await stage.clock.advance(MINUTE + 5 * SECOND);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:01:05 retry']);
    assert.equal(told(stage, 'TaskRunFailed')[0].outcome, 'timed out');
    await stage.stop();
  });

  test('H6 abandonAfter ends it anyway, and says so; what it does later changes nothing', async () => {
    const stage = new Stage(NOON);
    const { promise, resolve } = Promise.withResolvers<void>();
    const limits = { timeout: seconds(5), abandonAfter: seconds(10), retry: false } as const;
    await stage.initialize(task({ name: 'a', cron: '0,1 12 * * *', run: () => until(promise), ...limits }));
    await stage.clock.advance(15 * SECOND);
    assert.deepEqual(
      stage.world.told().filter((line) => / a$/.test(line)),
      ['TaskRunStarted a', 'TaskRunFailed a', 'TaskGaveUp a', 'TaskAbandoned a'],
    );
    resolve();
    await stage.clock.settle();
    assert.equal(told(stage, 'TaskRunCompleted').length, 0);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:01 due']);
    assert.equal(told(stage, 'TaskRunCompleted').length, 1);
    await stage.stop();
  });
});

describe('H9 whileRunning', () => {
  test('H9 skip: a due that comes while the task runs is not served, before or after a restart', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    const skipping = task({ name: 'a', cron: '* * * * *', run: callback, whileRunning: 'skip' });
    await stage.initialize(skipping);
    await stage.clock.advance(2 * MINUTE + SECOND);
    assert.deepEqual(
      told(stage, 'TaskDueSkipped').map(({ at, dueAt, why }) => `${at - dueAt} ${why}`),
      [],
    );
    runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(
      told(stage, 'TaskDueSkipped').map(({ at, dueAt, why }) => `${at - dueAt} ${why}`),
      [`${SECOND} running`],
      'the last one, when the run ends',
    );
    const { servedThrough, lastSuccessAt } = await stage.disk.record('a');
    assert.equal(servedThrough, lastSuccessAt, 'the end serves through itself');
    assert.deepEqual(stage.starts(), ['a 12:00 due']);
    await stage.stop();
    await stage.initialize(skipping);
    assert.deepEqual(stage.starts(), ['a 12:00 due']);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:03 due']);
    runs[1].succeed();
    await stage.stop();
  });

  test('H9 E5 the end and what it serves are one write: a crash right after it finds both', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    const skipping = task({ name: 'a', cron: '* * * * *', run: callback, whileRunning: 'skip' });
    await stage.initialize(skipping);
    await stage.clock.advance(MINUTE + SECOND);
    const moved: number[] = [];
    stage.disk.commits = (batch, commit) => {
      moved.push([...(batch.moves ?? [])].length);
      return commit();
    };
    runs[0].fail();
    await stage.clock.settle();
    assert.deepEqual(moved, [0], 'one batch, and no move');
    await stage.crash();
    await stage.initialize(skipping);
    assert.deepEqual(stage.starts(), []);
    await stage.stop();
  });

  test('H9 B5 a run whose clock is set back ends with the cursor that this has moved', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(task({ name: 'a', cron: '* * * * *', run: callback }));
    await stage.clock.advance(SECOND);
    stage.clock.step(-10 * MINUTE);
    await stage.clock.advance(SECOND);
    runs[0].succeed();
    await stage.clock.settle();
    const { servedThrough, lastAttemptAt } = await stage.disk.record('a');
    assert.deepEqual(
      [servedThrough, lastAttemptAt],
      [Date.parse(NOON) - 10 * MINUTE + 2 * SECOND, Date.parse(NOON)],
    );
    await stage.stop();
  });

  test('H9 replace: the due aborts the run, and one start follows its end', async () => {
    const stage = new Stage(NOON);
    const ends: string[] = [];
    const run = ({ signal }: { signal: AbortSignal }): Promise<void> =>
      until(
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            ends.push(signal.reason.message);
            resolve();
          }),
        ),
      );
    await stage.initialize(task({ name: 'a', cron: '* * * * *', run, whileRunning: 'replace' }));
    await stage.clock.advance(2 * MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:01 due', 'a 12:02 due']);
    assert.deepEqual(ends, ['Task "a" is due again', 'Task "a" is due again']);
    await stage.stop();
  });
});

describe('H1, H10 configuration', () => {
  test('H1 a policy is configuration: a difference is an override, and the same again is none', async () => {
    const stage = new Stage(NOON);
    const with_ = (startWithin: number) => task({ name: 'a', cron: '0 0 1 1 *', run: noop, startWithin });
    await stage.initialize(with_(MINUTE));
    await stage.stop();
    await stage.initialize(with_(MINUTE));
    await stage.stop();
    await stage.initialize(with_(2 * MINUTE));
    const overridden = told(stage, 'SchedulerInitializationCompleted').map((event) => event.overridden);
    assert.deepEqual(overridden, [[], [], ['a']]);
    assert.equal(
      (await stage.disk.record('a')).policy,
      '{"retry":{"backoff":2,"maxDelayMs":3600000},"startWithinMs":120000}',
    );
    await stage.stop();
  });

  test('H10 reset: a changed registration is a first coming; keep, the default, keeps what was owed', async () => {
    const stage = new Stage('2026-03-02T12:00:30Z');
    const of = (name: 'keep' | 'reset', minute: number) =>
      task({ name, cron: `${minute} * * * *`, run: noop, onOverride: name });
    await stage.initialize(of('keep', 30), of('reset', 30));
    await stage.stop();
    await stage.clock.advance(hours(2));
    await stage.initialize(of('keep', 45), of('reset', 45));
    assert.deepEqual(stage.starts(), ['keep 14:00:30 due']);
    assert.equal((await stage.disk.record('reset')).firstSeenAt, stage.clock.now());
    await stage.clock.advance(minutes(45));
    assert.deepEqual(stage.starts().slice(1), ['keep 14:45 due', 'reset 14:45 due']);
    await stage.stop();
  });
});
