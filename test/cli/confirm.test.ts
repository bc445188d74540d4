/** The questions of `forget` and `repair`, on a real terminal: yes, no, Ctrl-C, Ctrl-D, and nobody there to ask. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { obbligato } from './commands-kit.ts';
import { backups, DAMAGED_WORK, storeWith } from './damaged-store.ts';
import { CTRL_C, Terminal } from './terminal.ts';

const CTRL_D = '\u0004';

/** What each asks, and what the store holds once it was done. */
const questions = [
  {
    words: ['forget', 'work'],
    asks: /Forget "work" in .*obbligato\.db\? \[y\/N\] ?$/,
    done: /Forgot "work"\./,
    left: 1,
  },
  { words: ['repair'], asks: /Repair .*obbligato\.db\? \[y\/N\] ?$/, done: /Repaired\./, left: 2 },
] as const;

const damagedStore = (t: TestContext): ReturnType<typeof storeWith> =>
  storeWith(t, ['work', 'other'].map(fullRecord), DAMAGED_WORK);

for (const { words, asks, done, left } of questions) {
  describe(`the question of ${words[0]}`, { concurrency: 2 }, () => {
    for (const yes of ['y', 'YES']) {
      test(`"${yes}" does it, after a backup`, async (t) => {
        const { folder, path } = await damagedStore(t);
        const terminal = new Terminal(words, { cwd: folder, columns: 200 });
        await terminal.shows(asks);
        assert.deepEqual(backups(folder), [], 'nothing is done before the answer');
        terminal.press(`${yes}\r`);
        assert.equal(await terminal.exited, 0);
        assert.match(terminal.screen, done);
        const { records, damaged } = await inspect(path);
        assert.deepEqual([records.length, damaged.length, backups(folder).length], [left, 0, 1]);
      });
    }

    for (const [name, keys] of [
      ['no', 'n\r'],
      ['nothing but Enter', '\r'],
      ['a word that is neither', 'yesterday\r'],
      ['Ctrl-C', CTRL_C],
      ['Ctrl-C behind a "y"', `y${CTRL_C}`],
      ['Ctrl-D', CTRL_D],
    ]) {
      test(`${name} changes nothing, says so on a line of its own, and exits with 1`, async (t) => {
        const { folder, path } = await damagedStore(t);
        const before = readFileSync(path);
        const terminal = new Terminal(words, { cwd: folder, columns: 200 });
        await terminal.shows(asks);
        terminal.press(keys);
        assert.equal(await terminal.exited, 1);
        assert.match(terminal.screen, /\nNothing was changed\.$/);
        assert.deepEqual(readFileSync(path), before);
        assert.deepEqual(backups(folder), []);
      });
    }

    test('without a terminal it is not asked, and exits with 2', async (t) => {
      const { folder, path } = await damagedStore(t);
      const before = readFileSync(path);
      const { code, out, err } = await obbligato(t, words, { cwd: folder, stdin: 'y\n' });
      assert.equal(code, 2);
      assert.doesNotMatch(out, /\[y\/N\]/);
      assert.match(err, /There is no terminal to ask on .*say it with --yes\. Nothing was changed/);
      assert.deepEqual(readFileSync(path), before);
    });
  });
}
