/** `obbligato run` sends the pings that tasks of a configuration ask for, and the last one before it ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PingServer } from '../telemetry/ping-server.ts';
import { begin, project, root } from './kit.ts';

/** The task runs from the start of the schedule to its end: a minute that begins meanwhile starts nothing. */
const config = (url: string): string => `{ store: 'jobs.db', timeZone: 'UTC', tasks: [
  (await import(${JSON.stringify(`${root}/src/index.ts`)})).task({
    name: 'backup', cron: '* * * * *', run: untilStopped, retry: false, ping: ${JSON.stringify(url)},
  }),
] }`;

describe('run with pings of tasks', () => {
  test('start and end are told, also of the run that the stop waits for; nothing shows the address', async (t) => {
    const server = await PingServer.listen();
    t.after(() => server.close());
    const running = begin(['run', '--json'], { cwd: project(config(server.url('/5f1b-secret'))) });
    await running.says(/"TaskRunStarted"/);
    await server.got(1);
    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(server.paths, ['/5f1b-secret/start', '/5f1b-secret']);
    assert.doesNotMatch(stdout, /5f1b/);
  });

  test('pings that do not arrive are said, and the schedule goes on', async (t) => {
    const server = await PingServer.listen();
    t.after(() => server.close());
    server.answer = (response) => void response.writeHead(404).end();
    const running = begin(['run', '--json'], { cwd: project(config(server.url('/5f1b-secret'))) });
    const said = await running.says(/do not arrive/);
    assert.match(said, /the pings of backup do not arrive: HTTP 404/);
    assert.doesNotMatch(said, /5f1b/);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
  });
});
