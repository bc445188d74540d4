/** The keys of the live view, on a real pseudo-terminal: what they show, and that nothing typed reaches the shell afterwards. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { environment, main, project } from './kit.ts';
import { CTRL_C, CTRL_Z, show, Terminal } from './terminal.ts';

const [DOWN, END, ENTER, ESCAPE] = ['\u001b[B', '\u001b[F', '\r', '\u001b'];

/** An interactive shell, with the live view in it. */
async function shellWith(cwd: string): Promise<Terminal> {
  const shell = new Terminal([], {
    cwd,
    program: ['bash', '--norc', '--noprofile', '-i'],
    env: { ...environment(), PS1: 'READY> ', HISTFILE: '/dev/null' },
  });
  await shell.shows(/READY>/);
  shell.press(`'${process.execPath}' '${main}' run\r`);
  await shell.shows(/^obbligato 1 task · pid \d+/m);
  await shell.shows(/one +running/);
  return shell;
}

const schedulerIn = (screen: string): number => Number(/ pid (\d+) /.exec(screen)?.[1]);
const FOREVER = `{ store: memory(), tasks: [['one', '* * * * *', untilStopped, 0]] }`;
/** What the shell would print if it ran the line: not what was typed, so that an echo is no run. */
const LINE = 'echo pwned-$((40 + 2))';
const RAN = /pwned-42/;

describe('what is typed into the live view', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`never reaches the shell, when ${signal} from elsewhere ends it`, async () => {
      const shell = await shellWith(project(FOREVER));
      const pid = schedulerIn(shell.screen);
      shell.press(`${LINE}\r`);
      process.kill(pid, signal);
      // Both may come before the process looks at either.
      await shell.shows((screen) => !shell.isAlternate && /stopped, [\s\S]*READY>/.test(screen));
      shell.press('echo the-end-$((1 + 1))\r');
      const screen = await shell.shows(/the-end-2/);
      assert.doesNotMatch(screen, RAN);
      assert.doesNotMatch(screen, /pwned/, 'the terminal did not show it either');
      shell.kill('SIGKILL');
    });
  }

  test('never reaches the shell after kill -9 either, once it was read; and the shell works', async () => {
    const shell = await shellWith(project(FOREVER));
    const pid = schedulerIn(shell.screen);
    shell.press(`/${LINE}`);
    await shell.shows(/^\/echo pwned-\$\(\(40 \+ 2\)\)/m); // it was read, as a filter
    shell.press(ENTER);
    await shell.shows((screen) => !/^\/echo/m.test(screen));
    process.kill(pid, 'SIGKILL');
    await shell.shows(/READY>/);
    shell.press('echo the-end-$((1 + 1))\r');
    assert.doesNotMatch(await shell.shows(/the-end-2/), RAN);
    shell.kill('SIGKILL');
  });

  test('goes to the shell while it is suspended, and to the view after fg', async () => {
    const shell = await shellWith(project(FOREVER));
    shell.press(CTRL_Z);
    await shell.shows((screen) => !shell.isAlternate && /Stopped[\s\S]*READY>/.test(screen));
    shell.press(`${LINE}\r`);
    await shell.shows(RAN);
    shell.press('fg\r');
    await shell.shows(() => shell.isAlternate);
    shell.press('?');
    await shell.shows(/KEYS\n +↑ ↓, j k, the wheel +select a task/);
    shell.press(CTRL_C);
    await shell.shows((screen) => !shell.isAlternate && /stopped, [\s\S]*READY>/.test(screen));
    shell.kill('SIGKILL');
  });

  test('leaves it alone in the background, where a process may not touch the terminal', async () => {
    const shell = new Terminal([], {
      cwd: project(FOREVER),
      program: ['bash', '--norc', '--noprofile', '-i'],
      env: { ...environment(), PS1: 'READY> ', HISTFILE: '/dev/null' },
    });
    await shell.shows(/READY>/);
    shell.press(`'${process.execPath}' '${main}' run &\r`);
    await shell.shows(/one +running/);
    shell.press('kill %1; wait; echo the-end-$((1 + 1))\r');
    await shell.shows((screen) => !shell.isAlternate && /the-end-2/.test(screen));
    shell.kill('SIGKILL');
  });
});

const many = Array.from({ length: 60 }, (_, index) => `task-${String(index).padStart(2, '0')}`);
const MANY = `{ store: memory(), tasks: ${JSON.stringify(many)}.map((name) => [name, '0 0 1 1 *', () => {}, 0]) }`;

describe('the keys of the live view', { concurrency: 2 }, () => {
  test('every task can be reached in 80×24, by arrows, by the end and by a filter', async () => {
    const terminal = show(project(MANY), { columns: 80, rows: 24 });
    await terminal.shows(/… and \d+ more: \d+ waiting/);
    for (const name of many.slice(0, 15)) {
      terminal.press(DOWN);
      await terminal.shows(() => terminal.selected.includes(name));
    }
    terminal.press(END);
    const last = await terminal.shows(() => terminal.selected.includes('task-59'));
    assert.match(last, /\d+–60 of 60, as registered/);
    terminal.press('k');
    await terminal.shows(() => terminal.selected.includes('task-58'));
    terminal.press('/K-4');
    await terminal.shows(/^\/K-4/m);
    const filtered = await terminal.shows(/1–10 of 10, as registered, with "K-4" in the name/);
    assert.match(filtered, /task-40[\s\S]*task-49/);
    assert.doesNotMatch(filtered, /task-39/);
    terminal.press(ESCAPE);
    await terminal.shows(/ of 60, as registered$/m);
    terminal.press('s');
    await terminal.shows(/ of 60, by name$/m);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('Enter shows one task: when it is due, its last runs with what they threw, what it wrote', async () => {
    const cwd = project(`{ tasks: [
      ['bad', '* * * * *', () => { console.log('about to fail'); throw new Error('out of order'); }, minutes(59)],
      ['other', '0 0 1 1 *', () => {}, 0],
    ] }`);
    const terminal = show(cwd, { columns: 80, rows: 24 });
    await terminal.shows(/bad +retry/);
    terminal.press(DOWN);
    terminal.press(ENTER);
    // When a minute begins the task runs again, and for a moment it does not wait for its retry.
    const screen = await terminal.shows(/\nbad {2}retry\n[\s\S]*LAST RUNS\n +\d\d:\d\d +failure/);
    assert.match(screen, /\nbad {2}retry\nEvery minute {2}\(\* \* \* \* \*, UTC\)\nNext start: /);
    assert.match(screen, /\nLast error: Error: out of order\n/);
    assert.match(screen, /\nOUTPUT\n +\d\d:\d\d:\d\d {2}about to fail/);
    terminal.press('j');
    await terminal.shows(/\nother {2}waiting\n[\s\S]*LAST RUNS\n +none yet/);
    terminal.press('q');
    await terminal.shows(/^TASK +STATE/m);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('q asks before it stops, and only y stops', async () => {
    const terminal = show(project(FOREVER));
    await terminal.shows(/one +running/);
    terminal.press('q');
    await terminal.shows(/Stop the schedule, after what runs has ended\? y stops it/);
    terminal.press('n');
    await terminal.shows(/Ctrl-C stops, after what runs has ended · \? keys$/);
    terminal.press('q');
    await terminal.shows(/Stop the schedule/);
    terminal.press('y');
    assert.equal(await terminal.exited, 0);
  });
});
