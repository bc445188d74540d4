/**
 * The completion scripts in a real zsh and a real fish, as a person uses them: with the names of the tasks of a configuration, whatever
 * characters they have. A machine without such a shell says so, and only there these tests prove nothing.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SCRIPTS, type Shell } from '../../src/cli/completion.ts';
import { writeConfig } from './commands-kit.ts';
import { completionScene } from './completion-scene.ts';

const NAMES = ['backup', 'nightly report', "it's", 'größe – été', 'a$b "q"', 'x(y)', 'c:\\d'];

/** Whether the shell is here; if not, the report has the reason. */
function isHere(t: TestContext, shell: Shell): boolean {
  const found = spawnSync(shell, ['-c', 'exit 0']);
  if (found.error === undefined) return true;
  t.diagnostic(`${shell} is not tried: ${found.error.message}. Install it to run this test`);
  return false;
}

/** A folder with a configuration, a command of our name, and the script of a shell. */
async function scene(t: TestContext, shell: Shell) {
  const { folder } = await completionScene(t);
  const list = JSON.stringify(NAMES);
  writeConfig(folder, `tasks: ${list}.map((name) => [name, '0 3 * * *', nothing, 0])`);
  const script = join(folder, `script.${shell}`);
  writeFileSync(script, SCRIPTS[shell]);
  const PATH = `${folder}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'dumb' };
  return { folder, script, env };
}

/** Another zsh in a terminal of its own completes one line, writes down what has become of it, and ends. */
const DRIVER = `
zmodload zsh/zpty
zpty probe zsh -f -i
zpty -w probe "PROMPT=''; autoload -Uz compinit; compinit -u -D; source '$1'"
zpty -w probe "probe() { zle complete-word; print -r -- \\$BUFFER > '$2'; exit }; zle -N probe; bindkey '^T' probe"
zpty -n -w probe "$3"$'\\x14'
while zpty -r probe line; do :; done
`;

describe('completion in real shells', () => {
  test('zsh completes commands, options and names of tasks as they have to be typed', async (t) => {
    if (!isHere(t, 'zsh')) return;
    const { folder, script, env } = await scene(t, 'zsh');
    const completed = (line: string): string => {
      const out = join(folder, 'completed');
      execFileSync('zsh', ['-f', '-c', DRIVER, 'driver', script, out, line], { cwd: folder, env });
      return readFileSync(out, 'utf8').trim();
    };
    assert.equal(completed('obbligato histo'), 'obbligato history');
    assert.equal(completed('obbligato history --js'), 'obbligato history --json');
    for (const option of ['--out ', '--out='])
      assert.equal(completed(`obbligato import ${option}script.z`), `obbligato import ${option}script.zsh`);
    const typed = ['nightly\\ report', "it\\'s", 'größe\\ –\\ été', 'a\\$b\\ \\"q\\"', 'x\\(y\\)', 'c:\\\\d'];
    for (const name of typed)
      assert.equal(completed(`obbligato history ${name.slice(0, 1)}`), `obbligato history ${name}`);
  });

  test('fish completes commands, options and names of tasks', async (t) => {
    if (!isHere(t, 'fish')) return;
    const { folder, script, env } = await scene(t, 'fish');
    const offered = (line: string): string[] =>
      execFileSync('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line], {
        cwd: folder,
        env,
        encoding: 'utf8',
      })
        .split('\n')
        .map((row) => row.split('\t')[0])
        .filter((word) => word !== '');
    assert.deepEqual(offered('obbligato histo'), ['history']);
    assert.deepEqual(offered('obbligato history --js'), ['--json']);
    assert.deepEqual(offered('obbligato import --out script.f'), ['script.fish']);
    assert.deepEqual(offered('obbligato import --out=script.f'), ['--out=script.fish']);
    assert.deepEqual(offered('obbligato history ').sort(), [...NAMES].sort());
    assert.deepEqual(offered('obbligato history nightly\\ r'), ['nightly report']);
  });
});
