/** `obbligato run --metrics`: what a scraper gets while a schedule runs, in a process of its own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { Page } from '../telemetry/scraped.ts';
import { begin, cli, project } from './kit.ts';

/** The tasks run by request only, so the turn of a minute adds no run. */
const CONFIG = `{ store: 'jobs.db', timeZone: 'UTC', tasks: [
  ['good', '0 0 29 2 *', () => {}, minutes(5)],
  ['bad', '0 0 29 2 *', () => { throw new Error('on purpose'); }, minutes(5)],
] }`;

/** One request, under whatever name for the host. */
async function get(url: string, host: string): Promise<{ readonly status: number; readonly body: string }> {
  const sent = request(url, { headers: { host } }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}

describe('run --metrics', () => {
  test('serves the metrics of the schedule until it ends, and says where', async () => {
    const cwd = project(CONFIG);
    const running = begin(['run', '--json', '--metrics', '0'], { cwd });
    const [, url = ''] =
      /"MetricsServed".*"url":"([^"]+)"/.exec(await running.says(/MetricsServed.*\n/)) ?? [];
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    for (const task of ['good', 'bad']) await cli(['trigger', task, '--wait', '10m'], { cwd });
    await running.says(/"TaskRunCompleted"/);
    await running.says(/"TaskRunFailed"/);
    const seen = new Page(await (await fetch(url)).text());
    assert.equal(seen.value('obbligato_runs_total', { task: 'good', outcome: 'success' }), 1);
    assert.equal(seen.value('obbligato_runs_total', { task: 'bad', outcome: 'failure' }), 1);
    assert.equal(seen.value('obbligato_scheduler_up'), 1);
    assert.equal(seen.value('obbligato_store_owned'), 1);
    assert.equal(seen.samples('obbligato_task_overdue_seconds').length, 2);
    const { host } = new URL(url);
    assert.equal((await get(url, host)).status, 200);
    assert.equal((await get(url.replace('/metrics', '/'), host)).status, 404);
    assert.equal((await get(url, 'evil.example')).status, 403);
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('a port that is taken ends the command before anything is begun', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stdout, stderr } = await cli(['run', '--metrics', String(port)], { cwd: project(CONFIG) });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      new RegExp(`^error: The metrics cannot be served at 127\\.0\\.0\\.1:${port}: .*EADDRINUSE`),
    );
    taken.close();
  });

  test('what is no port is a usage error', async () => {
    for (const wrong of ['nine', '99999', '1:2:3', '']) {
      const { code, stderr } = await cli(['run', `--metrics=${wrong}`], { cwd: project(CONFIG) });
      assert.equal(code, 2);
      assert.match(stderr, /--metrics takes a port, or a host and a port/);
    }
  });
});
