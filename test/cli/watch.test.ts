/** `obbligato status --watch` on a real terminal, beside a real scheduler. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { temporaryFolder } from '../store/kit.ts';
import { program, schedulerProgram } from './commands-kit.ts';
import { storeWith } from './damaged-store.ts';
import { inOneLine } from './kit.ts';
import { CTRL_C, isHidden, Terminal } from './terminal.ts';

const linesOf = (screen: string): string[] => screen.split('\n');

describe('obbligato status --watch', { concurrency: 2 }, () => {
  test('waits for a store, and shows it change before the eyes: running, counting, cut off', async (t) => {
    const folder = await temporaryFolder(t);
    const terminal = new Terminal(['status', 'store.db', '--watch'], { cwd: folder });
    await terminal.shows((now) => /There is no store at .*store\.db yet; waiting/.test(inOneLine(now)));
    const scheduler = program(t, [schedulerProgram(folder, `['runs', '* * * * *', forever, minutes(5)]`)], {
      cwd: folder,
    });
    await terminal.shows((now) =>
      /a scheduler runs on it \(pid \d+, since [\d:]+\), 1 task.* runs running for \d+ s/.test(
        inOneLine(now),
      ),
    );
    const first = Number(/for (\d+) s/.exec(terminal.screen)?.[1]);
    const screen = await terminal.shows((now) => Number(/for (\d+) s/.exec(now)?.[1]) > first);
    assert.doesNotMatch(screen, /There is no store/, 'it is drawn over');
    assert.equal(screen.match(/TASK/g)?.length, 1);
    assert.ok(isHidden(terminal), 'the cursor does not jump about');
    scheduler.child.kill('SIGKILL');
    await terminal.shows(/\nruns +cut off/);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
    assert.ok(!isHidden(terminal), 'the cursor is given back');
    assert.match(terminal.screen, /\nruns +cut off/, 'and what was shown stays');
  });

  test('follows the size of the terminal: fewer columns, fewer rows, and all of it again', async (t) => {
    const names = Array.from({ length: 20 }, (_, index) => `task-${String(index).padStart(2, '0')}`);
    const { folder } = await storeWith(t, names.map(fullRecord));
    const terminal = new Terminal(['status', '--watch'], { cwd: folder, columns: 120, rows: 30 });
    await terminal.shows(/CRON[\s\S]*task-19/);
    terminal.resize(40, 30);
    const narrow = await terminal.shows((screen) => screen.includes('TASK') && !screen.includes('CRON'));
    for (const line of linesOf(narrow).filter((each) => each.startsWith('task-')))
      assert.ok(line.length <= 40, line);
    terminal.resize(120, 12);
    const low = await terminal.shows(/… and \d+ more lines/);
    assert.match(low, /^\S*obbligato\.db: /, 'its first line is still to be seen');
    terminal.resize(120, 30);
    await terminal.shows((screen) => screen.includes('task-19') && !screen.includes('more lines'));
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });
});
