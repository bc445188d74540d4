/** `obbligato completion`: scripts made from the commands, tried in a real shell where there is one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import type { Command } from '../../src/cli/command.ts';
import { completionCommand } from '../../src/cli/commands/completion.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { call, obbligato, root } from './commands-kit.ts';

const command = (name: string, over: Partial<Command> = {}): Command => ({
  name,
  summary: `It's ${name}: a test`,
  help: '',
  options: {},
  positionals: [],
  run: async () => 0,
  ...over,
});

const table: readonly Command[] = [
  command('next', { options: { count: { type: 'string', short: 'n' }, json: { type: 'boolean' } } }),
  command('status', { positionals: [{ name: 'store' }] }),
  command('completion', { positionals: [{ name: 'shell' }] }),
];

/** What bash offers for the last of some words. */
function offered(words: readonly string[], cwd = tmpdir()): string[] {
  const script = `${completionScript('bash', table)}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _obbligato
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

describe('obbligato completion', () => {
  test('bash completes commands, options, shells and files', () => {
    assert.deepEqual(offered(['obbligato', '']), ['--help', '--version', 'completion', 'next', 'status']);
    assert.deepEqual(offered(['obbligato', 'n']), ['next']);
    assert.deepEqual(offered(['obbligato', 'next', '--']), ['--count', '--help', '--json']);
    assert.deepEqual(offered(['obbligato', 'next', '-']), ['--count', '--help', '--json', '-h', '-n']);
    assert.deepEqual(offered(['obbligato', 'next', '']), [], 'an expression cannot be guessed');
    assert.deepEqual(offered(['obbligato', 'completion', '']), ['bash', 'fish', 'zsh']);
    assert.deepEqual(offered(['obbligato', 'status', 'pack'], root), ['package-lock.json', 'package.json']);
    assert.deepEqual(
      offered(['obbligato', 'next', '--count', 'package.'], root),
      ['package.json'],
      'a value may be a file',
    );
    assert.deepEqual(offered(['obbligato', 'next', '--json', 'package.'], root), []);
    assert.deepEqual(offered(['obbligato', 'unknown', '']), []);
  });

  test('the scripts of all shells name every command and every option', async () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const { out } = await call(
        completionCommand(async () => table),
        [shell],
      );
      for (const word of ['next', 'status', 'completion']) assert.ok(out.includes(word), `${shell}: ${word}`);
      for (const option of ['count', 'json', 'help']) assert.ok(out.includes(option), `${shell}: ${option}`);
      assert.match(out, /^#.*obbligato/);
    }
  });

  test('what a summary holds does not end a string', async () => {
    const { out } = await call(
      completionCommand(async () => table),
      ['fish'],
    );
    assert.match(out, /-a next -d 'It'\\''s next: a test'/);
    const zsh = completionScript('zsh', table);
    assert.ok(zsh.includes(`'next:It'\\''s next\\: a test'`));
    for (const [index, line] of zsh.split('\n').entries()) {
      assert.equal(
        (line.match(/'/g)?.length ?? 0) % 2 === 0 || line.includes(`'\\''`),
        true,
        `line ${index}: ${line}`,
      );
    }
  });

  test('another shell is refused', async (t) => {
    await assert.rejects(
      call(
        completionCommand(async () => table),
        ['tcsh'],
      ),
      UsageError,
    );
    const { code, err } = await obbligato(t, ['completion', 'tcsh'], { cwd: tmpdir() });
    assert.equal(code, 2);
    assert.match(err, /one of bash, zsh, fish; got "tcsh"/);
  });

  test('the real table can be completed by bash', async (t) => {
    const { code, out } = await obbligato(t, ['completion', 'bash'], { cwd: tmpdir() });
    assert.equal(code, 0);
    execFileSync('bash', ['-n'], { input: out });
  });
});
