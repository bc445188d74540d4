/** The documentation site in a real browser: what it asks the network for, whether its search works, and whether everyone can read it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../test/dashboard/browser.ts';
import { root } from '../../test/docs/pages.ts';
import { PATIENCE_MS } from '../../test/patience.ts';
import { serveSite } from '../serve.ts';
import { type BuiltSite, builtSite } from './built-site.ts';

/** Every kind of page: the first, a missing one, text with blocks and tables, anchors in a table, the reference. */
const KINDS = ['/index.html', '/404.html', '/operating.html', '/glossary.html', '/api/cron.html'];

/** A laptop and a telephone. */
const SCREENS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

describe('the site in a browser', () => {
  let site: BuiltSite;
  let server: Server;
  let address: string;
  let browser: Browser;

  before(async () => {
    site = await builtSite();
    ({ server, address } = await serveSite(site.folder, 0));
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    site?.remove();
  });

  /** A new page, and what is wrong with all that it shows: requests to other hosts or for what is not there, and errors. */
  async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; wrong: string[] }> {
    const page = await browser.newPage({ colorScheme });
    page.setDefaultTimeout(PATIENCE_MS);
    const wrong: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${address}/`) && !request.url().startsWith('data:'))
        wrong.push(`${page.url()} asks for ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400)
        wrong.push(`${page.url()} asks for ${response.url()}: ${response.status()}`);
    });
    page.on('pageerror', (error) => wrong.push(`${page.url()}: ${error.message}`));
    return { page, wrong };
  }

  test('no page asks another host for anything, nor for what is not there, and no program of a page fails', async () => {
    const { page, wrong } = await open();
    for (const path of site.pages.keys()) await page.goto(`${address}${path}`);
    await page.waitForLoadState('networkidle');
    await page.close();
    assert.deepEqual(wrong, []);
  });

  test('the search finds a name, and leads to its entry', async () => {
    const { page, wrong } = await open();
    await page.goto(`${address}/getting-started.html`, { waitUntil: 'networkidle' });
    await page.click('.DocSearch-Button');
    await page.fill('.search-input', 'withTimeout');
    await page.click('.result[href$="api/obbligato.html#withtimeout"]');
    await page.waitForURL('**/api/obbligato.html#withtimeout');
    await page.waitForSelector('h3#withtimeout');
    await page.close();
    assert.deepEqual(wrong, []);
  });

  test('no page scrolls sideways, on a laptop or on a telephone', async () => {
    const { page } = await open();
    const wide: string[] = [];
    for (const path of site.pages.keys()) {
      await page.goto(`${address}${path}`);
      for (const screen of SCREENS) {
        await page.setViewportSize(screen);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > screen.width) wide.push(`${path} is ${width} wide on a screen of ${screen.width}`);
      }
    }
    await page.close();
    assert.deepEqual(wide, []);
  });

  test('the table of verdicts shows every scheduler on a laptop, without scrolling', async () => {
    const { page } = await open();
    await page.setViewportSize(SCREENS[0]);
    await page.goto(`${address}/judgements.html`);
    const [shown, whole] = await page.evaluate<[number, number]>(
      `(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.querySelector('.vp-doc table'))`,
    );
    await page.close();
    assert.ok(shown > 0 && whole <= shown, `the table is ${whole} wide, and ${shown} of it are shown`);
  });

  for (const scheme of ['light', 'dark'] as const)
    test(`axe finds nothing on any kind of page, in ${scheme} colours`, async () => {
      const { page } = await open(scheme);
      const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
      const found: unknown[] = [];
      for (const path of KINDS) {
        await page.goto(`${address}${path}`);
        await page.evaluate(axe);
        found.push(...(await page.evaluate<unknown[]>(violations(path))));
      }
      assert.equal(
        await page.evaluate(`document.documentElement.classList.contains('dark')`),
        scheme === 'dark',
      );
      await page.close();
      assert.deepEqual(found, []);
    });
});

/** A program for the page: what axe finds there, each with the first place. */
const violations = (path: string): string => `
  axe.run({ runOnly: ${JSON.stringify(WCAG)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [${JSON.stringify(path)}, id, nodes[0].html, nodes[0].failureSummary]))`;
