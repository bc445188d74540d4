/** What operators have asked for, as the page shows it: a pause of what runs, and requests that no scheduler has done. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { control, createScheduler, hours, type Registration, sqlite } from '../../src/index.ts';
import { bounded } from '../patience.ts';
import { openBrowser, visitIn } from './browser.ts';
import { atEnd, dashboardOf } from './kit.ts';

/** Due once within a day, and not soon. */
const inTwelveHours = `0 ${(new Date().getUTCHours() + 12) % 24} * * *`;

describe('what operators have asked for, on the page', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  test('I3 a task that is paused while it runs says both, and nothing is coming; I1 a request waits visibly for a scheduler', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-operators-'));
    atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
    const store = sqlite(join(folder, 'jobs.db'));
    const release = Promise.withResolvers<void>();
    const tasks: Registration[] = [['long', inTwelveHours, () => release.promise, 0]];
    const scene = await dashboardOf(t, store, { timeZone: 'UTC' });
    const scheduler = createScheduler({ store, timeZone: 'UTC', logger: false });
    await scheduler.initialize(tasks);
    atEnd(t, () => scheduler.stop());
    atEnd(t, release.resolve);
    await control(store).run('long');
    await control(store).pause('long');

    const page = await visitIn(browser, t, scene);
    const row = page.locator('.row.body').first();
    await row.getByText('running, paused').waitFor();
    await row.getByText('then not by itself').waitFor();
    assert.equal((await scene.ask('/api/tasks')).json.rows[0].next, null);
    const coming = async () => (await scene.ask(`/api/load?to=${Date.now() + hours(24)}`)).json.coming;
    assert.ok((await coming()).every((starts) => starts === 0));
    await page.getByRole('link', { name: 'long' }).click();
    await page.getByRole('heading', { name: 'Next starts, if it were not paused' }).waitFor();
    assert.equal(await page.locator('.asked').count(), 0);

    release.resolve();
    await scheduler.stop();
    const resumed = control(store).resume('long');
    await page
      .getByText(/^1 request waits for the next scheduler: resume long \(asked (now|[^)]* ago)\)$/)
      .waitFor();
    const next = createScheduler({ store, timeZone: 'UTC', logger: false });
    await next.initialize(tasks);
    atEnd(t, () => next.stop());
    assert.equal((await resumed).state, 'applied');
    await page.locator('.asked').waitFor({ state: 'detached' });
    // The answers about what is coming follow the store, as the page does.
    const sumOfComing = async () => (await coming()).reduce((sum, starts) => sum + starts, 0);
    const oneIsComing = async () => {
      while ((await sumOfComing()) !== 1);
    };
    await bounded('one start to come', oneIsComing());
  });
});
