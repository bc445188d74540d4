/** `obbligato logs`: what programs have written, kept with their runs, bounded, also after a crash. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { RunLog, readLogs } from '../../src/command/run-log.ts';
import { temporaryFolder } from '../store/kit.ts';
import { begin, cli, project, type Running } from './kit.ts';

const RARE = '0 0 29 2 *';
const run = (startedAt: number, runId = `run-${startedAt}`) => ({
  task: 'a/b c',
  runId,
  key: 'k',
  attempt: 1,
  reason: 'due',
  startedAt,
});

/** A scheduler that runs a task once, by request: the turn of a minute starts nothing. */
async function begun(cwd: string, task: string): Promise<Running> {
  const scheduler = begin(['run'], { cwd });
  await scheduler.says(/running/);
  await cli(['trigger', task, '--wait', '10m'], { cwd });
  return scheduler;
}

describe('obbligato logs', { concurrency: 2 }, () => {
  test('shows what the last run wrote on both streams, and how it ended; --json has the lines', async () => {
    const cwd = project(`{ timeZone: 'UTC', tasks: [
      ['backup', '${RARE}', command('echo copying; echo careful >&2; exit 3'), minutes(59)],
      ['quiet', '${RARE}', () => {}, 0],
    ] }`);
    const scheduler = await begun(cwd, 'backup');
    await scheduler.says(/backup {2}failed/);
    const { code, stdout } = await cli(['logs', 'backup'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /^\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \+00:00 {2}manual\n/);
    assert.match(stdout, /^\d\d:\d\d:\d\d copying$/m);
    assert.match(stdout, /^\d\d:\d\d:\d\d careful$/m);
    assert.match(stdout, /^failed after .*: Program "sh" of task "backup" exited with code 3\n$/m);
    const { task, entries } = JSON.parse((await cli(['logs', 'backup', '--json'], { cwd })).stdout);
    assert.equal(task, 'backup');
    assert.ok(entries.some(({ stream, line }: never) => stream === 'stderr' && line === 'careful'));
    const nothing = await cli(['logs', 'quiet'], { cwd });
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    assert.match(nothing.stderr, /Nothing that "quiet" wrote is kept/);
    const unknown = await cli(['logs', 'bakcup'], { cwd });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /has no task "bakcup": did you mean "backup"\?/);
    scheduler.child.kill('SIGTERM');
    await scheduler.ended;
  });

  test('shows what a program wrote whose scheduler was killed', async () => {
    const cwd = project(`{ tasks: [['long', '* * * * *', command('echo begun; sleep 600'), 0]] }`);
    const scheduler = begin(['run'], { cwd });
    await scheduler.says(/long {2}│ begun/);
    scheduler.child.kill('SIGKILL');
    await scheduler.ended;
    const { code, stdout } = await cli(['logs', 'long'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /begun\nit runs, or was cut off\n$/);
    const next = begin(['run'], { cwd }); // it ends the program that was left
    await next.says(/long {2}│ begun/);
    const both = await cli(['logs', 'long', '-n', '2'], { cwd });
    assert.match(
      both.stdout,
      /begun\nit was cut off\n[\s\S]*begun\nit runs, or was cut off\n$/,
      'of two runs of a task the older one does not run',
    );
    next.child.kill('SIGTERM');
    await next.ended;
  });
});

test('I4 a program that was cancelled is not called failed', async () => {
  const cwd = project(`{ tasks: [['long', '${RARE}', command('echo begun; exec sleep 600'), 0]] }`);
  const scheduler = await begun(cwd, 'long');
  await scheduler.says(/long {2}│ begun/);
  await cli(['cancel', 'long', '--yes', '--wait', '10m'], { cwd });
  await scheduler.says(/long {2}.*cancelled/);
  const { stdout } = await cli(['logs', 'long'], { cwd });
  assert.match(stdout, /begun\ncancelled after .*: .*SIGTERM\n$/);
  scheduler.child.kill('SIGTERM');
  await scheduler.ended;
});

describe('what is kept of the output', () => {
  test('is the first and the last lines of a program that writes without end, and how many lie between', async (t) => {
    const folder = await temporaryFolder(t);
    const log = new RunLog(folder, run(1));
    const count = 20_000;
    for (let index = 0; index < count; index++)
      log.line({ task: 'a/b c', stream: 'stdout', line: `line ${index} ${'x'.repeat(40)}` });
    log.end('too much');
    const [{ entries }] = readLogs(folder, 'a/b c', 1);
    const lines = entries.flatMap((entry) => ('line' in entry ? [entry.line] : []));
    const left = entries.reduce((sum, entry) => sum + ('leftOut' in entry ? entry.leftOut : 0), 0);
    assert.match(lines[0], /^line 0 /);
    assert.match(lines.at(-1) ?? '', new RegExp(`^line ${count - 1} `));
    assert.equal(lines.length + left, count);
    assert.ok(left > 10_000);
    assert.deepEqual(Object.values(entries.at(-1) ?? {}).slice(1), ['failure', 'too much']);
    const [name] = readdirSync(join(folder, 'output'));
    const [file] = readdirSync(join(folder, 'output', name));
    assert.ok(statSync(join(folder, 'output', name, file)).size < 400 * 1024);
    assert.equal(statSync(join(folder, 'output', name, file)).mode & 0o077, 0, 'only for its owner');
  });

  test('is of the last 20 runs of a task, and of no run that is older than the history', async (t) => {
    const folder = await temporaryFolder(t);
    const now = 100 * 86_400_000;
    new RunLog(folder, run(now - 40 * 86_400_000)).end(undefined);
    for (let index = 0; index < 25; index++) new RunLog(folder, run(now + index)).end(undefined);
    const kept = readLogs(folder, 'a/b c', 1000).map((log) => log.run.startedAt - now);
    assert.deepEqual(
      kept,
      Array.from({ length: 20 }, (_, index) => 24 - index),
    );
  });

  test('is nothing where nothing can be written, and the run goes on', async () => {
    const log = new RunLog('/proc/nowhere', run(1));
    log.line({ task: 'a', stream: 'stdout', line: 'x' });
    log.end(undefined);
    assert.deepEqual(readLogs('/proc/nowhere', 'a/b c', 1), []);
  });
});
