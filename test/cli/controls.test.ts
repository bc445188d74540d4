/** `obbligato trigger`, `pause`, `resume`, `cancel`: against a scheduler in another process (I1–I4). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { history, inspect, type PastRun } from '../../src/index.ts';
import { begin, cli, type Ended, project, type Running } from './kit.ts';
import { Terminal } from './terminal.ts';

const RARE = '0 0 29 2 *';
const CONFIG = `{ timeZone: 'UTC', tasks: [
  ['backup', '${RARE}', () => console.log('copied'), minutes(5)],
  ['long', '${RARE}', untilStopped, minutes(5)],
] }`;

async function running(config = CONFIG): Promise<{ cwd: string; scheduler: Running }> {
  const cwd = project(config);
  const scheduler = begin(['run'], { cwd });
  await scheduler.says(/running/);
  return { cwd, scheduler };
}

/** Long enough for a busy machine: an answer ends the waiting at once. */
const ask = (cwd: string, ...words: string[]): Promise<Ended> => cli([...words, '--wait', '10m'], { cwd });
async function runsIn(cwd: string): Promise<PastRun[]> {
  const runs: PastRun[] = [];
  for await (const run of history(join(cwd, 'obbligato.db'))) runs.push(run);
  return runs;
}

const pausedIn = async (cwd: string): Promise<unknown[]> =>
  (await inspect(join(cwd, 'obbligato.db'))).records.map(({ name, pausedAt }) => [name, pausedAt !== null]);

describe('the controls of the command line', { concurrency: 2 }, () => {
  test('I2 trigger starts a task now, and says when', async () => {
    const { cwd, scheduler } = await running();
    const { code, stdout } = await ask(cwd, 'trigger', 'backup');
    assert.match(stdout, /^✓ backup: at \d\d:\d\d:\d\d, after [\d.]+ m?s: started\n$/);
    assert.equal(code, 0);
    await scheduler.says(/backup {2}is asked to run now[\s\S]*backup {2}done/);
    scheduler.child.kill('SIGTERM');
    await scheduler.ended;
    const [run] = await runsIn(cwd);
    assert.deepEqual([run.task, run.reason, run.outcome], ['backup', 'manual', 'success']);
  });

  test('I3 pause and resume are durable and say so; --json has the state and the instant', async () => {
    const { cwd, scheduler } = await running();
    const paused = await ask(cwd, 'pause', 'backup', '--json');
    const document = JSON.parse(paused.stdout);
    assert.deepEqual(
      [paused.code, document.task, document.kind, document.state, document.text],
      [0, 'backup', 'pause', 'applied', 'paused'],
    );
    assert.ok(Number.isFinite(Date.parse(document.at)));
    assert.deepEqual(await pausedIn(cwd), [
      ['backup', true],
      ['long', false],
    ]);
    assert.match((await ask(cwd, 'pause', 'backup')).stdout, /^✓ backup: at .*: it was paused already\n$/);
    assert.match(
      (await ask(cwd, 'resume', 'backup', '--catch-up')).stdout,
      /^✓ backup: at \d\d:\d\d:\d\d.*: goes on/,
    );
    assert.deepEqual(await pausedIn(cwd), [
      ['backup', false],
      ['long', false],
    ]);
    scheduler.child.kill('SIGTERM');
    assert.equal((await scheduler.ended).code, 0);
  });

  test('I4 cancel asks on a terminal, needs --yes elsewhere, and says why it is refused', async () => {
    const { cwd, scheduler } = await running();
    const unasked = await ask(cwd, 'cancel', 'long');
    assert.deepEqual([unasked.code, unasked.stdout], [2, '']);
    assert.match(unasked.stderr, /There is no terminal to ask on .*: say it with --yes/);
    const idle = await ask(cwd, 'cancel', 'long', '--yes');
    assert.equal(idle.code, 1);
    assert.match(idle.stdout, /^✗ long: refused at .*: it does not run\n$/);
    await ask(cwd, 'trigger', 'long');
    const terminal = new Terminal(['cancel', 'long', '--wait', '10m'], { cwd });
    await terminal.shows(/Cancel the run of "long"\? It is not tried again before it is due\. \[y\/N\]/);
    terminal.press('y\r');
    assert.equal(await terminal.exited, 0);
    assert.match(terminal.screen, /✓ long: at \d\d:\d\d:\d\d, after .*: its signal is aborted/);
    await scheduler.says(/long {2}is asked to end its run/);
    scheduler.child.kill('SIGTERM');
    await scheduler.ended;
    assert.deepEqual(
      (await runsIn(cwd)).map(({ task, outcome }) => [task, outcome]),
      [['long', 'success']],
    );
  });

  test('I1 without a scheduler the request waits for the next one, and that is exit code 3', async () => {
    const { cwd, scheduler } = await running();
    scheduler.child.kill('SIGTERM');
    await scheduler.ended;
    const { code, stdout } = await cli(['trigger', 'backup', '--wait', '0s'], { cwd });
    assert.deepEqual([code, stdout], [3, '○ backup: no scheduler runs: the next one does it\n']);
    await cli(['pause', 'long', '--wait', '0s'], { cwd });
    const status = await cli(['status'], { cwd });
    assert.match(
      status.stdout,
      /\n\n2 requests wait for the next scheduler:\n {2}trigger backup, asked (now|.* ago)\n {2}pause long, asked (now|.* ago)\n$/,
    );
    const { requests } = JSON.parse((await cli(['status', '--json'], { cwd })).stdout);
    assert.deepEqual(
      requests.map(({ kind, task }: Record<string, unknown>) => [kind, task]),
      [
        ['run', 'backup'],
        ['pause', 'long'],
      ],
    );
    const list = await cli(['list'], { cwd });
    assert.match(list.stdout, /\n\nAsked for, and not done yet: trigger backup, pause long\n$/);
    const next = begin(['run'], { cwd });
    await next.says(/copied/);
    next.child.kill('SIGTERM');
    await next.ended; // then the answers are durable
    assert.doesNotMatch((await cli(['status'], { cwd })).stdout, /requests? wait|trigger backup/);
  });

  test('I4 without a scheduler nothing runs, and a cancel is refused at once', async () => {
    const { cwd, scheduler } = await running();
    scheduler.child.kill('SIGTERM');
    await scheduler.ended;
    const { code, stdout } = await cli(['cancel', 'long', '--yes'], { cwd });
    assert.deepEqual(
      [code, stdout],
      [1, '✗ long: refused: no scheduler runs on the store, so there is no run to cancel\n'],
    );
    const { state } = JSON.parse((await cli(['cancel', 'long', '--yes', '--json'], { cwd })).stdout);
    assert.equal(state, 'refused');
    assert.deepEqual((await inspect(join(cwd, 'obbligato.db'))).requests, [], 'nothing waits');
  });

  test('a name that nothing knows is refused before anything is asked, with the nearest one', async () => {
    const { cwd, scheduler } = await running();
    const { code, stderr } = await ask(cwd, 'trigger', 'backpu');
    assert.equal(code, 1);
    assert.match(stderr, /obbligato\.db knows no task "backpu": did you mean "backup"\?/);
    scheduler.child.kill('SIGTERM');
    await scheduler.ended;
    const missing = await cli(['pause', 'x', '--store', 'nowhere.db'], { cwd });
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /nowhere\.db/);
    const forgotten = await cli(['pause', 'x', '--store', 'memory:'], { cwd });
    assert.match(forgotten.stderr, /memory\(\), which only the process of its scheduler can see/);
  });

  test('words of other tools lead to them', async () => {
    const said = (word: string): Promise<string> => cli([word, '--help']).then(({ stdout }) => stdout);
    assert.match(await said('unpause'), /Usage: obbligato resume \[options\] <task>/);
    assert.match(await said('execute'), /Usage: obbligato trigger \[options\] <task>/);
  });
});
