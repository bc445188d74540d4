/** The live view of `run`, on a real pseudo-terminal: what it shows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { project } from './kit.ts';
import { CTRL_C, isHidden, show } from './terminal.ts';

const colours = /\p{Cc}\[[\d;]*m/u;

describe('the live view', { concurrency: 2 }, () => {
  test('shows the state, the next start, the last run, and what tasks write; leaves the terminal as it was', async () => {
    const terminal = show(
      project(`{ tasks: [
        ['greet', '* * * * *', () => console.log('Hello!'), minutes(1)],
        ['long', '* * * * *', untilStopped, minutes(1)],
        ['broken', '* * * * *', () => { throw new Error('out of order') }, minutes(59)],
        ['far', '30 3 29 2 *', () => {}, minutes(1)],
      ] }`),
    );
    const rows = [
      /^○ greet +waiting +\d\d:\d\d +(\d+ s|1 min) +✓ \d+ ms +\d+ s +\d +0 +\d/m,
      /^● long +running \d+ s/m,
      /^↻ broken +retry +\d\d:\d\d +(\d+ s|1 min) +✗ \d+ ms/m,
    ];
    // When a minute begins two of them run again, and for a moment they do not wait.
    const screen = await terminal.shows((now) => rows.every((row) => row.test(now)));
    assert.ok(terminal.isAlternate && isHidden(terminal));
    assert.match(screen, /^obbligato 4 tasks · pid \d+ · obbligato\.db · UTC +\d\d:\d\d:\d\d$/m);
    assert.match(screen, /^TASK +STATE +NEXT +IN +LAST +AGO +RUNS +FAILED +LATE/m);
    assert.match(screen, /^○ far +waiting +20\d\d-02-29 03:30 +\d+ d/m);
    assert.match(screen, /greet {2}│ Hello!/);
    assert.match(screen, /broken {2}failed after \d+ ms: out of order/);
    assert.match(screen, /Ctrl-C stops, after what runs has ended · \? keys$/);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
    assert.ok(!terminal.isAlternate && !isHidden(terminal));
    assert.match(
      terminal.screen,
      /✓ .*\n[\s\S]*stopping: waiting for 1 task, Ctrl-C again leaves at once: long\nstopped, everything is durable$/,
    );
  });

  test('says who is owed a start that no worker is free for', async () => {
    const terminal = show(
      project(`{ store: memory(), workers: 1, tasks: [
        ['long', '* * * * *', untilStopped, 0],
        ['second', '* * * * *', () => {}, 0],
      ] }`),
    );
    // It is owed from the beginning of the minute on, which may be a minute ago when the first frame is drawn.
    const screen = await terminal.shows(/⚠ second +owed \d+ (s|min)/);
    assert.match(screen, /^● long +running/m);
    assert.match(screen, /^⚠ second +owed (\d+ s|1 min( \d+ s)?) +\d\d:\d\d +now /m);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('counts down, with nothing happening', async () => {
    const terminal = show(project(`{ store: memory(), tasks: [['far', '0 0 1 1 *', () => {}, 0]] }`));
    const clockOf = (screen: string): string | undefined => / (\d\d:\d\d:\d\d)$/m.exec(screen)?.[1];
    const first = clockOf(await terminal.shows(/far/));
    const second = clockOf(await terminal.shows((screen) => clockOf(screen) !== first));
    await terminal.shows((screen) => clockOf(screen) !== second);
    terminal.kill('SIGKILL');
  });

  test('follows the size of the terminal', async () => {
    const terminal = show(
      project(`{ tasks: [['a task with a rather long name, really', '* * * * *', untilStopped, 0]] }`),
      { columns: 140, rows: 20 },
    );
    await terminal.shows(
      /RUNS +FAILED +LATE +CRON\n● a task with a rather long name, really +running.*\* \* \* \* \*$/m,
    );
    for (const [columns, rows, pattern] of [
      [60, 20, /^TASK +STATE +NEXT +IN$/m],
      [24, 8, /^● a [^\n]*… +(\d+ s|1 min)$/m],
      [12, 4, /^● /m],
      [140, 30, /RUNS +FAILED +LATE +CRON$/m],
    ] as const) {
      terminal.resize(columns, rows);
      // The emulator cuts what it has at once; what counts is the frame that is drawn for the new size, down to its last line.
      await terminal.shows((screen) => {
        const lines = screen.split('\n');
        const isWhole = rows === 4 || /^Ctrl-C/.test(lines.at(-1) ?? '');
        return pattern.test(screen) && isWhole && lines.every((line) => line.length < columns);
      });
    }
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('with more tasks than rows shows those that matter, and says how many are hidden', async () => {
    const terminal = show(
      project(`{ tasks: [
        ...Array.from({ length: 30 }, (_, index) => ['task ' + index, '0 0 1 1 *', () => {}, 0]),
        ['busy', '* * * * *', untilStopped, 0],
        ['broken', '* * * * *', () => { throw new Error('no') }, minutes(50)],
      ] }`),
      { rows: 12 },
    );
    const screen = await terminal.shows(/● busy +running[\s\S]*↻ broken +retry/);
    const hidden = Number(/… and (\d+) more: \d+ waiting$/m.exec(screen)?.[1]);
    assert.equal(hidden + (screen.match(/^[○●↻] /gm)?.length ?? 0), 32);
    terminal.resize(100, 60);
    await terminal.shows((now) => (now.match(/^[○●↻] /gm)?.length ?? 0) === 32 && !now.includes('more:'));
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('has colours, but not against NO_COLOR', async () => {
    const cwd = project(`{ store: memory(), tasks: [['one', '* * * * *', untilStopped, 0]] }`);
    for (const [env, expected] of [
      [{}, true],
      [{ NO_COLOR: '1' }, false],
      [{ NO_COLOR: '' }, true],
    ] as const) {
      const terminal = show(cwd, { env });
      await terminal.shows(/one +running/);
      terminal.press(CTRL_C);
      assert.equal(await terminal.exited, 0);
      assert.equal(colours.test(terminal.raw), expected);
    }
  });

  test('--plain gives log lines on a terminal, and so does a dumb one', async () => {
    const cwd = project(`{ store: memory(), tasks: [['one', '* * * * *', untilStopped, 0]] }`);
    for (const terminal of [show(cwd, {}, '--plain'), show(cwd, { env: { TERM: 'dumb' } })]) {
      await terminal.shows(/one {2}started/);
      assert.ok(!terminal.isAlternate);
      terminal.press(CTRL_C);
      assert.equal(await terminal.exited, 0);
    }
  });

  test('draws ten times a second at the most, whatever happens', async () => {
    const began = performance.now();
    const terminal = show(
      project(`{ store: memory(), tasks: [['flood', '* * * * *', async () => {
        for (let line = 0; line < 20000; line++) { console.log('line ' + line); if (line % 20 === 0) await sleep(1); }
        console.log('the end');
      }, 0]] }`),
    );
    await terminal.shows(/│ the end/);
    const frames = terminal.raw.split('\u001b[?2026h').length - 1;
    const seconds = (performance.now() - began) / 1000;
    assert.ok(frames >= 3 && frames <= seconds * 11 + 3, `${frames} frames in ${seconds} s`);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });

  test('names and lines that hold control characters do nothing to the terminal', async () => {
    const terminal = show(
      project(
        `{ store: memory(), tasks: [['evil\\u001b[2J\\nname', '* * * * *', (context) => { console.log('a\\u001b[?1049l\\u0007b'); return untilStopped(context); }, 0]] }`,
      ),
    );
    const screen = await terminal.shows(/● evil\\u\{1b\}\[2J\\u\{a\}name +running[\s\S]*│ a/);
    assert.ok(terminal.isAlternate);
    assert.match(screen, /^obbligato 1 task /);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });
});
