/** One page in a real Chromium: how soon something is painted, how soon the first tasks are there, and what scrolling does to it. */
import { openBrowser } from '../../test/dashboard/browser.ts';

export interface Seen {
  readonly firstPaintMs: number;
  readonly firstRowMs: number;
  /** The longest that the page held its browser up while it was scrolled; 0 if never for 50 ms, which is where browsers begin to count. */
  readonly longestTaskMs: number;
}

const STEPS = 60;
const WATCH = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask' });
`;
const FIRST_PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`;

export async function seenIn(url: string): Promise<Seen> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const begun = performance.now();
    await page.goto(url);
    await page.locator('.row.body:not(.empty)').first().waitFor();
    const firstRowMs = performance.now() - begun;
    const firstPaintMs = await page.evaluate<number>(FIRST_PAINT);
    await page.evaluate(WATCH);
    const box = page.locator('.scroll');
    await box.hover();
    for (let step = 0; step < STEPS; step++) {
      await page.mouse.wheel(0, step % 10 === 9 ? 200_000 : 700);
      await page.waitForTimeout(30);
    }
    return { firstPaintMs, firstRowMs, longestTaskMs: await page.evaluate<number>('window.longest') };
  } finally {
    await browser.close();
  }
}
