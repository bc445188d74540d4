/** The command line when its store is taken away, replaced, taken over, or owned by somebody who can be named. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { sqlite } from '../../src/store/index.ts';
import { begin, cli, project } from './kit.ts';

describe('a store in other hands', { concurrency: 2 }, () => {
  test('D7 a store that is deleted under it is no orderly end: nothing is called durable, with 1', async () => {
    const cwd = project(`{ tasks: [['one', '0 0 29 2 *', () => {}, 0]] }`);
    const running = begin(['run'], { cwd });
    await running.says(/running/);
    rmSync(join(cwd, 'obbligato.db'));
    running.child.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    assert.equal(code, 1);
    assert.match(stdout, /Store file ".*obbligato\.db" is gone: it was deleted or moved away/);
    assert.doesNotMatch(stdout, /everything is durable/);
  });

  test('a start that makes an empty store where one was before says so', async () => {
    const cwd = project(`{ tasks: [['one', '0 0 29 2 *', () => {}, 0]] }`);
    const stopped = async (): Promise<string> => {
      const running = begin(['run'], { cwd });
      await running.says(/running/);
      running.child.kill('SIGTERM');
      return (await running.ended).stdout;
    };
    assert.doesNotMatch(await stopped(), /gone/);
    assert.doesNotMatch(await stopped(), /gone/);
    rmSync(join(cwd, 'obbligato.db'));
    assert.match(
      await stopped(),
      /the store at ".*obbligato\.db" was gone, though its \.lock was there: .* every task is new\n/,
    );
    assert.doesNotMatch(await stopped(), /gone/);
  });

  test('E6 a store that another scheduler has taken over ends it with 1, and its callbacks with it', async () => {
    const cwd = project(
      `{ tasks: [['one', '* * * * *', untilStopped, 0], ['two', '* * * * *', async () => { while (!existsSync('taken')) await sleep(5); }, 0]] }`,
    );
    const first = begin(['run'], { cwd });
    await first.says(/two {2}started/);
    // Stopped, so that it cannot lock the file again before the second one does.
    first.child.kill('SIGSTOP');
    rmSync(join(cwd, 'obbligato.db.lock'));
    const second = begin(['run'], { cwd });
    await second.says(/running; cut off: /);
    first.child.kill('SIGCONT');
    writeFileSync(join(cwd, 'taken'), '');
    const { code, stdout } = await first.ended;
    assert.equal(code, 1);
    const other = 'was taken over by another scheduler';
    assert.match(stdout, new RegExp(`the schedule ends: Store ".*" ${other}`));
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
  });

  test('E6 status says who owns it', async () => {
    const cwd = project(`{ tasks: [['one', '0 0 29 2 *', () => {}, 0]] }`);
    const owner = begin(['run'], { cwd });
    await owner.says(/running/);
    const { stdout } = await cli(['status', '--json'], { cwd });
    const { ownedBy } = JSON.parse(stdout);
    assert.deepEqual([ownedBy.pid, ownedBy.host], [owner.child.pid, hostname()]);
    assert.ok(Date.parse(ownedBy.since) <= Date.now());
    assert.match((await cli(['status'], { cwd })).stdout, new RegExp(`\\(pid\\s+${ownedBy.pid}`));
    owner.child.kill('SIGTERM');
    assert.equal((await owner.ended).code, 0);
    const free = JSON.parse((await cli(['status', '--json'], { cwd })).stdout);
    assert.deepEqual([free.owner, free.ownedBy], ['free', null]);
  });

  test('doctor sees a store that was put in the place of another under a running scheduler', async () => {
    const cwd = project(`{ tasks: [['one', '0 0 29 2 *', () => {}, 0]] }`);
    const old = join(cwd, 'old.db');
    await (await sqlite(old).open({ waitMs: 0 })).close();
    const db = new DatabaseSync(old);
    db.exec(`UPDATE owner SET pid = ${spawnSync('true').pid}`);
    db.close();
    const running = begin(['run'], { cwd });
    await running.says(/running/);
    for (const end of ['', '-wal', '-shm']) rmSync(join(cwd, `obbligato.db${end}`), { force: true });
    renameSync(old, join(cwd, 'obbligato.db'));
    const { code, stdout } = await cli(['doctor', '--json'], { cwd });
    const lock = JSON.parse(stdout).checks.find(({ what }: { what: string }) => what === 'lock');
    assert.equal(code, 1);
    assert.match(lock.found, /^held, but not by the last owner of this file .*replaced/);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 1);
  });
});
