/** `run --trace` and `run --monitor`: what is recorded survives a kill, is judged as it happens, and harms no schedule. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { LineReporter } from '../../src/cli/run/line-reporter.ts';
import { Monitoring } from '../../src/cli/run/monitoring.ts';
import type { Notice } from '../../src/cli/run/reporter.ts';
import { styleFor } from '../../src/cli/terminal/style.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { begin, cli, environment, main, project } from './kit.ts';
import { CTRL_C, show } from './terminal.ts';

const tasks = `['quick', '* * * * *', () => console.log('hello'), 1000], ['long', '* * * * *', untilStopped, 1000]`;
const recorded = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).event);

describe('run --trace and --monitor', { concurrency: 2 }, () => {
  test('a trace goes on after a SIGKILL, the monitor knows what was before, and check agrees', async () => {
    const cwd = project(`{ tasks: [${tasks}] }`);
    const words = ['run', '--trace', 'trace.jsonl', '--monitor'];
    const killed = begin(words, { cwd });
    await killed.says(/long {2}started/);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const again = begin(words, { cwd });
    await again.says(/long {2}started again, its last run was cut off/);
    again.child.kill('SIGTERM');
    const { code, stdout } = await again.ended;
    assert.equal(code, 0);
    assert.match(stdout, /stopped, everything is durable\n/);
    assert.match(stdout, /\nThe monitor: \d+ records, 2 tasks, 1 crash {2}UTC\n✓ conformant\n/);
    const events = recorded(join(cwd, 'trace.jsonl'));
    assert.equal(events.filter((event) => event === 'UnexpectedShutdown').length, 1);
    assert.equal(events.at(-1), 'StopEnd');
    const verdict = await cli(['check', 'trace.jsonl'], { cwd });
    assert.equal(verdict.code, 0, verdict.stdout);
    assert.match(verdict.stdout, /1 crash {2}UTC\n✓ conformant\n/);
  });

  test('a trace without a monitor prints no verdict', async () => {
    const cwd = project(`{ store: memory(), tasks: [${tasks}] }`);
    const run = begin(['run', '--trace', 'trace.jsonl'], { cwd });
    await run.says(/long {2}started/);
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.ended;
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /monitor|conformant/);
    assert.equal(recorded(join(cwd, 'trace.jsonl')).at(-1), 'StopEnd');
  });

  test('the live view shows the verdict in a line, and leaves it behind', async () => {
    const terminal = show(project(`{ store: memory(), tasks: [${tasks}] }`), { rows: 40 }, '--monitor');
    const screen = await terminal.shows(/^the monitor: conformant$/m);
    assert.match(screen, /^obbligato 2 tasks .*\nthe monitor: conformant\n/);
    await terminal.shows(/● long +running/);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
    assert.match(terminal.screen, /The monitor: \d+ records, 2 tasks {2}UTC\n✓ conformant\n/);
  });

  test('in JSON the verdict is a line, when it changes and at the end', async () => {
    const run = begin(['run', '--monitor', '--json'], {
      cwd: project(`{ store: memory(), tasks: [${tasks}] }`),
    });
    await run.says(/"type":"Verdict"/);
    await run.says(/"type":"TaskRunStarted"[^\n]*"task":"long"/);
    run.child.kill('SIGTERM');
    const { stdout } = await run.ended;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { type, verdict } = lines.at(-1);
    assert.deepEqual([type, verdict.conformant, verdict.blame], ['Verdict', true, 'none']);
    assert.equal(verdict.axioms.S1.status, 'holds');
  });

  test('a store with a history that is in no trace is not judged, and says so', async () => {
    const cwd = project(`{ tasks: [${tasks}] }`);
    const first = begin(['run'], { cwd });
    await first.says(/long {2}started/);
    first.child.kill('SIGKILL');
    await first.ended;
    for (const [words, message] of [
      [['--monitor'], /obbligato {2}not monitored: the store has a history that is in no trace/],
      [['--trace', 'late.jsonl'], /obbligato {2}the trace begins in the middle: the store has a history/],
    ] as const) {
      const run = begin(['run', ...words], { cwd });
      await run.says(/obbligato {2}running/);
      run.child.kill('SIGTERM');
      const { code, stdout } = await run.ended;
      assert.equal(code, 0);
      assert.match(stdout, message);
      assert.doesNotMatch(stdout, /conformant/);
    }
  });

  test('a file that is no trace is left as it is, and nothing is begun', async () => {
    const cwd = project(`{ tasks: [${tasks}] }`);
    writeFileSync(join(cwd, 'diary.txt'), 'Dear diary\n');
    const { code, stderr } = await cli(['run', '--trace', 'diary.txt'], { cwd });
    assert.equal(code, 1);
    assert.match(stderr, /diary\.txt" is not a trace .*it was left as it is/);
    assert.equal(readFileSync(join(cwd, 'diary.txt'), 'utf8'), 'Dear diary\n');
    assert.ok(!existsSync(join(cwd, 'obbligato.db')));
  });

  test('a place where no trace can be is told in words, before anything is begun', async () => {
    const cwd = project(`{ tasks: [${tasks}] }`);
    for (const [file, complaint] of [
      ['', '--trace takes the path of a file, such as --trace trace.jsonl'],
      ['.', `--trace takes a file, and ${cwd} is a folder`],
      ['nowhere/trace.jsonl', `There is no folder ${join(cwd, 'nowhere')} for the trace`],
    ]) {
      const { code, stderr } = await cli(['run', '--trace', file], { cwd });
      assert.deepEqual([code, stderr], [2, `error: ${complaint}\nSee "obbligato run --help".\n`]);
    }
    assert.ok(!existsSync(join(cwd, 'obbligato.db')));
  });

  test('a file that can be written no more is told, and the schedule goes on', async () => {
    const many = `...Array.from({ length: 200 }, (_, i) => ['far-' + i, '0 0 29 2 *', () => {}, 1000])`;
    const cwd = project(`{ store: memory(), tasks: [${tasks}, ${many}] }`);
    const limited = 'ulimit -f 4; exec "$@"';
    const child = spawn(
      '/bin/sh',
      ['-c', limited, 'sh', process.execPath, main, 'run', '--trace', 'trace.jsonl', '--monitor'],
      { cwd, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    const stopping = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        said += chunk;
        if (/long {2}started/.test(said)) resolve();
      });
    });
    await stopping;
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    assert.equal(code, 0, said);
    assert.match(said, /obbligato {2}Trace file ".*trace\.jsonl" cannot be written/);
    assert.match(said, /quick {2}done in/);
    assert.match(said, /✓ conformant/);
  });
});

describe('the monitor of a run', () => {
  const at = (time: string): number => Date.parse(`2027-03-02T${time}Z`);

  test('a violation is told when it is found, and then the verdict', async () => {
    const notices: Notice[] = [];
    const monitoring = new Monitoring(
      () => at('12:00:05'),
      (notice) => notices.push(notice),
    );
    const registrations = [{ name: 'report', cron: '0 12 * * *', retryDelayMs: 5000 }];
    const run = { task: 'report', runId: '1', instance: 'i' };
    monitoring.sink({ event: 'InitStart', at: at('11:59:00'), call: 1, registrations, timeZone: 'UTC' });
    const planned = { plannedAt: at('11:59:00'), call: 1, instance: 'i' };
    monitoring.sink({ event: 'InitSuccess', at: at('11:59:00'), ...planned });
    monitoring.sink({ event: 'StartDurable', at: at('11:59:30'), ...run });
    monitoring.sink({ event: 'RunStart', at: at('11:59:30'), ...run });
    assert.deepEqual(
      notices.map(({ type }) => type),
      ['Violation'],
    );
    await monitoring.close();
    assert.equal(monitoring.verdict?.blame, 'scheduler');
    let said = '';
    const out = { write: (text: string) => (said += text) };
    const facts = { tasks: [], store: 'memory', config: 'c', timeZone: 'Asia/Tokyo', pid: 42 };
    const reporter = new LineReporter(out, styleFor(out, {}), zoneOf('Asia/Tokyo'), facts);
    for (const notice of notices) reporter.notice(notice);
    assert.match(
      said,
      /^2027-03-02T21:00:05\.000\+09:00 {2}report {2}S1 is violated: "report" was started at 2027-03-02T20:59:30\.000\+09:00, but nothing was owed.*\n.* {2}obbligato {2}the monitor: not conformant: the scheduler is at fault: S1\n$/,
    );
  });

  test('what an earlier process did is judged, but told no more', async () => {
    const notices: Notice[] = [];
    const monitoring = new Monitoring(
      () => at('12:00:05'),
      (notice) => notices.push(notice),
    );
    monitoring.remember({ record: { event: 'RunStart', at: at('11:00:00'), task: 'x' }, line: 1, file: 'f' });
    assert.deepEqual(notices, []);
    await monitoring.close();
    assert.deepEqual(notices, []);
  });
});
