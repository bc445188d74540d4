/** `obbligato completion`: scripts made from the commands, tried in a real shell where there is one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from '../../src/cli/args/command.ts';
import { commands } from '../../src/cli/args/commands.ts';
import { completionCommand } from '../../src/cli/commands/completion.ts';
import { completionScript, vocabularyOf } from '../../src/cli/completion.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, obbligato, root, writeConfig } from './commands-kit.ts';

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
  command('import', { options: { out: { type: 'string', short: 'o' } }, positionals: [{ name: 'crontab' }] }),
  command('history', { positionals: [{ name: 'task' }] }),
  command('status', { positionals: [{ name: 'store-or-config' }] }),
  command('completion', { positionals: [{ name: 'shell' }] }),
];

/** The commands that there really are. */
const everything = (): Promise<Command[]> => Promise.all(Object.values(commands).map((load) => load()));

/** What bash offers for the last of some words. */
function offered(words: readonly string[], cwd = tmpdir()): string[] {
  const script = `${completionScript('bash', table)}
    COMP_WORDS=(${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')})
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
    assert.deepEqual(offered(['obbligato', '']), [
      '--help',
      '--version',
      'completion',
      'history',
      'import',
      'next',
      'status',
    ]);
    assert.deepEqual(offered(['obbligato', 'n']), ['next']);
    assert.deepEqual(offered(['obbligato', 'next', '--']), ['--count', '--help', '--json']);
    assert.deepEqual(offered(['obbligato', 'next', '-']), ['--count', '--help', '--json', '-h', '-n']);
    assert.deepEqual(offered(['obbligato', 'next', '']), [], 'an expression cannot be guessed');
    assert.deepEqual(offered(['obbligato', 'completion', '']), ['bash', 'fish', 'zsh']);
    assert.deepEqual(offered(['obbligato', 'status', 'pack'], root), ['package-lock.json', 'package.json']);
    for (const option of ['--out', '-o']) {
      assert.deepEqual(offered(['obbligato', 'import', option, 'package.'], root), ['package.json'], option);
    }
    assert.deepEqual(offered(['obbligato', 'next', '--count', 'package.'], root), [], 'a number is no file');
    assert.deepEqual(offered(['obbligato', 'next', '--count', '-'], root), [], 'nor an option');
    assert.deepEqual(offered(['obbligato', 'next', '--json', 'package.'], root), []);
    assert.deepEqual(offered(['obbligato', 'unknown', '']), []);
  });

  test('zsh is told every command, every option, and which of them take a value or a file', async () => {
    const all = await everything();
    const script = completionScript('zsh', all);
    for (const word of vocabularyOf(all)) {
      const line = new RegExp(`^    ${word.command}\\) _arguments (.*) ;;$`, 'm').exec(script)?.[1] ?? '';
      const specs = [...line.matchAll(/'([^']*)'/g)].map(([, spec]) => spec);
      const [operands, ...options] = specs.reverse();
      assert.deepEqual(
        options.map((spec) => spec.replace(/[=+]?:.*/, '')).sort(),
        [...word.options].sort(),
        word.command,
      );
      const taking = (pattern: RegExp): string[] =>
        options.filter((spec) => pattern.test(spec)).map((spec) => spec.replace(/[=+]:.*/, ''));
      assert.deepEqual(taking(/^--[^:]*=:|^-\w\+:/).sort(), [...word.withValue].sort());
      assert.deepEqual(taking(/:_files$/).sort(), [...word.withFile].sort());
      const expected = { files: '*:file:_files', tasks: '*:task:_obbligato_tasks', anything: '*: :' };
      if (typeof word.operands === 'string') assert.equal(operands, expected[word.operands]);
      else assert.equal(operands, `*: :(${word.operands.join(' ')})`);
      assert.match(script, new RegExp(`^    '${word.command}:`, 'm'));
    }
  });

  test('fish is told every command, every option, and which of them take a value or a file', async () => {
    const all = await everything();
    const lines = completionScript('fish', all).split('\n');
    for (const { command: name, options, withValue, withFile, operands } of vocabularyOf(all)) {
      const own = lines.filter((line) => line.includes(`-n '__obbligato_is ${name}'`));
      const told = own.flatMap((line) => {
        const [, long, , short, value] = / -l (\S+)( -s (\w))?( -[rx])?$/.exec(line) ?? [];
        return long === undefined
          ? []
          : [{ spelt: short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`], value }];
      });
      const spelt = (values: readonly (string | undefined)[]): string[] =>
        told.flatMap((each) => (values.includes(each.value) ? each.spelt : [])).sort();
      assert.deepEqual(spelt([undefined, ' -r', ' -x']), [...options].sort(), name);
      assert.deepEqual(spelt([' -r', ' -x']), [...withValue].sort(), name);
      assert.deepEqual(spelt([' -r']), [...withFile].sort(), name);
      assert.equal(
        own.some((line) => / -f( -a '.*')?$/.test(line)),
        operands !== 'files',
        name,
      );
      assert.ok(
        lines.some((line) =>
          line.startsWith(`complete -c obbligato -n __fish_use_subcommand -f -a ${name} -d '`),
        ),
      );
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

  test('the names of tasks are offered to commands that take one, as they have to be typed', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(
      folder,
      `tasks: ['backup', 'nightly report', "it's", 'two\\nlines'].map((name) => [name, '0 3 * * *', nothing, 0])`,
    );
    const bin = join(folder, 'obbligato');
    const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
    const command = [process.execPath, join(root, 'src/cli/main.ts')].map(quoted).join(' ');
    writeFileSync(bin, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
    assert.deepEqual(offered([bin, 'history', ''], folder), ['backup', "it\\'s", 'nightly\\ report']);
    assert.deepEqual(offered([bin, 'history', 'nightly\\ r'], folder), ['nightly\\ report']);
    assert.deepEqual(offered([bin, 'status', 'back'], folder), [], 'a store is no task');
    const nowhere = await obbligato(t, ['completion', 'tasks'], { cwd: tmpdir() });
    assert.deepEqual([nowhere.code, nowhere.out], [1, ''], 'neither a configuration nor a store');
    const fish = completionScript('fish', table);
    assert.match(fish, /__obbligato_is history' -f -a '\(obbligato completion tasks 2>\/dev\/null\)'/);
  });

  test('another shell is refused', async (t) => {
    await assert.rejects(
      call(
        completionCommand(async () => table),
        ['tcsh'],
      ),
      { kind: 'usage' },
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
