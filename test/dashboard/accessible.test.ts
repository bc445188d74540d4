/** Whether everybody can use the page: judged by axe in both themes, on a narrow screen, and while things change. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { sampleStore } from '../../scripts/page/sample-store.ts';
import { control } from '../../src/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { openBrowser } from './browser.ts';
import { dashboardOf, later, stage } from './kit.ts';

const NOW = Date.UTC(2027, 2, 23, 13, 7, 20);
const PLACES = {
  '#/tasks': '.row.body:not(.empty)',
  '#/timeline': '.lane a',
  '#/load': '.busiest',
  '#/task/import%20catalogue': '.runs li',
  '#/monitor': '.runs li',
  '#/plan': '.names li',
  '#/instances': '.instances',
} as const;

/** All that there may be to see. */
const options = {
  now: () => NOW,
  control: true,
  tasks: [later],
  verdict: () => ({
    conformant: false,
    blame: 'environment',
    axioms: {
      S1: {
        status: 'violated',
        count: 1,
        violations: [
          {
            axiom: 'S1',
            task: 'later',
            at: NOW,
            blame: 'environment',
            because: 'the clock went backwards',
            events: [{ event: 'RunStart', at: NOW, task: 'later' }],
          },
        ],
      },
    },
  }),
};

describe('the accessibility of the page', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  /** What axe finds wrong, as texts. */
  async function judged(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    const found = await page.evaluate<axe.AxeResults>('axe.run()');
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }

  for (const scheme of ['light', 'dark'] as const) {
    test(`axe finds nothing in the ${scheme} theme`, async (t) => {
      const { url } = await dashboardOf(t, await sampleStore(NOW), options);
      const page = await browser.newPage({ colorScheme: scheme, reducedMotion: 'reduce' });
      page.setDefaultTimeout(PATIENCE_MS);
      for (const [place, content] of Object.entries(PLACES)) {
        await page.goto(`${url}${place}`);
        await page.locator(content).first().waitFor();
        assert.deepEqual(await judged(page), [], place);
      }
      await page.goto(`${url}#/task/import%20catalogue`);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await judged(page), [], 'a question');
      await page.close();
    });
  }

  test('a narrow screen shows all of it without scrolling sideways', async (t) => {
    const { url } = await dashboardOf(t, await sampleStore(NOW), options);
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    page.setDefaultTimeout(PATIENCE_MS);
    for (const [place, content] of Object.entries(PLACES)) {
      await page.goto(`${url}${place}`);
      await page.locator(content).first().waitFor();
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(width <= 360, `${place} is ${width} wide`);
    }
    await page.close();
  });

  test('nothing moves when something changes, and motion is reduced for those who ask', async (t) => {
    const { url, store } = await stage(t, [later, ['other', '0 0 1 1 *', () => {}, 0]]);
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    await page.locator('.row.body', { hasText: 'later' }).waitFor();
    await page.evaluate(`
      window.moved = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.moved += value;
      }).observe({ type: 'layout-shift' });
    `);
    await control(store).run('later', { wait: 0 });
    await page.locator('.row.body', { hasText: 'later' }).locator('.outcome.success').waitFor();
    // The measure of browsers: 0.1 is what they call good, and a row that moved by a line would be 0.01.
    const moved = await page.evaluate<number>('window.moved');
    assert.ok(moved < 0.001, `moved by ${moved}`);
    const animated = await page.evaluate('document.getAnimations().length');
    assert.equal(animated, 0);
    await page.close();
  });
});
