/** Runs without a known end, in answers and in a real Chromium: those that go on past their next due, and those that were cut off. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createScheduler, memory, minutes, type Registration, type TaskRecord } from '../../src/index.ts';
import { openBrowser, visitIn } from './browser.ts';
import { atEnd, dashboardOf } from './kit.ts';
import { recordOf } from './records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A record with a run that has begun and not ended. */
function begun(startedAt: number, changes: Partial<TaskRecord> = {}): TaskRecord {
  const run = { runId: 'first', instanceId: 'dead', startedAt, reason: 'due', cutOffAt: null } as const;
  const work = { key: 'k', scheduledFor: startedAt - 20, attempt: 1 };
  const idle = { lastSuccessAt: null, lastAttemptAt: startedAt, lastDurationMs: null };
  return { ...recordOf('slow', 1), ...idle, work, run, ...changes };
}

describe('runs without an end on the page', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  test('A13 one that stops have interrupted is no failure, says how often in a row, and starts with the next scheduler', async (t) => {
    const store = memory();
    const scheduler = createScheduler({ store, timeZone: 'UTC', logger: false });
    for (let life = 0; life < 3; life++) {
      const called = Promise.withResolvers<void>();
      const willing: Registration[2] = ({ signal }) => {
        called.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
      await scheduler.initialize([['slow', '* * * * *', willing, minutes(1)]]);
      await called.promise;
      await scheduler.stop();
    }
    const scene = await dashboardOf(t, store);
    const { rows } = await scene.until('/api/tasks', (json) => json.rows[0].state === 'interrupted');
    assert.deepEqual([rows[0].lastOutcome, rows[0].interruptions, rows[0].failures], ['interrupted', 3, 0]);
    const page = await visitIn(browser, t, scene, '#/task/slow');
    const card = (title: string) =>
      page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) });
    await card('Next start').getByText('with the next scheduler').waitFor();
    await card('Last run').getByText('interrupted').waitFor();
    await card('Last run').getByText('3 in a row').waitFor();
  });

  test('one that was cut off has an outcome and a start, and no length, in lists, lanes and its history', async (t) => {
    const store = memory();
    const startedAt = Date.now() - 2 * HOUR;
    const dead = await store.open({ waitMs: 0 });
    await dead.commit({ puts: [begun(startedAt)] });
    await dead.close();
    const scene = await dashboardOf(t, store);
    const page = await visitIn(browser, t, scene, '#/task/slow');
    const card = (title: string) =>
      page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) });
    await card('Next start').getByText('with the next scheduler').waitFor();

    const ended = Promise.withResolvers<void>();
    const slow: Registration = ['slow', '0 0 1 1 *', () => ended.promise, minutes(1)];
    const scheduler = createScheduler({ store, timeZone: 'UTC', logger: false });
    await scheduler.initialize([slow]);
    atEnd(t, () => {
      ended.resolve();
      return scheduler.stop();
    });
    const { rows } = await scene.until('/api/tasks', (json) => json.rows[0].lastOutcome === 'cut off');
    assert.deepEqual([rows[0].lastStartAt, rows[0].lastEndAt], [startedAt, null]);
    assert.deepEqual(rows[0].trend, [[0, 'cut off']]);
    const { json } = await scene.ask(
      `/api/timeline?from=${startedAt - HOUR}&to=${startedAt + 3 * HOUR}` as const,
    );
    assert.deepEqual(json.lanes[0].bars, [[startedAt, startedAt, 'cut off', 1, 1]]);

    await card('Last run').getByText('cut off').waitFor();
    await card('Last run').getByText('its end is not known').waitFor();
    await card('Durations').getByText('one run, cut off').waitFor();
    const item = page.locator('.runs li', { hasText: 'cut off' });
    await item.waitFor();
    assert.equal(await item.locator('.run > .num').textContent(), '');

    await page.goto(`${scene.url}#/timeline`);
    await page.getByRole('button', { name: '12 h' }).click();
    await page.locator('.lane path.open-end[d^=M]').waitFor({ state: 'attached' });
    const bar = await page.locator('.lane path.bar.cut-off').getAttribute('d');
    assert.match(bar ?? '', /^M[\d.]+ 6h2\.50V25h-2\.50z$/);
  });

  test('one that goes on past its next due is followed at once, unless that is skipped', async (t) => {
    const store = memory();
    const NOW = Date.UTC(2027, 2, 23, 19, 34, 20);
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    const record = begun(NOW - 230_000, { cron: '* * * * *', servedThrough: NOW - 7 * MINUTE });
    const skipping = { ...record, name: 'skipping', policy: '{"whileRunning":"skip"}' };
    await session.commit({ puts: [record, skipping] });
    const scene = await dashboardOf(t, store, { now: () => NOW });
    const page = await visitIn(browser, t, scene, '', { timezoneId: 'UTC', locale: 'en-GB' });
    await page.clock.setFixedTime(NOW);
    await page.locator('.row.body', { hasText: 'slow' }).getByText('then at once (due 19:31)').waitFor();
    await page.locator('.row.body', { hasText: 'skipping' }).getByText('19:31 is skipped').waitFor();
    await page.locator('.row.body', { hasText: 'slow' }).getByText('2 min 30 s late').waitFor();

    await page.goto(`${scene.url}#/task/slow`);
    const first = page.locator('.runs li').first();
    await first.getByText('running').waitFor();
    await first.getByText(/^3 min 50 s$/).waitFor();
    await first.getByText(/due again since .*19:31/).waitFor();
  });
});
