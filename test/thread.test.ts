/** Threads of our own: what they run, and what they are started with. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '..');
const saidBy = (words: readonly string[], env: Record<string, string> = {}): string => {
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return stdout + stderr;
};
const started = (code: string, flag = '--no-warnings'): string =>
  saidBy([flag, 'test/fixtures/own-thread.ts', code]);

describe('a thread of our own', () => {
  for (const code of ['file', 'text'])
    test(`runs a ${code}, is given its options, and none of the flags of the process`, () => {
      assert.equal(started(code), `a ${code}, started with a word, flags: \n`);
    });

  test('runs a text also where no code may be made of texts, and whatever Node takes texts for', () => {
    const said = 'a text, started with a word, flags: \n';
    assert.equal(started('text', '--disallow-code-generation-from-strings'), said);
    for (const type of ['module', 'commonjs'])
      assert.equal(
        saidBy(['-e', "import('./test/fixtures/own-thread.ts')", 'argv[1]', 'text'], {
          NODE_OPTIONS: `--no-warnings --input-type=${type}`,
        }),
        said,
      );
  });

  test('is not started from a file that is not there, as in a bundle of the sources: one line says what to do', () => {
    assert.match(
      started('foreign'),
      /^Error: the thread "test" has no program at file:.*\/nowhere\.ts: bundle the built package instead of its sources, or keep "obbligato" external\n$/,
    );
  });

  const programs = globSync('src/**/*-thread.ts', { cwd: root }).sort();
  test('there is one of the store, the watcher, inThread and simulate', () => {
    assert.deepEqual(programs, [
      'src/cli/simulate/player-thread.ts',
      'src/executor/module-thread.ts',
      'src/store/sqlite-thread.ts',
      'src/trace/watcher-thread.ts',
    ]);
  });
  for (const program of programs)
    test(`${program} refuses to run anywhere else`, () => {
      assert.match(
        saidBy([program]),
        /\n\[?Error: this is the program of the thread "[\w ]+", which only obbligato starts: keep "obbligato" external, or bundle it whole\]?\n/,
      );
    });
});
