/** The lanes of the timeline in a real Chromium: what is drawn where. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { memory } from '../../src/index.ts';
import { openBrowser, visitIn } from './browser.ts';
import { atEnd, dashboardOf } from './kit.ts';
import { recordOf } from './records.ts';

const NOW = Date.UTC(2027, 2, 23, 13, 0);
const MINUTE = 60_000;

describe('the lanes of a timeline', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  test('runs that follow each other at once are seen apart, and states stand below each other', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    await session.commit({ puts: [recordOf('follows', 1), recordOf('waits for long', 7)] });
    for (const [place, calledAt] of [NOW - 10 * MINUTE, NOW - 5 * MINUTE].entries()) {
      const work = { key: `k${place}`, scheduledFor: calledAt, attempt: 1 };
      const facts = { runId: `r${place}`, instanceId: 'i', reason: 'due' } as const;
      const run = { ...facts, startedAt: calledAt, cutOffAt: null };
      await session.commit({ starts: [{ name: 'follows', version: 1 + 2 * place, work, run }] });
      const end = { name: 'follows', ...facts, work, calledAt, endedAt: calledAt + 5 * MINUTE } as const;
      const ended = { outcome: 'success', pendingRetryUntil: null, failures: 0 } as const;
      await session.commit({ ends: [{ ...end, ...ended, failingSince: null, error: null }] });
    }
    const scene = await dashboardOf(t, store, { now: () => NOW });
    const page = await visitIn(browser, t, scene, '#/timeline');
    await page.getByRole('button', { name: '30 min' }).click();
    // A run takes a sixth of the half hour. Until that is drawn, the lane shows the span of before.
    const bars = page.locator('.lane', { hasText: 'follows' }).locator('path.bar.success[d*="h165."]');
    await bars.waitFor({ state: 'attached' });
    const drawn = [...((await bars.getAttribute('d')) ?? '').matchAll(/M([\d.]+) \d+h([\d.]+)/g)];
    const [[, from, width], [, next]] = drawn;
    const gap = Number(next) - Number(from) - Number(width);
    assert.ok(gap >= 0.9 && gap <= 1.1, `a gap of ${gap}`);
    const places = await Promise.all(
      (await page.locator('.lane .pill').all()).map(async (pill) => (await pill.boundingBox())?.x),
    );
    assert.equal(new Set(places).size, 1);
  });
});
