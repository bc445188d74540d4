/** The programs of docs/recipes.md, started as they stand there: they answer, their schedule runs, and SIGTERM ends them in order. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Words } from '../patience.ts';
import { blocks } from './pages.ts';
import { createStage, removeStage } from './stage.ts';
import { fileNameOf } from './typecheck.ts';

const run = promisify(execFile);

describe('the recipes', () => {
  const stage = createStage();
  after(() => removeStage(stage));

  /** A folder with every program of the page in it. */
  function folder(): string {
    const { jobs } = stage.place();
    for (const block of blocks.filter(({ page }) => page === 'docs/recipes.md')) {
      const name = fileNameOf(block);
      if (name !== undefined) writeFileSync(join(jobs, name), block.text);
    }
    writeFileSync(join(jobs, 'package.json'), '{ "type": "module" }');
    mkdirSync(join(jobs, 'state'));
    return jobs;
  }

  function start(file: string, cwd: string): { child: ChildProcess; words: Words } {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, [file], {
      cwd,
      env: { ...env, PORT: '0', STORE: 'state/jobs.db' },
    });
    const words = new Words();
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => words.hear(chunk));
    child.once('exit', () => words.over());
    return { child, words };
  }

  for (const file of ['express-server.ts', 'fastify-server.ts'])
    test(`${file} answers, runs its schedule, and ends at SIGTERM with 0`, async () => {
      const { child, words } = start(file, folder());
      const said = await words.says(/listening[\s\S]*port: \d+/);
      const port = /port: (\d+)/.exec(said)?.[1];
      const response = await fetch(`http://localhost:${port}/`, { headers: { connection: 'close' } });
      assert.deepEqual(await response.json(), { hello: 'world' });
      await words.says(/refreshed/);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null], words.text);
    });

  test('a replica stands by, and takes over when the owner is killed', async () => {
    const cwd = folder();
    writeFileSync(
      join(cwd, 'owner.ts'),
      `import { createScheduler, sqlite } from 'obbligato';
      const scheduler = createScheduler({ store: sqlite('jobs.db'), logger: false });
      await scheduler.initialize([]);
      console.log('owner');`,
    );
    const owner = start('owner.ts', cwd);
    await owner.words.says(/owner/);
    // The recipe as it stands, with a word when its store is its own.
    const replica = blocks.find((block) => fileNameOf(block) === 'replica.ts')?.text ?? '';
    writeFileSync(
      join(cwd, 'replica.ts'),
      replica.replace('.initialize([])', ".initialize([]).then(() => console.log('took over'))"),
    );
    const standby = start('replica.ts', cwd);
    await standby.words.says(/waits|waiting|in use/i);
    assert.doesNotMatch(standby.words.text, /took over/);
    owner.child.kill('SIGKILL');
    await standby.words.says(/took over/);
    standby.child.kill('SIGTERM');
    assert.deepEqual(await once(standby.child, 'exit'), [0, null], standby.words.text);
  });

  test('commonjs.cjs ends by itself', async () => {
    const { stderr } = await run(process.execPath, ['commonjs.cjs'], { cwd: folder() });
    assert.equal(stderr, '');
  });

  test('a heartbeat tells start, success and failure, and a monitor that is away changes nothing', async () => {
    const asked: string[] = [];
    const monitor = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(monitor, 'listening');
    const bound = monitor.address();
    const address = typeof bound === 'object' ? `http://127.0.0.1:${bound?.port}` : '';
    const { withHeartbeat } = await import(join(folder(), 'heartbeat.ts'));
    await withHeartbeat(() => {}, address)({});
    await assert.rejects(withHeartbeat(() => Promise.reject(new Error('no')), address)({}), /no/);
    monitor.closeAllConnections();
    monitor.close();
    await once(monitor, 'close');
    await withHeartbeat(() => {}, address)({});
    const runs = Map.groupBy(asked, (url) => /rid=(.*)/.exec(url)?.[1]);
    assert.deepEqual(
      [...runs.values()].map((urls) => urls.map((url) => url.replace(/\?.*/, '')).sort()),
      [
        ['/', '/start'],
        ['/fail', '/start'],
      ],
    );
  });
});
