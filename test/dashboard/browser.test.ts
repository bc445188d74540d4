/** The page in a real Chromium, on the store of a real scheduler: what it shows, how it follows, what can be done, and what text cannot do. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { control, memory, minutes, type Registration } from '../../src/index.ts';
import { openBrowser, visitIn } from './browser.ts';
import { atEnd, dashboardOf, later, runEach, type Stage, stage } from './kit.ts';
import { recordOf } from './records.ts';

const yearly = '0 0 1 1 *';
const goodAt = (cron: string): Registration => ['good', cron, () => {}, minutes(1)];
const badAt = (cron: string): Registration => [
  'bad',
  cron,
  () => {
    throw new RangeError('no room');
  },
  minutes(30),
];
/** Until its signal is aborted. */
const long: Registration = [
  'long',
  yearly,
  ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  minutes(30),
];

describe('the page in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  const visit = (t: TestContext, scene: Stage, place?: string): Promise<Page> =>
    visitIn(browser, t, scene, place);

  const row = (page: Page, name: string) => page.locator('.row.body', { hasText: name });

  test('shows every task, follows a change by itself, searches, filters and sorts', async (t) => {
    const scene = await stage(t, [goodAt(yearly), badAt(yearly), later, long]);
    await runEach(scene, 'good', 'bad');
    const page = await visit(t, scene);
    await row(page, 'bad').locator('.outcome.failure').waitFor();
    assert.match((await row(page, 'bad').textContent()) ?? '', /bad.*retry.*(in |now).*no room/);
    assert.match(
      (await row(page, 'later').textContent()) ?? '',
      /At 00:00 on the 1st of January.*waiting.*in .*not yet/,
    );
    assert.match(await page.title(), /^\(1 failing\) Tasks · jobs\.db · Obbligato$/);

    await control(scene.store).run('later', { wait: 0 });
    await row(page, 'later').locator('.outcome.success').waitFor();
    await control(scene.store).run('long', { wait: 0 });
    await row(page, 'long').getByText('running for').waitFor();
    await control(scene.store).pause('later', { wait: 0 });
    await row(page, 'later').getByText('not by itself').waitFor();

    await page.getByRole('searchbox').fill('LAT');
    await row(page, 'good').waitFor({ state: 'detached' });
    assert.deepEqual(await page.locator('.row.body a').allTextContents(), ['later']);
    await page.getByRole('searchbox').fill('');
    await row(page, 'good').waitFor();
    await page.getByRole('button', { name: /^failing 1/ }).click();
    await row(page, 'good').waitFor({ state: 'detached' });
    assert.deepEqual(await page.locator('.row.body a').allTextContents(), ['bad']);
    await page.getByRole('button', { name: /^all/ }).click();
    await page.getByRole('button', { name: 'Task' }).click();
    await page.locator('.row.body').first().getByText('long').waitFor();
    assert.equal(
      await page.getByRole('columnheader', { name: 'Task' }).getAttribute('aria-sort'),
      'descending',
    );
  });

  test('shows one task with its runs and their stacks, its words and its starts; a keyboard is enough to run it', async (t) => {
    const scene = await stage(t, [badAt(yearly), later], { control: true });
    await runEach(scene, 'bad');
    const page = await visit(t, scene, '#/task/bad');
    await page.locator('.runs summary').first().click();
    assert.match(
      (await page.locator('.runs pre').first().textContent()) ?? '',
      /RangeError: no room\n.*browser\.test\.ts/,
    );
    assert.equal(await page.locator('.starts li:not(.change)').count(), 20);
    await page.getByText('At 00:00 on the 1st of January, Europe/Berlin time.').waitFor();

    await page.goto(`${scene.url}#/tasks`);
    await row(page, 'later').waitFor();
    const reach = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate('document.activeElement?.textContent?.trim()')) === name) return;
      }
      assert.fail(`"${name}" is not reached by Tab`);
    };
    await reach('later');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'later', level: 2 }).waitFor();
    await reach('Run now');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Run now: later?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await reach('Run now');
    await page.keyboard.press('Enter');
    await page.locator('.said', { hasText: /^later: started$/ }).waitFor();
    await page.locator('.runs li', { hasText: 'manual' }).waitFor();
  });

  test('a task that is not there leads back to those that are', async (t) => {
    const page = await visit(t, await stage(t, [later]), '#/task/nobody');
    await page.getByText('There is no such task.').waitFor();
    await page.getByRole('link', { name: 'All tasks' }).click();
    await row(page, 'later').waitFor();
  });

  test('without controls there is no button for them', async (t) => {
    const page = await visit(t, await stage(t, [later]), '#/task/later');
    await page.getByRole('heading', { name: 'later', level: 2 }).waitFor();
    assert.equal(await page.locator('.controls').count(), 0);
  });

  test('names, descriptions and errors are text, whatever they hold', async (t) => {
    const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>" onmouseover="window.hacked=1" 'javascript:window.hacked=1'`;
    const tasks: Registration[] = [
      [
        hostile,
        yearly,
        () => {
          throw Object.assign(new Error(hostile), { name: hostile });
        },
        minutes(9),
      ],
      ['#/../\u202e', yearly, () => {}, 0],
    ];
    const scene = await stage(t, tasks);
    await runEach(scene, hostile);
    const page = await visit(t, scene);
    await page.locator('.row.body a', { hasText: hostile }).first().click();
    await page.getByRole('heading', { name: 'onerror', level: 2 }).waitFor();
    await page.locator('.runs summary').first().click();
    assert.ok((await page.locator('.runs pre').first().textContent())?.includes('<img src=x'));
    for (const place of ['#/timeline', '#/load', '#/tasks', '#/task/%ff%', '#/task/<img src=x>']) {
      await page.goto(`${scene.url}${place}`);
      await page.locator('main > *').first().waitFor();
    }
    assert.equal(
      await page.evaluate(
        `[window.hacked, document.querySelectorAll('main img, main script').length].join()`,
      ),
      ',0',
    );
  });

  test('draws lanes and load of what has run and what comes', async (t) => {
    const scene = await stage(t, [goodAt('* * * * *'), badAt('* * * * *'), later]);
    await scene.until('/api/tasks', ({ rows }) => rows[0].trend.length > 0 && rows[1].trend.length > 0);
    const page = await visit(t, scene, '#/timeline');
    await page.getByRole('button', { name: '30 min' }).click();
    await page
      .locator('.lane', { hasText: 'bad' })
      .locator('path.bar.failure')
      .waitFor({ state: 'attached' });
    await page
      .locator('.lane', { hasText: 'good' })
      .getByRole('img', { name: /good: \d+ runs, 0 not successful, \d+ starts ahead/ })
      .waitFor();
    await page.getByRole('button', { name: '8 weeks' }).click();
    await page.locator('.lane', { hasText: 'good' }).locator('.dense').waitFor({ state: 'attached' });
    const legend = page.getByRole('list', { name: 'Marks' });
    const above = async (): Promise<number> => (await legend.boundingBox())?.y ?? Number.NaN;
    const lanes = (await page.locator('.lanes').boundingBox())?.y ?? Number.NaN;
    assert.ok((await above()) < lanes, 'the marks are explained above the lanes');
    for (const mark of ['cut off', 'attempts', 'retry to come', 'change of the clock', 'owed'])
      await legend.getByText(mark).waitFor();
    assert.match(await page.title(), /Timeline · /);
    await page.getByRole('link', { name: 'Load' }).click();
    await page.getByRole('img', { name: /failed runs, .* starts ahead, at most \d+ per minute/ }).waitFor();
    await page.getByRole('heading', { name: 'Starts per minute' }).waitFor();
    await legend.getByText('to come').waitFor();
    await page.getByRole('button', { name: '30 hours' }).click();
    await page.getByRole('heading', { name: 'Starts per ten minutes' }).waitFor();
    const outline = (): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('.chart .coming')).stroke`);
    assert.notEqual(await outline(), 'none');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator('.coming.thin').waitFor({ state: 'attached' });
    assert.equal(await outline(), 'none');
    await page.locator('.busiest li').first().getByText('2 starts').waitFor();
  });

  test('a token opens it, and a wrong one does not', async (t) => {
    const scene = await stage(t, [later], { token: 'a-token-of-many-characters' });
    const page = await visit(t, scene);
    await page.getByLabel('Token').fill('something else');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the token.').waitFor();
    await page.getByLabel('Token').fill('a-token-of-many-characters');
    await page.keyboard.press('Enter');
    await row(page, 'later').waitFor();
    await page.reload();
    await row(page, 'later').waitFor();
    assert.equal(await page.evaluate('document.cookie'), '');
  });

  test('a hundred thousand tasks: only what is in view exists, and the last is found by scrolling', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    await session.commit({
      puts: Array.from({ length: 100_000 }, (_, index) =>
        recordOf(`task-${String(index).padStart(5, '0')}`, index),
      ),
    });
    const page = await visit(t, await dashboardOf(t, store));
    await row(page, 'task-00000').waitFor();
    await page.getByText('100,000').first().waitFor();
    await page.locator('.scroll').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await row(page, 'task-99999').waitFor();
    assert.ok((await page.locator('.row.body').count()) < 60);
    await page.locator('.scroll').press('Home');
    await row(page, 'task-00000').waitFor();
    await page.getByRole('searchbox').fill('task-77777');
    await row(page, 'task-00000').waitFor({ state: 'detached' });
    assert.equal(await page.locator('.row.body').count(), 1);
  });
});
