/** The page when its server dies, in a real Chromium: it says so, claims nothing of now, and comes back by itself. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { type ServeOptions, serveDashboard } from '../../src/dashboard/index.ts';
import { memory, type Store } from '../../src/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { openBrowser } from './browser.ts';
import { atEnd, built } from './kit.ts';
import { recordOf } from './records.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2027, 2, 23, 13, 7, 20);

/** A store with a task that runs, held by a session as if a scheduler ran on it. */
async function runningStore(): Promise<Store> {
  const store = memory();
  const session = await store.open({ waitMs: 0 });
  const startedAt = NOW - MINUTE;
  const work = { key: 'k', scheduledFor: startedAt, attempt: 1 };
  const run = { runId: 'r', instanceId: 'i', startedAt, reason: 'due', cutOffAt: null } as const;
  await session.commit({ puts: [recordOf('calm', 1), { ...recordOf('busy', 1), work, run }] });
  return store;
}

describe('a page whose server does not answer', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
    await built;
  });
  after(() => browser.close());

  const pageAt = async (url: string): Promise<Page> => {
    const page = await browser.newPage({ timezoneId: 'UTC', locale: 'en-GB', reducedMotion: 'reduce' });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.clock.install({ time: NOW });
    await page.goto(url);
    return page;
  };

  test('says since when, counts no further, names no owner, and goes on when the server is back', async (t) => {
    const options: ServeOptions = { store: await runningStore(), port: 0, now: () => NOW };
    let server = await serveDashboard(options);
    atEnd(t, () => server.close());
    const { port, url } = server;
    const page = await pageAt(url);
    await page.locator('.link.live').waitFor();
    const busy = page.locator('.row.body', { hasText: 'busy' });
    await busy.getByText('running for 1 min').waitFor();
    await page.getByText('scheduler runs').waitFor();
    assert.equal(await page.locator('.banner').textContent(), '');
    const place = await busy.boundingBox();

    await server.close();
    const banner = page.getByRole('status').filter({ hasText: 'Not connected since 13:07' });
    await banner.waitFor();
    assert.equal(await banner.textContent(), 'Not connected since 13:07. This is what was known then.');
    const { width } = (await banner.boundingBox()) ?? { width: 0 };
    assert.equal(width, 1280);
    assert.deepEqual(await busy.boundingBox(), place, 'nothing moves');
    assert.match(await page.title(), /^\(not connected\) Tasks · /);
    await page.getByText('scheduler unknown').waitFor();
    assert.equal(await page.getByText('scheduler runs').count(), 0);
    const known = await busy.textContent();
    await page.clock.runFor(5 * MINUTE);
    assert.equal(await busy.textContent(), known);
    assert.match((await page.locator('.banner').textContent()) ?? '', /since 13:07/);
    const colour = (where: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${where}')).color`);
    assert.equal(await colour('.row.body .pill.running'), await colour('.facts'));
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`),
      [],
    );

    // A view that was never seen has nothing to show, and says so in words of ours.
    await page.goto(`${url}#/task/calm`);
    await page.getByText('The server does not answer').waitFor();
    assert.equal(await page.getByText('Failed to fetch').count(), 0);

    server = await serveDashboard({ ...options, port });
    await page.clock.runFor(5000);
    await page.getByRole('heading', { name: 'calm', level: 2 }).waitFor();
    await page.getByText('scheduler runs').waitFor();
    assert.equal(await page.locator('.banner').textContent(), '');
    assert.match(await page.title(), /calm · /);
    await page.close();
  });
});
