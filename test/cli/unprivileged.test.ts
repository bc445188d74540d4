/** Commands of a user whom permissions bind. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { temporaryFolder } from '../store/kit.ts';
import { open, unprivileged } from '../unprivileged.ts';
import { program, schedulerProgram } from './commands-kit.ts';
import { storeWith } from './damaged-store.ts';
import { type Ended, environment } from './kit.ts';

function cliAsNobody(words: readonly string[], cwd: string): Promise<Ended> {
  const { user, node, root } = unprivileged();
  return new Promise((resolve) => {
    const child = execFile(
      node,
      [join(root, 'src/cli/main.ts'), ...words],
      { cwd, env: environment(), ...user },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** A command in a folder that may not be written meanwhile. */
async function inLocked(folder: string, words: readonly string[]): Promise<Ended> {
  open(folder);
  chmodSync(folder, 0o555);
  try {
    return await cliAsNobody(words, folder);
  } finally {
    chmodSync(folder, 0o755);
  }
}

describe('a user without permission to write', () => {
  test('status says what reading needs of a stopped store, and reads one whose scheduler runs', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('a')]);
    const stopped = await inLocked(folder, ['status']);
    assert.deepEqual([stopped.code, stopped.stdout], [1, '']);
    assert.equal(
      stopped.stderr,
      `error: Store file "${path}" cannot be read: while no scheduler runs on it, a reader has to make two files next to it (-wal and -shm), and this user may not; look as the user who owns it, or while its scheduler runs\n`,
    );
    const running = await temporaryFolder(t);
    const scheduler = program(t, [schedulerProgram(running, `['a', '0 0 1 1 *', () => {}, minutes(5)]`)], {
      cwd: running,
    });
    await scheduler.says(/up\n/);
    const shown = await inLocked(running, ['status', 'store.db']);
    assert.match(shown.stdout, /store\.db: .*, 1 task/, shown.stderr);
  });

  test('a configuration that may not be read is named', async (t) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, 'obbligato.config.ts');
    writeFileSync(file, 'export default { tasks: [] };', { mode: 0 });
    const { code, stderr } = await cliAsNobody(['run'], folder);
    assert.deepEqual([stderr, code], [`error: ${file} cannot be read: permission denied\n`, 2]);
  });

  test('import says that permission was denied', async (t) => {
    const folder = await temporaryFolder(t);
    writeFileSync(join(folder, 'tab'), '0 6 * * * /bin/true\n');
    const { code, stdout, stderr } = await inLocked(folder, ['import', 'tab', '--out', 'x.ts']);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(
      stderr,
      /^error: \S+ cannot be written: permission denied\nSee "obbligato import --help"\.\n$/,
    );
  });
});
