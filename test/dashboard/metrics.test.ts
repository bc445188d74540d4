/** `/metrics` of a dashboard: what it has with a scheduler in the same process, and from a store alone; and who may scrape it. */
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, test } from 'node:test';
import { dashboard } from '../../src/dashboard/index.ts';
import { memory, minutes, type Registration } from '../../src/index.ts';
import { eventChannel, metrics } from '../../src/telemetry/index.ts';
import { Page } from '../telemetry/scraped.ts';
import { atEnd, dashboardOf, runEach, type Stage, stage } from './kit.ts';
import { failing, recordOf } from './records.ts';

const TOKEN = 'a-token-of-many-characters';

async function scraped({ ask }: Stage): Promise<Page> {
  const { status, text } = await ask('/metrics');
  assert.equal(status, 200);
  return new Page(text);
}

describe('the metrics of a dashboard', () => {
  test('with a scheduler in the same process they have what its events say, and what the store knows', async (t) => {
    const good: Registration = ['good', '0 0 1 1 *', () => {}, minutes(1)];
    const bad: Registration = ['bad', '0 0 1 1 *', () => Promise.reject(new Error('no')), minutes(30)];
    const scene = await stage(t, [good, bad]);
    await runEach(scene, 'good', 'bad');
    const page = await scraped(scene);
    assert.equal(page.value('obbligato_runs_total', { task: 'good', outcome: 'success' }), 1);
    assert.equal(page.value('obbligato_runs_total', { task: 'bad', outcome: 'failure' }), 1);
    assert.equal(page.value('obbligato_run_duration_seconds_count', { outcome: 'success' }), 1);
    assert.ok(Number(page.value('obbligato_store_commit_duration_seconds_count')) >= 2);
    assert.equal(page.value('obbligato_task_consecutive_failures', { task: 'bad' }), 1);
    assert.equal(page.value('obbligato_tasks_failing'), 1);
    assert.equal(page.value('obbligato_store_owned'), 1);
    assert.equal(page.value('obbligato_scheduler_up'), 1);
  });

  test('from a store alone they have states, last successes, what is next, overdue and failing, and no counts', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    await session.commit({
      puts: [
        recordOf('failing', 0),
        recordOf('paused', 7),
        { ...recordOf('owed', 1), cron: '* * * * *', servedThrough: Date.now() - minutes(10) },
      ],
    });
    const page = await scraped(await dashboardOf(t, store));
    assert.equal(page.value('obbligato_tasks', { state: 'paused' }), 1);
    assert.equal(page.value('obbligato_tasks', { state: 'owed' }), 1);
    assert.equal(page.value('obbligato_task_consecutive_failures', { task: 'failing' }), 3);
    assert.ok(Number(page.value('obbligato_task_overdue_seconds', { task: 'owed' })) >= 9 * 60);
    assert.equal(
      page.value('obbligato_task_last_success_timestamp_seconds', { task: 'paused' }),
      Date.UTC(2027, 0, 1) / 1000,
    );
    assert.ok(Number(page.value('obbligato_task_next_due_timestamp_seconds', { task: 'failing' })) > 0);
    assert.equal(page.value('obbligato_scheduler_up'), undefined);
    assert.deepEqual(page.samples('obbligato_runs_total'), []);
    const gone = await scraped(await dashboardOf(t, failing()));
    assert.equal(gone.value('obbligato_store_readable'), 0);
  });

  test('OpenMetrics for those who ask for it, plain text for the others; HEAD has no body', async (t) => {
    const { ask } = await dashboardOf(t, memory());
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';
    const open = await ask('/metrics', { headers: { accept } });
    assert.match(open.headers['content-type'] ?? '', /^application\/openmetrics-text; version=1\.0\.0/);
    assert.match(open.text, /\n# EOF\n$/);
    const plain = await ask('/metrics', { headers: { accept: 'text/html,*/*' } });
    assert.match(plain.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
    assert.doesNotMatch(plain.text, /# EOF/);
    assert.equal(plain.headers['x-frame-options'], 'DENY');
    const head = await ask('/metrics', { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await ask('/metrics', { method: 'POST' })).status, 405);
    for (const path of ['/metrics/', '/metrics/x', '/api/metrics'])
      assert.equal((await ask(path)).status, 404);
  });

  test('nobody scrapes without the token, under a name that is not ours, or from a page of another site', async (t) => {
    const guarded = await dashboardOf(t, memory(), { token: TOKEN });
    const headers = (authorization: string) => ({ headers: { authorization } });
    for (const asked of [undefined, headers('Bearer wrong-token-of-many'), headers(`Basic ${TOKEN}`)]) {
      const { status, text } = await guarded.ask('/metrics', asked);
      assert.equal(status, 401);
      assert.doesNotMatch(text, /obbligato_/);
    }
    assert.equal((await guarded.ask(`/metrics?token=${TOKEN}`)).status, 401);
    assert.equal((await guarded.ask('/metrics', headers(`Bearer ${TOKEN}`))).status, 200);
    const open = await dashboardOf(t, memory());
    for (const [name, value] of [
      ['host', 'evil.example'],
      ['origin', 'https://evil.example'],
      ['sec-fetch-site', 'cross-site'],
    ])
      assert.equal((await open.ask('/metrics', { headers: { [name]: value } })).status, 403, name);
  });

  test('names of tasks cannot break a line of the page', async (t) => {
    const hostile = 'a"} 1\n# HELP evil x\nevil{b="\\';
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    await session.commit({ puts: [recordOf(hostile, 0)] });
    const { ask } = await dashboardOf(t, store);
    const { text } = await ask('/metrics');
    assert.doesNotMatch(text, /^evil|^# HELP evil/m);
    assert.match(text, /^obbligato_task_consecutive_failures\{task="a\\"\} 1\\n# HELP evil x/m);
  });

  test('metrics of the program are answered as they are, and stay open', async (t) => {
    const store = memory();
    const measured = metrics({ store, timeZone: 'UTC' });
    atEnd(t, () => measured.close());
    measured.onEvent({ type: 'SchedulerInitializationFailed', at: 0, error: new Error('no') });
    const page = await scraped(await dashboardOf(t, store, { metrics: measured }));
    assert.equal(page.value('obbligato_initializations_total', { result: 'failure' }), 1);
    assert.throws(
      () => dashboard({ store, metrics: {} as typeof measured }),
      /metrics must be what metrics\(\) of obbligato\/telemetry makes/,
    );
    assert.throws(() => metrics({ listen: true }), /listen needs the store/);
  });

  test('a closed dashboard hears nothing more', async (t) => {
    const events = channel(eventChannel('TaskRunStarted'));
    assert.equal(events.hasSubscribers, false);
    const handler = dashboard({ store: memory() });
    atEnd(t, () => handler.close());
    assert.equal(events.hasSubscribers, true);
    await handler.close();
    assert.equal(events.hasSubscribers, false);
  });
});
