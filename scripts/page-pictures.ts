/** `npm run docs:page`: makes the pictures of the page under docs/dashboard again, in a real browser, of a made-up day. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serveDashboard } from '../src/dashboard/index.ts';
import { openBrowser } from '../test/dashboard/browser.ts';
import { sampleVerdict, sharedBy } from './page/sample-cluster.ts';
import { sampleStore } from './page/sample-store.ts';
import { buildPage } from './page.ts';

const root = join(import.meta.dirname, '..');
const folder = process.argv[2] ?? join(root, 'docs', 'dashboard');
/** A Tuesday shortly before the clocks change. */
const NOW = Date.UTC(2027, 2, 23, 13, 7, 20);

const PICTURES = [
  { file: 'tasks-light', place: '#/tasks', scheme: 'light', width: 1120, height: 640 },
  { file: 'tasks-dark', place: '#/tasks', scheme: 'dark', width: 1120, height: 640 },
  { file: 'timeline', place: '#/timeline', scheme: 'dark', width: 1120, height: 760 },
  { file: 'load', place: '#/load', scheme: 'light', width: 1120, height: 620 },
  { file: 'instances', place: '#/instances', scheme: 'light', width: 1120, height: 330 },
  { file: 'monitor', place: '#/monitor', scheme: 'dark', width: 1120, height: 500 },
  { file: 'task', place: '#/task/import%20catalogue', scheme: 'light', width: 1120, height: 760 },
] as const;

async function take(url: string): Promise<void> {
  const browser = await openBrowser();
  try {
    for (const { file, place, scheme, width, height } of PICTURES) {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme: scheme,
        timezoneId: 'Europe/Berlin',
        locale: 'en-GB',
        reducedMotion: 'reduce',
      });
      await page.clock.setFixedTime(NOW);
      await page.goto(`${url}${place}`);
      await page.locator('.link.live').waitFor();
      await page
        .locator('.row.body:not(.empty), .lane:nth-child(2), .busiest, .runs li, .instances')
        .first()
        .waitFor();
      await page.screenshot({ path: join(folder, `${file}.png`) });
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

mkdirSync(folder, { recursive: true });
await buildPage(join(root, 'src', 'dashboard'));
const store = await sampleStore(NOW);
const tasksShown = {
  store: sharedBy(store, NOW),
  verdict: () => sampleVerdict(NOW),
  title: 'acme jobs',
  timeZone: 'Europe/Berlin',
  port: 0,
  control: true,
  now: () => NOW,
};
const server = await serveDashboard(tasksShown);
await take(server.url);
await server.close();
