/** `obbligato dashboard` and `run --dashboard`: where they listen, who is let in, and how they end. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { buildPage } from '../../scripts/page.ts';
import { begin, freshFolder, project, root } from './kit.ts';

const URL_SAID = /http:\/\/[^\s"]+\//;

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails if it is not there
const asked = async (url: string): Promise<any> => (await fetch(url)).json();

describe('obbligato dashboard', () => {
  before(() => buildPage(join(root, 'src', 'dashboard')));

  test('run --dashboard serves the page and the tasks while it runs, and ends with it', async () => {
    const cwd = project(`{ tasks: [['greet', '* * * * *', () => {}, minutes(1)]] }`);
    const running = begin(['run', '--plain', '--dashboard', '0'], { cwd });
    const [url] = URL_SAID.exec(await running.says(URL_SAID)) ?? [];
    await running.says(/greet {2}done/);
    assert.match(await (await fetch(`${url}`)).text(), /<!doctype html>/);
    const { rows } = await asked(`${url}api/tasks`);
    assert.deepEqual([rows[0].name, rows[0].lastOutcome], ['greet', 'success']);
    assert.equal((await asked(`${url}api/state`)).mayControl, false);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
    await assert.rejects(fetch(`${url}`));
  });

  test('serves a store from another process, with what the next start would change; a signal ends it', async () => {
    const cwd = project(`{ tasks: [['greet', '* * * * *', () => {}, minutes(1)]] }`);
    const served = begin(['dashboard', '--port', '0', '--json', '--control'], { cwd });
    const facts = JSON.parse(await served.says(/\}\n$/));
    assert.deepEqual([facts.control, facts.store], [true, join(cwd, 'obbligato.db')]);
    assert.match((await asked(`${facts.url}api/state`)).trouble, /There is no store .* yet/);
    assert.deepEqual((await asked(`${facts.url}api/plan`)).added, ['greet']);
    served.child.kill('SIGINT');
    assert.equal((await served.ended).code, 0);
  });

  test('a store that is not there is said on the terminal, once, and one that is there is not', async () => {
    const cwd = freshFolder();
    const missing = begin(['dashboard', 'nothere.db', '--port', '0'], { cwd });
    await missing.says(URL_SAID);
    missing.child.kill('SIGTERM');
    const { stderr } = await missing.ended;
    assert.equal(
      stderr,
      `warning: there is no store at ${join(cwd, 'nothere.db')}; the page waits for one\n`,
    );
    writeFileSync(join(cwd, 'there.db'), '');
    const there = begin(['dashboard', 'there.db', '--port', '0'], { cwd });
    await there.says(URL_SAID);
    there.child.kill('SIGTERM');
    assert.equal((await there.ended).stderr, '');
  });

  test('another address demands a token, which is in a file and not in the address', async () => {
    const cwd = project(`{ tasks: [] }`);
    const refused = await begin(['dashboard', '--host', '0.0.0.0', '--port', '0'], { cwd }).ended;
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /can be reached from other machines: give a token by --token-file/);
    writeFileSync(join(cwd, 'token'), 'short\n');
    const short = await begin(['dashboard', '--token-file', 'token'], { cwd }).ended;
    assert.match(short.stderr, /must hold a token of at least 16 characters/);
    writeFileSync(join(cwd, 'token'), `${'secret'.repeat(5)}\n`);
    chmodSync(join(cwd, 'token'), 0o644);
    const served = begin(['dashboard', '--host', '0.0.0.0', '--port', '0', '--token-file', 'token'], { cwd });
    const [said, port] = /:(\d+)\//.exec(await served.says(URL_SAID)) ?? [];
    assert.ok(said);
    const url = `http://127.0.0.1:${port}/api/state`;
    assert.equal((await fetch(url)).status, 401);
    assert.equal(
      (await fetch(url, { headers: { authorization: `Bearer ${'secret'.repeat(5)}` } })).status,
      200,
    );
    served.child.kill('SIGTERM');
    const { stdout, stderr } = await served.ended;
    assert.doesNotMatch(stdout + stderr, /secret/);
    assert.match(stderr, /other users may read .*chmod 600/);
  });

  test('a port that is taken, and options without a meaning, are said with the way out', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const taken = await begin(['dashboard', '--port', port], { cwd: freshFolder() }).ended;
    other.close();
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /is taken: give another by --port/);
    const cwd = project(`{ tasks: [] }`);
    const alone = await begin(['run', '--control'], { cwd }).ended;
    assert.match(alone.stderr, /--control is for the page: give --dashboard too/);
    const wrong = await begin(['dashboard', '--port', '99999'], { cwd }).ended;
    assert.match(wrong.stderr, /--port takes a whole number from 0 to 65535/);
  });
});
