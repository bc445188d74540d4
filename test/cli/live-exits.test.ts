/** The live view of `run`, on a real pseudo-terminal: every way out of it, and that the terminal is given back on each. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { lives, standsStill } from '../command/kit.ts';
import { until } from '../patience.ts';
import { begin, inOneLine, main, project, withoutBlanks } from './kit.ts';
import { CTRL_BACKSLASH, CTRL_C, CTRL_Z, isHidden, pressUntilLeft, show } from './terminal.ts';

describe('leaving the live view', { concurrency: 2 }, () => {
  test('Ctrl-C says whom it waits for; a second one leaves at once; the next run shows the restart', async () => {
    const cwd = project(`{ tasks: [['stubborn', '* * * * *', forever, 0]] }`);
    const first = show(cwd);
    await first.shows(/stubborn +running/);
    first.press(CTRL_C);
    await first.shows(/Stopping: waiting for stubborn · Ctrl-C again leaves at once$/);
    assert.equal(await pressUntilLeft(first), 130);
    assert.match(
      inOneLine(first.screen),
      /left at once: 1 task was cut off and starts again at the next run: stubborn/,
    );
    assert.ok(!first.isAlternate && !isHidden(first));
    const second = show(cwd);
    const screen = await second.shows(/● stubborn +restarted \d+ s/);
    assert.match(screen, /started again, its last run was cut off \(attempt \d/);
    assert.equal(await pressUntilLeft(second), 130);
  });

  test('of many tasks the promise and the way out are seen, and not only their names', async () => {
    const many = `Array.from({ length: 150 }, (_, i) => ['task number ' + i, '* * * * *', forever, 0])`;
    const terminal = show(project(`{ tasks: ${many} }`), { columns: 80 });
    await terminal.shows(/more: \d+ running$/m);
    terminal.press(CTRL_C);
    await terminal.shows(/Stopping: waiting for .*Ctrl-C again leaves at once$/);
    assert.equal(await pressUntilLeft(terminal), 130);
    assert.match(
      terminal.screen,
      /^stopping: waiting for 150 tasks, Ctrl-C again leaves at once: .*…\nleft at once: 150 tasks were cut off and start again at the next run: .*…$/m,
    );
  });

  test('Ctrl-\\ gives the terminal back, and kills it', async () => {
    const cwd = project(`{ tasks: [['one', '* * * * *', forever, 0]] }`);
    const said = 'echo "it ended with $?"';
    const program = ['/bin/sh', '-c', `ulimit -c 0; trap : QUIT; "$@"; ${said}`, 'sh'] as const;
    const terminal = show(cwd, { program: [...program, process.execPath, main, 'run'] });
    await terminal.shows(/one +running/);
    terminal.press(CTRL_BACKSLASH);
    await terminal.shows(/it ended with 131/); // 128 and the number of SIGQUIT
    assert.ok(!terminal.isAlternate && !isHidden(terminal));
    assert.equal(await terminal.exited, 0);
  });

  test('SIGTERM is as the first Ctrl-C, and however often it comes', async () => {
    const terminal = show(project(`{ tasks: [['stubborn', '* * * * *', forever, 0]] }`));
    await terminal.shows(/stubborn +running/);
    terminal.kill('SIGTERM');
    await terminal.shows(/Stopping: waiting for stubborn/);
    const clockOf = (screen: string): string | undefined => / (\d\d:\d\d:\d\d)$/m.exec(screen)?.[1];
    const first = clockOf(terminal.screen);
    const second = clockOf(await terminal.shows((screen) => clockOf(screen) !== first));
    terminal.kill('SIGTERM');
    await terminal.shows((screen) => clockOf(screen) !== second);
    assert.equal(await pressUntilLeft(terminal), 130);
  });

  test('an error that nobody catches gives the terminal back, says where it came from, and exits with 1', async () => {
    const terminal = show(
      project(
        `{ tasks: [['careless', '* * * * *', () => { setTimeout(() => { throw new Error('lost') }); return forever(); }, 0]] }`,
      ),
      { rows: 40 },
    );
    assert.equal(await terminal.exited, 1);
    assert.match(
      withoutBlanks(terminal.screen),
      /thiswasnotcaught,sothescheduleends:Error:lostat.*obbligato\.config\.ts/,
    );
    assert.ok(!terminal.isAlternate && !isHidden(terminal));
  });

  test('a task that ends the process does not take the terminal along', async () => {
    const terminal = show(project(`{ tasks: [['rude', '* * * * *', () => { process.exit(5); }, 0]] }`));
    assert.equal(await terminal.exited, 5);
    assert.ok(!terminal.isAlternate && !isHidden(terminal));
  });

  test('a store that somebody else owns is told on a terminal that was given back', async () => {
    const cwd = project(`{ tasks: [['one', '* * * * *', untilStopped, 0]] }`);
    const owner = begin(['run'], { cwd });
    await owner.says(/one {2}started/);
    const terminal = show(cwd);
    assert.equal(await terminal.exited, 1);
    assert.match(withoutBlanks(terminal.screen), /error:Store".*obbligato\.db"isinusebyanotherscheduler/);
    assert.ok(!terminal.isAlternate && !isHidden(terminal));
    owner.child.kill('SIGTERM');
    assert.equal((await owner.ended).code, 0);
  });

  test('Ctrl-Z gives the terminal back until it goes on', async () => {
    const terminal = show(project(`{ store: memory(), tasks: [['one', '* * * * *', untilStopped, 0]] }`));
    await terminal.shows(/one +running/);
    terminal.press(CTRL_Z);
    await terminal.shows(() => !terminal.isAlternate);
    await until(() => standsStill(terminal.pid));
    terminal.kill('SIGCONT');
    await terminal.shows((screen) => terminal.isAlternate && /one +running/.test(screen));
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('a terminal that is closed stops it in order', async () => {
    const cwd = project(`{ tasks: [['one', '* * * * *', async (context) => {
      await untilStopped(context);
      for (let line = 0; line < 10; line++) { console.log('into the void'); await sleep(20); }
    }, 0]] }`);
    const terminal = show(cwd);
    await terminal.shows(/one +running/);
    terminal.hangUp();
    await until(() => !lives(terminal.pid));
    const { records } = await inspect(join(cwd, 'obbligato.db'));
    assert.deepEqual([records[0].run, typeof records[0].lastSuccessAt], [null, 'number']);
  });
});
