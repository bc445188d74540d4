/** A real Chromium, which `npm ci` brings along, and visits with it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';
import { chromiumProgram } from '../chromium.ts';
import { PATIENCE_MS } from '../patience.ts';
import { atEnd, type Stage } from './kit.ts';

/** Nothing but the page is to be fetched, and there may be no display and no graphics. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
];

export async function openBrowser(): Promise<Browser> {
  return driver.launch({ executablePath: await chromiumProgram(), args: FLAGS, headless: true });
}

/** A page that has loaded; whatever it complains of fails the test. */
export async function visitIn(
  browser: Browser,
  t: TestContext,
  { url }: Stage,
  place = '',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 40[14]/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  atEnd(t, async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(`${url}${place}`);
  return page;
}
