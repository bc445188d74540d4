/** I5, I6 at the command line: SIGHUP and `--watch` load the configuration again; a list that forgets most tasks is refused. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { begin, preamble, project } from './kit.ts';

const far = (names: readonly string[]): string =>
  `{ tasks: [${names.map((name) => `['${name}', '0 0 29 2 *', () => {}, minutes(1)]`).join(', ')}] }`;

/** Writes another configuration, as an editor does that replaces the file. */
function rewrite(cwd: string, config: string, helper?: string): void {
  const file = join(cwd, 'obbligato.config.ts');
  if (helper !== undefined) writeFileSync(join(cwd, 'helper.ts'), helper);
  writeFileSync(`${file}.new`, config);
  renameSync(`${file}.new`, file);
}

const source = (config: string, more = ''): string =>
  `${preamble}${more}\nexport default defineConfig(${config});\n`;

describe('another configuration while it runs', { concurrency: 2 }, () => {
  test('I5 SIGHUP loads the configuration again, and what it imports; what runs goes on', async () => {
    const cwd = project(
      `{ tasks: [['long', '* * * * *', untilStopped, 0], ['old', '0 0 29 2 *', () => {}, 0]] }`,
    );
    const running = begin(['run'], { cwd });
    await running.says(/long {2}started/);
    const config = `{ tasks: [['long', '* * * * *', () => {}, 0], [name, '0 0 29 2 *', () => {}, 0]] }`;
    rewrite(cwd, source(config, `import { name } from './helper.ts';`), `export const name = 'first';\n`);
    running.child.kill('SIGHUP');
    await running.says(/new: first; forgotten: old|new: first/);
    rewrite(cwd, source(config, `import { name } from './helper.ts';`), `export const name = 'second';\n`);
    running.child.kill('SIGHUP');
    await running.says(/new: second/);
    const { records } = await inspect(join(cwd, 'obbligato.db'));
    assert.deepEqual(records.map(({ name }) => name).toSorted(), ['long', 'second']);
    assert.notEqual(records.find(({ name }) => name === 'long')?.run ?? null, null, 'it still runs');
    running.child.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    assert.match(stdout, /obbligato {2}the configuration is loaded again$/m);
  });

  test('I5 a configuration that is wrong changes nothing, and says why', async () => {
    const cwd = project(far(['a']));
    const running = begin(['run'], { cwd });
    await running.says(/running; new: a/);
    rewrite(cwd, source(`{ tasks: [['b', '*/5 * * * *', () => {}, minutes(1)]] }`));
    running.child.kill('SIGHUP');
    await running.says(/the tasks stay as they were: .*write 0,5,10/);
    rewrite(cwd, 'export default {{{');
    running.child.kill('SIGHUP');
    await running.says(/the tasks stay as they were: [\s\S]*obbligato\.config\.ts/);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
    const { records } = await inspect(join(cwd, 'obbligato.db'));
    assert.deepEqual(
      records.map(({ name }) => name),
      ['a'],
    );
  });

  test('I5 --watch loads it again when the file changes', async () => {
    const cwd = project(far(['a']));
    const running = begin(['run', '--watch'], { cwd });
    await running.says(/running; new: a/);
    rewrite(cwd, source(far(['a', 'b'])));
    await running.says(/loaded again, because it has changed/);
    await running.says(/new: b/);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
  });

  test('I6 a list that would forget most of ten tasks is refused, unless --allow-removal is given', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `task${index}`);
    const cwd = project(far(names));
    const first = begin(['run'], { cwd });
    await first.says(/running; new:/);
    first.child.kill('SIGTERM');
    await first.ended;
    rewrite(cwd, source(far(['task0'])));
    const refusing = begin(['run'], { cwd });
    // One that is not refused would run for ever.
    void refusing.says(/running/).then(
      () => refusing.child.kill('SIGTERM'),
      () => {},
    );
    const refused = await refusing.ended;
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /would forget 9 of 10 stored tasks: "task1", .*--allow-removal/);
    assert.equal((await inspect(join(cwd, 'obbligato.db'))).records.length, 10);
    // The command line wins over what the configuration says.
    rewrite(cwd, source(far(['task0']).replace('{ tasks', '{ guardRemovals: true, tasks')));
    const allowed = begin(['run', '--allow-removal'], { cwd });
    await allowed.says(/running/);
    allowed.child.kill('SIGTERM');
    assert.equal((await allowed.ended).code, 0);
    assert.equal((await inspect(join(cwd, 'obbligato.db'))).records.length, 1);
  });
});
