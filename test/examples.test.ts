/** The examples of whole schedules, on the built files, as a user would run them: terminated and killed for real. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { inspect } from '../src/index.ts';
import { program, type Running } from './cli/commands-kit.ts';

const run = promisify(execFile);
const root = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'obbligato-examples-'));
const built = join(folder, 'node_modules', 'obbligato');

before(async () => {
  mkdirSync(built, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(built, 'package.json'));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', join(built, 'dist')], {
    cwd: root,
  });
  await run(process.execPath, ['scripts/enclose.ts', join(built, 'dist')], { cwd: root });
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of an example's folder, which no other test sees. */
function copyOf(example: string): string {
  const copy = mkdtempSync(join(folder, `${example}-`));
  cpSync(join(root, 'examples', example), copy, {
    recursive: true,
    filter: (path) => !/\.(db|obbligato|lock)/.test(path),
  });
  return copy;
}

const schedule = (t: TestContext, cwd: string, env: Record<string, string> = {}): Running =>
  program(t, [join(built, 'dist/cli/main.js'), 'run'], { cwd, env });

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

const listed = (path: string): string[] => readdirSync(path).sort();

describe('examples/backup', { concurrency: 2 }, () => {
  const unpacked = async (archive: string): Promise<Record<string, string>> => {
    const into = mkdtempSync(join(folder, 'unpacked-'));
    await run('tar', ['-xzf', archive, '-C', into]);
    return Object.fromEntries(listed(into).map((name) => [name, readFileSync(join(into, name), 'utf8')]));
  };

  test('packs what is there, and again under the same name after kill -9 in the middle', async (t) => {
    const cwd = copyOf('backup');
    const first = schedule(t, cwd);
    await first.says(/backup {2}│ packing data, attempt 1/);
    await kill(first);
    const second = schedule(t, cwd);
    const said = await second.says(/backup {2}│ packed 2 files into .*\n/);
    assert.match(said, /backup {2}started again, its last run was cut off/);
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
    const backups = listed(join(cwd, 'backups')).filter((name) => name !== '.contents');
    for (const name of backups) {
      assert.match(name, /^\d{8}T\d{6}\.000Z\.tar\.gz$/, 'nothing half done lies about');
      assert.deepEqual(Object.keys(await unpacked(join(cwd, 'backups', name))), ['notes.txt', 'orders.csv']);
    }
    const minutes = [...said.matchAll(/packed 2 files into backups\/(\S+)/g)].map(([, name]) => name);
    assert.ok(minutes.length > 0 && minutes.every((name) => backups.includes(name)));
  });

  test('fails while the folder is not there, and is tried again until it is', async (t) => {
    const cwd = copyOf('backup');
    const running = schedule(t, cwd, { BACKUP_FROM: 'away' });
    await running.says(/backup {2}failed.*exited with/);
    cpSync(join(cwd, 'data'), join(cwd, 'away'), { recursive: true });
    const said = await running.says(/backup {2}│ packed 2 files into .*\n/);
    // By a retry; or by its next due, if the minute was over before the retry was due (A8).
    assert.match(said, /packing away, attempt [2-9]|is due before its retry/);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
    const [name] = listed(join(cwd, 'backups')).filter((each) => each.endsWith('.tar.gz'));
    const { 'notes.txt': notes } = await unpacked(join(cwd, 'backups', name));
    assert.equal(notes, readFileSync(join(root, 'examples/backup/data/notes.txt'), 'utf8'));
  });

  test('keeps the newest seven', async () => {
    const cwd = copyOf('backup');
    for (let minute = 10; minute < 20; minute++) {
      const env = {
        ...process.env,
        OBBLIGATO_ATTEMPT: '1',
        OBBLIGATO_SCHEDULED_FOR: `2027-03-01T02:${minute}:00.000Z`,
      };
      await run('./backup.sh', { cwd, env });
    }
    const kept = listed(join(cwd, 'backups')).filter((name) => name.endsWith('.tar.gz'));
    assert.deepEqual(
      kept.map((name) => name.slice(0, 13)),
      ['13', '14', '15', '16', '17', '18', '19'].map((minute) => `20270301T02${minute}`),
    );
  });
});

describe('examples/report', { concurrency: 2 }, () => {
  /** The keys under which something was sent, in the order in which it was; those that were recognised are not among them. */
  const sentIn = (said: string): string[] =>
    [...said.matchAll(/│ sent, key (\S+), attempt/g)].map(([, key]) => key);

  test('A10 a failed attempt does not send twice', async (t) => {
    const cwd = copyOf('report');
    const running = schedule(t, cwd);
    const said = await running.says(/│ sent before, not again, key \S+, attempt 2/);
    assert.match(said, /report {2}failed.*the connection was lost before the answer came/);
    const [, key] = /│ sent before, not again, key (\S+),/.exec(said) ?? [];
    assert.ok(sentIn(said).includes(key), 'by the first attempt');
    running.child.kill('SIGTERM');
    const { code, out } = await running.ended;
    assert.equal(code, 0);
    // A minute may have begun meanwhile, with a report of its own: each is there once, and no draft is.
    assert.deepEqual(
      listed(join(cwd, 'outbox')),
      sentIn(out)
        .map((each) => `${each}.txt`)
        .sort(),
    );
  });

  test('A10 nor does a crash right after it was sent', async (t) => {
    const cwd = copyOf('report');
    const first = schedule(t, cwd);
    const before = await first.says(/│ sent, key \S+, attempt 1/);
    await kill(first);
    const second = schedule(t, cwd);
    const said = await second.says(/│ sent before, not again, key \S+, attempt 2/);
    assert.match(said, /report {2}started again, its last run was cut off/);
    second.child.kill('SIGTERM');
    const { code, out } = await second.ended;
    assert.equal(code, 0);
    const sent = [...sentIn(before), ...sentIn(out)].map((key) => `${key}.txt`);
    assert.deepEqual(listed(join(cwd, 'outbox')), sent.sort());
  });
});

describe('examples/service', { concurrency: 2 }, () => {
  const service = (t: TestContext, cwd: string): Running =>
    program(t, ['service.ts'], { cwd, env: { PORT: '0' } });
  const urlIn = (said: string): string => /listening on (http:\S+)/.exec(said)?.[1] ?? '';

  test('answers, and at SIGTERM takes no more requests, lets the run end, and exits with 0', async (t) => {
    const cwd = copyOf('service');
    const running = service(t, cwd);
    const url = urlIn(await running.says(/listening on http:\S+\n/));
    const health = await fetch(`${url}/health`);
    assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
    await running.says(/refresh: begun/);
    running.child.kill('SIGTERM');
    const soFar = await running.says(/stopping: no more requests/);
    assert.doesNotMatch(soFar, /refresh: done/);
    await assert.rejects(fetch(`${url}/health`), 'it is closed while the run goes on');
    const { code, out, err } = await running.ended;
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /stopping: .*\nrefresh: done, 1[01]\.\d{4}\nstopped\n$/);
    const { records } = await inspect(join(cwd, 'service.db'));
    assert.deepEqual(
      [records[0].run, records[0].lastSuccessAt === null],
      [null, false],
      'nothing was cut off',
    );
  });

  test('what kill -9 has cut off is begun again by the next process, which then answers with its result', async (t) => {
    const cwd = copyOf('service');
    const first = service(t, cwd);
    await first.says(/refresh: begun/);
    await kill(first);
    assert.notEqual((await inspect(join(cwd, 'service.db'))).records[0].run, null);
    const second = service(t, cwd);
    const said = await second.says(/listening[\s\S]*refresh: done, \S+\n/);
    const rate = /done, (\S+)/.exec(said)?.[1];
    assert.deepEqual(await (await fetch(urlIn(said))).json(), { exchangeRate: rate });
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
  });

  test('a port that is taken ends it with 1, in order', async (t) => {
    const first = service(t, copyOf('service'));
    const { port } = new URL(urlIn(await first.says(/listening on http:\S+\n/)));
    const second = program(t, ['service.ts'], { cwd: copyOf('service'), env: { PORT: port } });
    const { code, err } = await second.ended;
    assert.equal(code, 1);
    assert.match(err, /EADDRINUSE/);
  });
});
