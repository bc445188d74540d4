/** `obbligato completion`: what is offered, by what the commands say of themselves, and the script of bash in a real one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, type TestContext, test } from 'node:test';
import type { Command } from '../../src/cli/args/command.ts';
import { completionCommand } from '../../src/cli/commands/completion.ts';
import { type Offers, offersFor, SCRIPTS } from '../../src/cli/completion.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, obbligato, root, writeConfig } from './commands-kit.ts';
import { completionScene } from './completion-scene.ts';

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
  command('completion', { positionals: [{ name: 'shell' }] }),
];

/** What is offered for the last of some words; only the words of it. */
function offered(...words: string[]): readonly string[] | Offers {
  const offers = offersFor(words, table);
  return typeof offers === 'string' ? offers : offers.map(({ word }) => word);
}

describe('what is offered', () => {
  test('commands, each with its summary', () => {
    assert.deepEqual(offered('n'), ['next', 'import', 'history', 'completion', '--help', '--version']);
    assert.deepEqual(offersFor([''], table)[0], { word: 'next', about: "It's next: a test" });
  });

  test('the options of a command, the words that it takes, tasks, or paths', () => {
    assert.deepEqual(offered('next', '-'), ['--count', '-n', '--json', '--help', '-h']);
    assert.deepEqual(offered('completion', ''), ['bash', 'zsh', 'fish']);
    assert.equal(offered('history', ''), 'tasks');
    assert.equal(offered('import', 'tab'), 'files');
    assert.deepEqual(offered('next', ''), [], 'an expression cannot be guessed');
    assert.deepEqual(offered('unknown', ''), []);
  });

  test('behind an option that takes a value, paths if it is one, and never an option', () => {
    for (const words of [['--out', ''], ['-o', ''], ['--out=pack'], ['--out', '-']])
      assert.equal(offered('import', ...words), 'files', words.join(' '));
    for (const words of [['--count', ''], ['-n', ''], ['--count=1'], ['--count', '-']])
      assert.deepEqual(offered('next', ...words), [], words.join(' '));
    assert.deepEqual(offered('next', '--json', ''), []);
    assert.equal(offered('import', '--help', ''), 'files');
  });
});

describe('obbligato completion', () => {
  /** What bash offers for the last of some words. */
  async function completed(t: TestContext, cwd: string, ...words: string[]): Promise<string[]> {
    const { bin } = await completionScene(t);
    const script = `${SCRIPTS.bash}
      COMP_WORDS=(${[bin, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')})
      COMP_CWORD=${words.length}
      _obbligato
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const lines = execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line !== '').sort();
  }

  test('bash completes commands, options and files', async (t) => {
    assert.deepEqual(await completed(t, tmpdir(), 'histo'), ['history']);
    assert.deepEqual(await completed(t, tmpdir(), 'history', '--js'), ['--json']);
    const files = ['package-lock.json', 'package.json'];
    assert.deepEqual(await completed(t, root, 'status', 'pack'), files);
    assert.deepEqual(await completed(t, root, 'import', '-o', 'pack'), files);
    assert.deepEqual(await completed(t, root, 'next', '--count', 'pack'), [], 'a number is no file');
  });

  test('bash completes the names of tasks, as they have to be typed', async (t) => {
    const folder = await temporaryFolder(t);
    const names = `['backup', 'nightly report', "it's", 'two\\nlines']`;
    writeConfig(folder, `tasks: ${names}.map((name) => [name, '0 3 * * *', nothing, 0])`);
    assert.deepEqual(await completed(t, folder, 'history', ''), ['backup', "it\\'s", 'nightly\\ report']);
    assert.deepEqual(await completed(t, folder, 'history', 'nightly\\ r'), ['nightly\\ report']);
  });

  test('without a configuration and a store there are no names, and no noise', async (t) => {
    const folder = await temporaryFolder(t);
    const { code, out } = await obbligato(t, ['__complete', 'history', ''], { cwd: folder });
    assert.deepEqual([code, out], [1, '']);
    assert.deepEqual(await completed(t, folder, 'history', ''), []);
  });

  test('prints the script of each shell, and refuses another one', async (t) => {
    for (const [shell, script] of Object.entries(SCRIPTS))
      assert.equal((await call(completionCommand, [shell])).out, script);
    await assert.rejects(call(completionCommand, ['tcsh']), { kind: 'usage' });
    const { code, err } = await obbligato(t, ['completion', 'tcsh'], { cwd: tmpdir() });
    assert.equal(code, 2);
    assert.match(err, /one of bash, zsh, fish; got "tcsh"/);
  });
});
