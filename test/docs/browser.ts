/** A real browser, for what only a browser can say of a page: what it asks the network for, and what is drawn. */
import { type Browser, chromium as driver } from 'playwright-core';
import { chromiumProgram } from '../chromium.ts';

/** Not with the arguments that its package proposes: with them all is one process, which ends with the first page that is closed. */
export const openBrowser = async (): Promise<Browser> =>
  driver.launch({
    executablePath: await chromiumProgram(),
    args: ['--no-sandbox', '--disable-gpu'],
    headless: true,
  });
