/** Files that commands write, and where they cannot. */
import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cli, project } from './kit.ts';

test('G5 an imported configuration is private, as its crontab was', async () => {
  const cwd = project('{ tasks: [] }', { name: 'other.config.ts' });
  writeFileSync(join(cwd, 'tab'), '0 6 * * * curl -u admin:hunter2 https://example.com\n');
  assert.equal((await cli(['import', 'tab'], { cwd })).code, 0);
  assert.equal(statSync(join(cwd, 'obbligato.config.ts')).mode & 0o777, 0o600);
});

describe('a file that cannot be written', () => {
  test('is told in one line by import, with the reason, and exits with 2', async () => {
    const cwd = project(`{ tasks: [['a', '0 6 * * *', () => {}, minutes(1)]] }`);
    writeFileSync(join(cwd, 'tab'), '0 6 * * * /bin/true\n');
    mkdirSync(join(cwd, 'folder.ts'));
    for (const [words, reason] of [
      [['import', 'tab', '--out', 'nope/x.ts'], 'nope/x.ts cannot be written: its folder does not exist'],
      [['import', 'tab', '--out', 'tab/x.ts'], 'tab/x.ts cannot be written: its folder is a file'],
      [['import', 'tab', '--out', 'folder.ts', '--force'], 'folder.ts cannot be written: it is a directory'],
    ] as const) {
      const { code, stdout, stderr } = await cli(words, { cwd });
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.ok(stderr.includes(reason), stderr);
      assert.equal(stderr.split('\n').length, 3, 'the reason, and the way to the help');
    }
  });
});
