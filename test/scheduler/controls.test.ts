/** I1–I4: what operators ask for, on the test clock. Every trace is judged by the oracle as well. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type ControlKind, control, hours, minutes, task } from '../../src/index.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import { until } from '../../src/testing/index.ts';
import { fail, fileStore, MINUTE, noop, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const NOON = '2026-03-02T12:00:30Z';

/** Asks, lets the scheduler do it, and answers what became of it. */
async function ask(stage: Stage, kind: ControlKind, name: string, catchUp = false): Promise<string> {
  const request = { id: randomUUID(), kind, task: name, askedAt: 0, catchUp };
  const asked = await stage.disk.inner.ask?.(request);
  await stage.clock.settle();
  const answer = await asked?.answer();
  await asked?.close();
  return answer === undefined ? 'waiting' : `${answer.state}: ${answer.text}`;
}

const countOf = (stage: Stage, type: SchedulerEvent['type']): number =>
  stage.world.events.filter((event) => event.type === type).length;

describe('I2 run', () => {
  test('I2 an idle task starts at once, as new work, for the reason manual', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0 0 1 1 *', callback, 0]);
    assert.equal(await ask(stage, 'run', 'a'), 'applied: started');
    assert.deepEqual(stage.starts(), ['a 12:00:30 manual']);
    const { reason, attempt, scheduledFor } = runs[0].context;
    assert.deepEqual([reason, attempt, scheduledFor], ['manual', 1, new Date(NOON)]);
    runs[0].succeed();
    await stage.stop();
  });

  test('I2 a request while it runs gives one start right after the end, however many there are', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0 0 1 1 *', callback, 0]);
    await ask(stage, 'run', 'a');
    assert.equal(await ask(stage, 'run', 'a'), 'waiting');
    assert.equal(await ask(stage, 'run', 'a'), 'waiting');
    await stage.clock.advance(5000);
    runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['a 12:00:30 manual', 'a 12:00:35 manual']);
    runs[1].succeed();
    await stage.clock.advance(MINUTE);
    assert.equal(runs.length, 2);
    await stage.stop();
  });

  test('I2 if failed work waits for its retry, it is that work, one attempt further', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['a', '0 12 * * *', fail, hours(1)]);
    await ask(stage, 'run', 'a');
    const [first, second] = stage.world.events.filter((event) => event.type === 'TaskRunStarted');
    assert.deepEqual([second.reason, second.attempt, second.key], ['manual', 2, first.key]);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:00 manual']);
    await stage.stop();
  });

  test('I1 a request that was not served when the process died is served by the next one, once', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0 0 1 1 *', callback, 0]);
    await ask(stage, 'run', 'a');
    await ask(stage, 'run', 'a');
    assert.equal(runs.length, 1);
    await stage.crash();
    await stage.initialize(['a', '0 0 1 1 *', noop, 0]);
    assert.deepEqual(stage.starts(), ['a 12:00:30 orphaned'], 'one start serves the orphan and the request');
    await stage.clock.advance(MINUTE);
    assert.equal(stage.starts().length, 1);
    await stage.stop();
  });

  test('I1 a request that comes while no scheduler runs waits for the next one', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(['a', '0 0 1 1 *', noop, 0]);
    await stage.stop();
    const { state, text } = await control(stage.disk.inner).run('a', { wait: 0 });
    assert.deepEqual([state, text], ['waiting', 'no scheduler runs: the next one does it']);
    await stage.initialize(['a', '0 0 1 1 *', noop, 0]);
    assert.deepEqual(stage.starts(), ['a 12:00:30 manual']);
    await stage.stop();
  });

  test('I1 a name that is not there is refused, with the nearest', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(['backup', '0 0 1 1 *', noop, 0]);
    assert.equal(await ask(stage, 'run', 'bakup'), 'refused: no task is called that: did you mean "backup"?');
    await stage.stop();
  });
});

describe('I3 pause and resume', () => {
  test('I3 a paused task starts for nothing but a request; resume forgets what came due meanwhile', async () => {
    const stage = new Stage(NOON);
    const list = [['a', '* * * * *', noop, 0] as const];
    await stage.initialize(...list);
    await stage.clock.advance(MINUTE);
    assert.equal(await ask(stage, 'pause', 'a'), 'applied: paused');
    await stage.clock.advance(minutes(5));
    assert.equal(await ask(stage, 'run', 'a'), 'applied: started');
    await stage.stop();
    await stage.initialize(...list);
    await stage.clock.advance(minutes(5));
    const starts = ['a 12:00:30 due', 'a 12:01 due', 'a 12:06:30 manual'];
    assert.deepEqual(stage.starts(), starts);
    assert.notEqual((await stage.disk.record('a')).pausedAt, null);
    assert.equal(await ask(stage, 'resume', 'a'), 'applied: goes on');
    assert.equal((await stage.disk.record('a')).pausedAt, null);
    assert.deepEqual(stage.starts(), starts);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts().slice(3), ['a 12:12 due']);
    await stage.stop();
  });

  test('I3 with catchUp, what came due during the pause is served, once', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(['a', '5 * * * *', noop, 0]);
    await ask(stage, 'pause', 'a');
    await stage.clock.advance(hours(3));
    await ask(stage, 'resume', 'a', true);
    assert.deepEqual(stage.starts(), ['a 15:00:30 due']);
    await stage.stop();
  });

  test('I3 a retry deadline and an orphan mark stand through a pause', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(
      ['fails', '0 12 * * *', fail, MINUTE],
      ['dies', '0 12 * * *', () => until(new Promise(() => {})), 0],
    );
    await ask(stage, 'pause', 'fails');
    await ask(stage, 'pause', 'dies');
    await stage.clock.advance(minutes(10));
    await stage.crash();
    await stage.initialize(['fails', '0 12 * * *', noop, MINUTE], ['dies', '0 12 * * *', noop, 0]);
    await stage.clock.advance(minutes(10));
    assert.deepEqual(stage.starts(), []);
    await ask(stage, 'resume', 'fails');
    await ask(stage, 'resume', 'dies');
    assert.deepEqual(stage.starts(), ['fails 12:20 retry', 'dies 12:20 orphaned']);
    await stage.stop();
  });

  test('I3 what runs goes on; resumed while it runs, it owes nothing from before', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '* * * * *', callback, 0]);
    await ask(stage, 'pause', 'a');
    await stage.clock.advance(minutes(3));
    await ask(stage, 'resume', 'a');
    runs[0].succeed();
    await stage.clock.settle();
    assert.equal(runs.length, 1);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['a 12:00 due', 'a 12:04 due']);
    runs[1].succeed();
    await stage.stop();
  });
});

describe('I3 and policies', () => {
  test('I3 H10 a paused task stays paused through a list that lets it begin again', async () => {
    const stage = new Stage(NOON);
    const of = (cron: string) => task({ name: 'a', cron, run: noop, onOverride: 'reset' });
    await stage.initialize(of('15 * * * *'));
    await ask(stage, 'pause', 'a');
    await stage.stop();
    await stage.initialize(of('30 * * * *'));
    await stage.clock.advance(hours(1));
    assert.deepEqual(stage.starts(), []);
    await stage.stop();
  });

  test('I3 H9 a due does not replace the run of a paused task', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(task({ name: 'a', cron: '* * * * *', run: callback, whileRunning: 'replace' }));
    await ask(stage, 'pause', 'a');
    await stage.clock.advance(MINUTE);
    assert.equal(runs[0].context.signal.aborted, false);
    runs[0].succeed();
    await stage.stop();
  });
});

describe('I4 cancel', () => {
  test('I4 the signal is aborted, the callback decides, and cancelled work is not retried', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const run = ({ signal }: { signal: AbortSignal }): Promise<never> =>
      until(new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
    await stage.initialize(['a', '0 12 * * *', run, MINUTE]);
    assert.match(await ask(stage, 'cancel', 'a'), /^applied: its signal is aborted/);
    const failed = stage.world.events.find((event) => event.type === 'TaskRunFailed');
    assert.deepEqual([failed?.outcome, failed?.pendingRetryUntil], ['cancelled', null]);
    await stage.clock.advance(minutes(10));
    assert.deepEqual(stage.starts(), ['a 12:00 due']);
    assert.equal(await ask(stage, 'cancel', 'a'), 'refused: it does not run');
    await stage.stop();
  });

  test('I4 a cancelled run counts as no failure: the count stays, and the log of failures says nothing', async () => {
    const lines: string[] = [];
    const say = (line: string): number => lines.push(line);
    const logger = { debug: say, info: say, warn: say, error: () => assert.fail('an error line') };
    const stage = new Stage('2026-03-02T12:00:00Z', { logger });
    const { callback, runs } = heldCallback();
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: callback, retry: false }));
    await ask(stage, 'cancel', 'a');
    runs[0].fail();
    await stage.clock.settle();
    const { failures, failingSince, pendingRetryUntil } = await stage.disk.record('a');
    assert.deepEqual([failures, failingSince, pendingRetryUntil], [0, null, null]);
    await stage.stop();
    assert.ok(lines.includes('task "a" was cancelled (attempt 1)'), lines.join('; '));
  });

  test('I4 a callback that takes no notice succeeds', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(task({ name: 'a', cron: '0 12 * * *', run: callback }));
    await ask(stage, 'cancel', 'a');
    runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual([countOf(stage, 'TaskRunCompleted'), countOf(stage, 'TaskRunFailed')], [1, 0]);
    await stage.stop();
  });
});

describe('I1 on a file', () => {
  test('I1 a request by another connection is seen, applied once and answered; a pause is in the file', async (t) => {
    const store = fileStore(t);
    const stage = new Stage(NOON, { store });
    const started = stage.world.next('TaskRunStarted');
    await stage.initialize(['a', '0 0 1 1 *', noop, 0]);
    const asked = control(store).run('a', { wait: 60_000 });
    await started;
    assert.deepEqual((await asked).state, 'applied');
    const paused = await control(store.location).pause('a', { wait: 60_000 });
    assert.deepEqual([paused.state, paused.text, paused.at], ['applied', 'paused', stage.clock.now()]);
    assert.equal((await stage.disk.record('a')).pausedAt, stage.clock.now());
    assert.deepEqual(stage.starts(), ['a 12:00:30 manual']);
    await stage.stop();
  });
});
