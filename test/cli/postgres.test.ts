/** The command line on PostgreSQL: two processes run one schedule, and every command sees both. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { temporaryFolder } from '../store/kit.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { begin, obbligato, writeConfig } from './commands-kit.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('K1 run, status, history, list and plan work on a database as on a file', async (t) => {
  const folder = await temporaryFolder(t);
  const store = `${server.url}#${freshSchema()}`;
  writeConfig(folder, `timeZone: 'UTC', tasks: [['greet', '* * * * *', () => {}, 1000]]`);
  const where = { cwd: folder };
  const first = begin(t, ['run', '--store', store, '--json'], where);
  await first.says(/"TaskRunCompleted"/);
  const second = begin(t, ['run', '--store', store, '--json'], where);
  await second.says(/"SchedulerInitializationCompleted"/);
  const ask = async (...words: readonly string[]): Promise<string> => {
    const { code, out: stdout, err: stderr } = await obbligato(t, words, where);
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    assert.ok(!`${stdout}${stderr}`.includes('secret-word'), 'G5 no password');
    return stdout;
  };
  const status = await ask('status', store, '--json');
  assert.match(status, /"greet"/);
  assert.equal(JSON.parse(status).members.length, 2);
  const [one, other] = [first, second].map(({ child }) => `pid ${child.pid}, since [^;]+`);
  assert.match(
    await ask('status', store),
    new RegExp(`: 2 schedulers share it \\(${one}; ${other}\\), 1 task`),
  );
  assert.match(await ask('history', '--store', store, '--json'), /"greet"/);
  assert.match(await ask('list', '--store', store, '--json'), /greet/);
  assert.match(await ask('plan', '--store', store, '--json'), /./);
  for (const running of [first, second]) {
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
  }
});
