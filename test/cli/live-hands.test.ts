/** What the keys of the live view do to tasks, on a real pseudo-terminal (I2–I4). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { project } from './kit.ts';
import { CTRL_C, show, type Terminal } from './terminal.ts';

const [DOWN, UP] = ['\u001b[B', '\u001bOA'];
const RARE = '0 0 29 2 *';
const TASKS = `tasks: [['idle', '${RARE}', () => {}, 0], ['long', '${RARE}', untilStopped, 0]]`;

async function selected(terminal: Terminal, name: string): Promise<void> {
  await terminal.shows(() => terminal.selected.includes(name));
}

async function leave(terminal: Terminal): Promise<void> {
  terminal.press(CTRL_C);
  assert.equal(await terminal.exited, 0);
}

describe('the hands of the live view', { concurrency: 2 }, () => {
  for (const store of ['', 'store: memory(), ']) {
    test(`I2 r runs the selected task, only after y${store === '' ? '' : ', also on a store in memory'}`, async () => {
      const terminal = show(project(`{ ${store}${TASKS} }`), { columns: 80, rows: 24 });
      await terminal.shows(/obbligato {2}running; new: idle, long/);
      terminal.press(DOWN);
      await selected(terminal, 'idle');
      terminal.press('r');
      await terminal.shows(/^Run idle now\? y does it, any other key not$/m);
      terminal.press('n');
      await terminal.shows(/r run · p pause · c cancel · Esc back · \? all keys$/);
      assert.doesNotMatch(terminal.screen, /asked to run/);
      terminal.press('r');
      await terminal.shows(/^Run idle now\?/m);
      terminal.press('y');
      await terminal.shows(/idle {2}is asked to run now\n[\s\S]*idle {2}done in/);
      await leave(terminal);
    });
  }

  test('I3 p pauses after y, shows it, and lets it go on without a question', async () => {
    const cwd = project(`{ ${TASKS} }`);
    const terminal = show(cwd, { columns: 80, rows: 24 });
    await terminal.shows(/obbligato {2}running; new: idle, long/);
    terminal.press(`${DOWN}p`);
    await terminal.shows(/^Pause idle until it is resumed\? y does it/m);
    terminal.press('y');
    await terminal.shows(/‖ idle +paused/);
    assert.ok((await inspect(join(cwd, 'obbligato.db'))).records.some(({ pausedAt }) => pausedAt !== null));
    terminal.press('r');
    await terminal.shows(/^Run idle now, although it is paused\?/m);
    terminal.press('n');
    terminal.press('p');
    await terminal.shows(/○ idle +waiting/);
    await leave(terminal);
  });

  test('I4 c cancels a run after y, and says why it cannot; from the screen of the task too', async () => {
    const terminal = show(project(`{ ${TASKS} }`), { columns: 100, rows: 24 });
    await terminal.shows(/obbligato {2}running; new: idle, long/);
    terminal.press(`${DOWN}${DOWN}`);
    await selected(terminal, 'long');
    terminal.press('cy');
    await terminal.shows(/long is asked to cancel, and that is not done: it does not run/);
    terminal.press('\rry');
    await terminal.shows(/^long {2}running/m);
    terminal.press('c');
    await terminal.shows(/^Cancel the run of long, which is not tried again before it is due\?/m);
    terminal.press('y');
    await terminal.shows(/LAST RUNS\n +\d\d:\d\d +success/);
    await leave(terminal);
  });

  test('the wheel of the mouse moves the selection; the terminal keeps its own selection of text', async () => {
    const terminal = show(project(`{ ${TASKS} }`), { columns: 80, rows: 24 });
    await terminal.shows(/obbligato {2}running; new: idle, long/);
    assert.ok(terminal.raw.includes('\u001b[?1007h'), 'the wheel sends arrow keys');
    assert.doesNotMatch(terminal.raw, /\[\?100[0236]h/, 'and clicks are not taken away');
    terminal.press(UP); // as a wheel does in the application mode of the keys
    await selected(terminal, 'long');
    await leave(terminal);
    assert.ok(terminal.raw.lastIndexOf('\u001b[?1007l') > terminal.raw.lastIndexOf('\u001b[?1007h'));
  });
});
