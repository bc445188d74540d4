/** `obbligato forget` on real files; and that neither it nor `repair` goes round the lock of a scheduler that runs. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forgetCommand } from '../../src/cli/commands/forget.ts';
import { repairCommand } from '../../src/cli/commands/repair.ts';
import { statusCommand } from '../../src/cli/commands/status.ts';
import { CliError } from '../../src/cli/errors.ts';
import { inspect } from '../../src/index.ts';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, obbligato, program, schedulerProgram } from './commands-kit.ts';
import { backups, DAMAGED_WORK, storeWith } from './damaged-store.ts';

describe('obbligato forget', () => {
  test('removes one task and no other, after a backup', async (t) => {
    const { folder, path } = await storeWith(t, ['a', 'b', 'c "q"'].map(fullRecord));
    const { code, out } = await obbligato(t, ['forget', 'c "q"', '--yes'], { cwd: folder });
    assert.equal(code, 0);
    assert.match(out, /^Forgot "c "q""\. The store as it was is in .*\.backup-/);
    assert.deepEqual((await inspect(path)).records, ['a', 'b'].map(fullRecord));
    assert.equal((await inspect(join(folder, backups(folder)[0]))).records.length, 3);
  });

  test('a damaged record is forgotten too', async (t) => {
    const { folder, path } = await storeWith(t, ['work', 'b'].map(fullRecord), DAMAGED_WORK);
    assert.equal((await inspect(path)).damaged.length, 1);
    await obbligato(t, ['forget', 'work', '--store', 'obbligato.db', '--yes', '--json'], { cwd: folder });
    const { records, damaged } = await inspect(path);
    assert.deepEqual([records, damaged], [[fullRecord('b')], []]);
  });

  test('an unknown task exits with 1 and names those that are known; no terminal and no --yes with 2', async (t) => {
    const { folder, path } = await storeWith(t, ['a', 'b'].map(fullRecord));
    const unknown = await obbligato(t, ['forget', 'A', '--yes'], { cwd: folder });
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /knows no task "A"; it knows "a", "b"/);
    const asJson = await obbligato(t, ['forget', 'A', '--yes', '--json'], { cwd: folder });
    assert.equal(asJson.code, 1);
    assert.deepEqual(JSON.parse(asJson.out), { location: path, task: 'A', backup: null });
    const unasked = await obbligato(t, ['forget', 'a'], { cwd: folder });
    assert.equal(unasked.code, 2);
    assert.equal((await inspect(path)).records.length, 2);
    const { code } = await call(forgetCommand, ['a'], { cwd: folder, isTTY: true, typed: 'no\n' });
    assert.equal(code, 1);
    assert.equal((await inspect(path)).records.length, 2);
    assert.deepEqual(backups(folder), []);
  });

  test('a store that is not there is not made, and one that is no file is refused', async (t) => {
    const folder = await temporaryFolder(t);
    for (const words of [
      ['forget', 'a', '--yes'],
      ['repair', '--yes'],
    ]) {
      const { code, err } = await obbligato(t, words, { cwd: folder });
      assert.equal(code, 1);
      assert.match(err, /There is no store at/);
    }
    assert.ok(!existsSync(join(folder, 'obbligato.db')));
    await assert.rejects(call(forgetCommand, ['a', '--store', 'memory:'], { cwd: folder }), {
      kind: 'usage',
    });
  });

  test('a folder without a configuration and without a store is refused, here, by repair and by status', async (t) => {
    const empty = await temporaryFolder(t);
    for (const [command, words] of [
      [forgetCommand, ['a', '--store', empty, '--yes']],
      [repairCommand, [empty, '--yes']],
      [statusCommand, [empty]],
    ] as const) {
      await assert.rejects(
        call(command, words),
        new CliError(
          'usage',
          `${empty} is a directory without a configuration and without obbligato.db; give the store's file`,
        ),
      );
    }
  });
});

describe('while a scheduler owns the store', () => {
  test('E6 both refuse with the error that names it, and change nothing', async (t) => {
    const folder = await temporaryFolder(t);
    const scheduler = program(t, [schedulerProgram(folder, `['a', '0 0 1 1 *', () => {}, minutes(5)]`)], {
      cwd: folder,
    });
    await scheduler.says(/up\n/);
    for (const words of [
      ['repair', 'store.db', '--yes'],
      ['forget', 'a', '--store', 'store.db', '--yes'],
    ]) {
      const { code, out, err } = await obbligato(t, words, { cwd: folder });
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /^error: Store ".*store\.db" is in use by a scheduler \(pid \d+\): stop it first\n$/);
    }
    assert.equal((await inspect(join(folder, 'store.db'))).records.length, 1);
    scheduler.child.kill('SIGTERM');
    assert.equal((await scheduler.ended).code, 0);
    assert.equal(
      (await obbligato(t, ['forget', 'a', '--store', 'store.db', '--yes'], { cwd: folder })).code,
      0,
    );
  });
});
