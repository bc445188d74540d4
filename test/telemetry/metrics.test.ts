/** The metrics of a real scheduler on the test clock, scraped and read by a parser of the format. It begins at 12:00:30. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hours, minutes, type Store, seconds, task } from '../../src/index.ts';
import { seriesOf } from '../../src/telemetry/catalogue.ts';
import { METRICS, type Metric, metrics, OTHERS } from '../../src/telemetry/index.ts';
import { Page } from './scraped.ts';
import { fails, stage } from './stage.ts';

describe('metrics of events', () => {
  test('every series is there at 0 from the first scrape, for every task that has series of its own', async () => {
    const { clock, scheduler, page, measured } = stage({ tasks: 2 });
    const list = ['a', 'b', 'c'].map((name) => [name, '0 0 1 1 *', fails, minutes(1)] as const);
    assert.deepEqual((await page()).samples('obbligato_runs_total'), [], 'no scheduler was heard');
    await scheduler.initialize(list.map(([...each]) => each));
    await clock.advance(seconds(6)); // a look at the store serves everybody for five seconds
    const seen = await page();
    const counters = Object.values<Metric>(METRICS).filter(
      ({ from, kind }) => from === 'events' && kind === 'counter',
    );
    for (const metric of counters) {
      const expected = seriesOf(metric, ['a', 'b', OTHERS]);
      assert.equal(seen.samples(metric.name).length, expected.length, metric.name);
      for (const values of expected) {
        const labels = Object.fromEntries(metric.labels.map((label, place) => [label, values[place] ?? '']));
        const isOne = metric.name === 'obbligato_initializations_total' && values[0] === 'success';
        assert.equal(seen.value(metric.name, labels), isOne ? 1 : 0, `${metric.name} ${values.join()}`);
      }
    }
    const durations = (await measured.text()).match(/^obbligato_run_duration_seconds_count\{.*\} 0$/gm);
    assert.equal(durations?.length, seriesOf(METRICS.duration, []).length);
    const stopped = scheduler.stop();
    await clock.advance(minutes(1));
    await stopped;
    measured.close();
  });

  test('G4 starts by reason, ends by outcome, durations, and what runs now', async () => {
    const { clock, scheduler, page, measured } = stage();
    await scheduler.initialize([
      ['good', '* * * * *', () => clock.sleep(seconds(2)), 0],
      ['bad', '2 12 * * *', fails, 30_000],
      task({ name: 'hopeless', cron: '2 12 * * *', run: fails, retry: false }),
      task({ name: 'slow', cron: '3 12 * * *', run: () => clock.sleep(minutes(9)), timeout: minutes(1) }),
    ]);
    await clock.advance(minutes(3));
    await clock.advance(seconds(1));
    const seen = await page();
    assert.equal(seen.value('obbligato_run_starts_total', { task: 'good', reason: 'due' }), 4);
    assert.equal(seen.value('obbligato_run_starts_total', { task: 'bad', reason: 'due' }), 1);
    assert.equal(seen.value('obbligato_run_starts_total', { task: 'bad', reason: 'retry' }), 3);
    assert.equal(seen.value('obbligato_runs_total', { task: 'bad', outcome: 'failure' }), 4);
    assert.equal(seen.value('obbligato_runs_total', { task: 'hopeless', outcome: 'gave_up' }), 1);
    assert.equal(seen.value('obbligato_runs_active'), 1);
    assert.equal(seen.value('obbligato_scheduler_up'), 1);
    const succeeded = { outcome: 'success' };
    assert.equal(seen.value('obbligato_run_duration_seconds_count', succeeded), 4);
    assert.equal(seen.value('obbligato_run_duration_seconds_sum', succeeded), 8);
    assert.equal(seen.atMost('obbligato_run_duration_seconds', 1, succeeded), 0);
    assert.equal(seen.atMost('obbligato_run_duration_seconds', 2.5, succeeded), 4);
    assert.equal(seen.atMost('obbligato_run_duration_seconds', '+Inf', succeeded), 4);
    const stopped = scheduler.stop();
    await clock.advance(minutes(10));
    await stopped;
    const after = await page();
    assert.equal(after.value('obbligato_runs_active'), 0);
    assert.equal(after.value('obbligato_scheduler_up'), 0);
    assert.equal(after.value('obbligato_runs_total', { task: 'slow', outcome: 'timed_out' }), 1);
    measured.close();
  });

  test('H4, A8 late starts and where their time went, skipped dues, overtaken retries', async () => {
    const { clock, scheduler, page, measured } = stage();
    await scheduler.initialize([
      ['late', '5 12 * * *', () => {}, 0],
      ['bad', '0,10 12 * * *', fails, minutes(30)],
      task({ name: 'picky', cron: '5 12 * * *', run: () => {}, startWithin: seconds(10) }),
    ]);
    await clock.advance(seconds(1));
    clock.burn(minutes(5)); // until 12:05:31: as if a callback held the event loop
    await clock.advance(minutes(5));
    const seen = await page();
    assert.equal(seen.value('obbligato_late_starts_total', { task: 'late' }), 1);
    assert.ok((seen.value('obbligato_late_start_seconds_total', { cause: 'unnoticed' }) ?? 0) >= 30);
    assert.equal(seen.value('obbligato_dues_skipped_total', { task: 'picky', why: 'late' }), 1);
    assert.equal(seen.value('obbligato_retries_preempted_total', { task: 'bad' }), 1);
    const count = seen.value('obbligato_run_start_delay_seconds_count') ?? 0;
    const within15s = seen.atMost('obbligato_run_start_delay_seconds', 15) ?? 0;
    assert.equal(count - within15s, 1, 'one start was later than 15 s');
    await scheduler.stop();
    measured.close();
  });

  test('B5, E8 steps of the clock, trouble of the store, durable batches', async () => {
    const { clock, scheduler, page, measured, store } = stage();
    await scheduler.initialize([['a', '* * * * *', () => {}, 0]]);
    await clock.step(hours(1));
    await clock.advance(minutes(1));
    const seen = await page();
    assert.equal(seen.value('obbligato_clock_steps_total', { direction: 'forward' }), 1);
    assert.equal(seen.value('obbligato_store_trouble'), 0);
    assert.ok((seen.value('obbligato_store_commit_duration_seconds_count') ?? 0) >= 2);
    assert.ok((seen.value('obbligato_store_batch_changes_sum') ?? 0) >= 2);
    measured.onEvent({ type: 'StoreTroubleStarted', at: 0, error: new Error(store.location) });
    assert.equal((await page()).value('obbligato_store_trouble'), 1);
    measured.onEvent({ type: 'StoreTroubleEnded', at: 0, sinceMs: 5 });
    const ended = await page();
    assert.deepEqual(
      [ended.value('obbligato_store_trouble'), ended.value('obbligato_store_troubles_total')],
      [0, 1],
    );
    await scheduler.stop();
    measured.close();
  });

  test('E8 a stop ends the trouble of the store: nobody waits for it any more', async () => {
    const { scheduler, page, measured, store } = stage();
    await scheduler.initialize([['a', '* * * * *', () => {}, 0]]);
    measured.onEvent({ type: 'StoreTroubleStarted', at: 0, error: new Error(store.location) });
    assert.equal((await page()).value('obbligato_store_trouble'), 1);
    await scheduler.stop();
    assert.equal((await page()).value('obbligato_store_trouble'), 0);
    measured.close();
  });

  test('I5 a scheduler that reloads is up once', async () => {
    const { scheduler, page, measured } = stage({}, { reload: true });
    for (const cron of ['* * * * *', '0 * * * *', '1 * * * *']) {
      await scheduler.initialize([['a', cron, () => {}, 0]]);
      assert.equal((await page()).value('obbligato_scheduler_up'), 1);
    }
    await scheduler.stop();
    assert.equal((await page()).value('obbligato_scheduler_up'), 0);
    measured.close();
  });
});

describe('metrics of the store', () => {
  test('A1 what is overdue, failing and next, from a process that has no scheduler', async () => {
    const { clock, scheduler, store, measured } = stage();
    await scheduler.initialize([
      ['hourly', '0 * * * *', () => {}, 0],
      ['bad', '1 12 * * *', fails, minutes(1)],
      ['never', '0 0 1 6 *', () => {}, 0],
    ]);
    await clock.advance(minutes(1));
    await clock.crash();
    await clock.advance(hours(1));
    measured.close();
    // 13:01:30. Nobody has started the hour's run since 13:00, nor the retry since 12:02:00.
    const outside = metrics({ store, clock, timeZone: 'UTC' });
    const seen = new Page(await outside.text());
    assert.equal(seen.value('obbligato_task_overdue_seconds', { task: 'hourly' }), 90);
    assert.equal(seen.value('obbligato_task_overdue_seconds', { task: 'bad' }), 59 * 60 + 30);
    assert.equal(seen.value('obbligato_task_overdue_seconds', { task: 'never' }), 0);
    assert.equal(seen.value('obbligato_task_consecutive_failures', { task: 'bad' }), 1);
    assert.equal(seen.value('obbligato_tasks_failing'), 1);
    assert.equal(seen.value('obbligato_tasks', { state: 'owed' }), 2);
    assert.equal(seen.value('obbligato_tasks', { state: 'waiting' }), 1);
    assert.equal(seen.value('obbligato_store_readable'), 1);
    const next = Date.parse('2026-06-01T00:00:00Z') / 1000;
    assert.equal(seen.value('obbligato_task_next_due_timestamp_seconds', { task: 'never' }), next);
    const failedAt = Date.parse('2026-01-01T12:01:00Z') / 1000;
    assert.equal(seen.value('obbligato_task_last_failure_timestamp_seconds', { task: 'bad' }), failedAt);
    assert.equal(seen.value('obbligato_task_last_success_timestamp_seconds', { task: 'bad' }), undefined);
    assert.equal(seen.value('obbligato_task_info', { task: 'bad', cron: '1 12 * * *', time_zone: 'UTC' }), 1);
    assert.equal(seen.value('obbligato_runs_total'), undefined, 'there were no events here');
    assert.equal(seen.value('obbligato_scheduler_up'), undefined);
    outside.close();
  });

  test('A5, F3 a due that comes while the task hangs is overdue; one that is skipped is not', async () => {
    const { clock, scheduler, page, measured } = stage();
    const hang = (): Promise<void> => clock.until(new Promise(() => {}));
    await scheduler.initialize([
      ['hung', '* * * * *', hang, 0],
      task({ name: 'skips', cron: '* * * * *', run: hang, whileRunning: 'skip' }),
    ]);
    await clock.advance(minutes(10)); // 12:10:30; both run since 12:00:30
    const seen = await page();
    assert.equal(seen.value('obbligato_task_overdue_seconds', { task: 'hung' }), 9 * 60 + 30);
    assert.equal(seen.value('obbligato_task_overdue_seconds', { task: 'skips' }), 0);
    assert.equal(seen.value('obbligato_tasks', { state: 'running' }), 2);
    measured.close();
    await clock.crash();
  });

  test('H4 what is too old to be served is not overdue', async () => {
    const { clock, scheduler, store, measured } = stage();
    await scheduler.initialize([
      task({ name: 'picky', cron: '5 12 * * *', run: () => {}, startWithin: minutes(10) }),
    ]);
    await clock.crash();
    await clock.advance(minutes(6));
    measured.close();
    const outside = metrics({ store, clock, timeZone: 'UTC' });
    const overdue = async (): Promise<number | undefined> =>
      new Page(await outside.text()).value('obbligato_task_overdue_seconds', { task: 'picky' });
    assert.equal(await overdue(), 90);
    await clock.advance(minutes(9)); // 12:15:30
    assert.equal(await overdue(), 0);
    outside.close();
  });

  test('a store that cannot be read is a metric, and the rest of the page is there', async () => {
    const measured = metrics({ store: '/nowhere/at all.db', timeZone: 'UTC' });
    const seen = new Page(await measured.text());
    assert.equal(seen.value('obbligato_store_readable'), 0);
    assert.equal(seen.value('obbligato_tasks_failing'), undefined);
    assert.equal(seen.samples('obbligato_build_info').length, 1);
    measured.close();
  });

  test('however often it is scraped, the store is looked into once per five seconds', async () => {
    const { clock, scheduler, store, measured } = stage();
    await scheduler.initialize([['a', '* * * * *', () => {}, 0]]);
    let looks = 0;
    const watched: Store = {
      location: store.location,
      open: (options) => store.open(options),
      inspect: () => {
        looks++;
        return store.inspect?.() ?? Promise.reject(new Error('it cannot be inspected'));
      },
    };
    const inspected = metrics({ store: watched, clock, timeZone: 'UTC' });
    await Promise.all([inspected.text(), inspected.text('openmetrics')]);
    await inspected.text();
    assert.equal(looks, 1);
    await clock.advance(seconds(6));
    await inspected.text();
    assert.equal(looks, 2);
    await scheduler.stop();
    inspected.close();
    measured.close();
  });
});
