/** The views of a monitor, of a deploy, of a cluster, and of what programs write, in a real Chromium, with what real schedulers do. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { AXIOMS } from '../../page/axioms.ts';
import { command, createScheduler, memory, minutes, type Registration } from '../../src/index.ts';
import { postgres } from '../../src/postgres.ts';
import { axioms, createMonitor } from '../../src/theory/index.ts';
import { Fleet } from '../cluster/fleet.ts';
import { bounded } from '../patience.ts';
import { freshSchema, startServer } from '../store/postgres/server.ts';
import { openBrowser, visitIn } from './browser.ts';
import { atEnd, control, dashboardOf, ours, type Stage } from './kit.ts';

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
const yearly = '0 0 1 1 *';

/** Nothing of a text has become markup. */
async function assertHarmless(page: Page): Promise<void> {
  const made = `[window.hacked, document.querySelectorAll('main img, main script').length].join()`;
  assert.equal(await page.evaluate(made), ',0');
}

describe('the views of the page in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());
  const visit = (t: TestContext, scene: Stage, place: string): Promise<Page> =>
    visitIn(browser, t, scene, place);

  test('the verdict of a monitor: the axiom, the task, whose fault, the events; names are text', async (t) => {
    const monitor = createMonitor();
    const store = memory();
    const ran = Promise.withResolvers<void>();
    const scheduler = createScheduler({
      store,
      logger: false,
      // A recorder that writes each start twice: the monitor must say that a task overlapped itself.
      trace: (record) => {
        monitor.sink(record);
        if (record.event === 'RunStart') monitor.sink({ ...record, runId: `${record.runId} again` });
        if (record.event === 'RunSuccess') ran.resolve();
      },
    });
    const scene = await dashboardOf(t, store, { verdict: () => monitor.verdict(), control: true });
    await scheduler.initialize([[HOSTILE, yearly, () => {}, 0]]);
    atEnd(t, () => scheduler.stop());
    const page = await visit(t, scene, '#/monitor');
    await page.getByText('Nothing is violated.').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Violations' }).count(), 0);
    const axiom = page.locator('.axioms li', { hasText: 'Start safety' });
    assert.match((await axiom.textContent()) ?? '', /^S1Start safety(holds|vacuous|undecided)/);
    assert.equal(await page.locator('.axioms li').count(), Object.keys(monitor.verdict().axioms).length);
    await scene.ask('/api/control', control(ours, JSON.stringify({ kind: 'run', task: HOSTILE })));
    await bounded('a run', ran.promise);
    const first = page.locator('.runs li').first();
    await first.waitFor();
    await first.getByRole('link', { name: HOSTILE }).waitFor();
    assert.match((await first.textContent()) ?? '', /\((scheduler|environment|outside)\)/);
    await first.locator('summary').click();
    await first.locator('ol li', { hasText: 'RunStart' }).first().waitFor();
    await assertHarmless(page);
  });

  test('the page names every axiom as the theory does', () => {
    assert.deepEqual(AXIOMS, Object.fromEntries(axioms.map(({ id, name }) => [id, name])));
  });

  test('the plan of a deploy: what it adds, changes, forgets and starts; names are text', async (t) => {
    const store = memory();
    const scheduler = createScheduler({ store, timeZone: 'Europe/Berlin', logger: false });
    const kept: Registration = ['kept', yearly, () => {}, 0];
    const tasks: Registration[] = [
      kept,
      ['changed', '* * * * *', () => {}, 1000],
      [HOSTILE, yearly, () => {}, 0],
    ];
    const scene = await dashboardOf(t, store, { tasks });
    await scheduler.initialize([
      kept,
      ['changed', yearly, () => {}, 0],
      [`old ${HOSTILE}`, yearly, () => {}, 0],
    ]);
    await scheduler.stop();
    const page = await visit(t, scene, '#/plan');
    await page.getByText('would add 1, change 1 and forget 1 tasks, and leave 1 as they are').waitFor();
    const card = (title: string) =>
      page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) });
    assert.deepEqual(await card('Added').locator('li').allTextContents(), [HOSTILE]);
    assert.deepEqual(await card('Forgotten, with their state').locator('li').allTextContents(), [
      `old ${HOSTILE}`,
    ]);
    assert.deepEqual(await card('Changed').locator('li').allTextContents(), [
      `changedcron ${yearly} → * * * * *retry after 0 ms → 1.0 s`,
    ]);
    await assertHarmless(page);
  });

  test('what a program has written, by run; markup in it is text', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-output-'));
    atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
    const store = memory();
    const script = 'console.log(process.argv[1]); console.error("to stderr"); process.exit(3)';
    const run = command(process.execPath, ['-e', script, '--', HOSTILE], { directory: join(folder, 'kept') });
    const tasks: Registration[] = [
      ['program', yearly, run, minutes(60)],
      ['plain', yearly, () => {}, 0],
    ];
    const scheduler = createScheduler({ store, logger: false });
    const scene = await dashboardOf(t, store, { tasks, control: true });
    await scheduler.initialize(tasks);
    atEnd(t, () => scheduler.stop());
    await scene.ask('/api/control', control(ours, JSON.stringify({ kind: 'run', task: 'program' })));
    const page = await visit(t, scene, '#/task/program');
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Output' }) });
    await card.getByText('ended after').waitFor();
    assert.equal(await card.locator('.stdout').textContent(), `${HOSTILE}\n`);
    assert.equal(await card.locator('.stderr').textContent(), 'to stderr\n');
    await card.getByText(/exit.*3/).waitFor();
    await assertHarmless(page);
    assert.deepEqual((await scene.ask('/api/output?name=plain')).json.runs, []);
    assert.equal((await scene.ask('/api/output?name=..%2F..')).status, 404);
  });

  test('K1, K3 the instances of a cluster, with their leases, their clock and what they run', async (t) => {
    const server = await startServer();
    atEnd(t, () => server.stop());
    const schema = freshSchema();
    const fleet = new Fleet(t, server.url, schema);
    fleet.outcome = 'held';
    for (const id of ['a', 'b']) await fleet.begin(id, [['held', yearly, 0]]);
    const scene = await dashboardOf(t, postgres(server.url, { schema }), { control: true });
    await scene.ask('/api/control', control(ours, '{"kind":"run","task":"held"}'));
    const { instances } = await scene.until('/api/instances', (json) =>
      json.instances.some(({ running }) => running === 1),
    );
    assert.deepEqual(
      instances.map(({ host, pid }) => [host, pid]),
      [
        [hostname(), process.pid],
        [hostname(), process.pid],
      ],
    );
    assert.ok(instances.every(({ leaseLeftMs }) => leaseLeftMs > 0));
    assert.ok(instances.every(({ aheadMs }) => aheadMs !== null));
    const page = await visit(t, scene, '');
    await page.getByRole('link', { name: 'Instances' }).click();
    await page.getByText('2 instances share this store.').waitFor();
    await page.getByRole('link', { name: '2 schedulers run' }).waitFor();
    assert.equal(await page.locator('.instances tbody tr').count(), 2);
    const { text } = await scene.ask('/metrics');
    assert.match(text, /^obbligato_instances 2$/m);
    assert.match(text, /^obbligato_instance_runs_active\{instance_id="[^"]+"\} 1$/m);
    assert.match(text, /^obbligato_instance_lease_remaining_seconds\{instance_id="[^"]+"\} [\d.]+$/m);
    assert.match(text, /^obbligato_clock_offset_seconds -?[\d.e-]+$/m);
    fleet.release();
    await fleet.stop();
    await page.getByText('0 instances share this store.').waitFor();
  });
});
