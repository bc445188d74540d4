/** `obbligato run` away from a terminal: log lines, JSON Lines, signals, kills, and a store that is taken. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { repeatUntil } from '../patience.ts';
import { begin, cli, freshFolder, project } from './kit.ts';

const stamp = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

/** Sends SIGINT until it has left; see the live view's test. */
async function interruptUntilLeft({ child, ended }: ReturnType<typeof begin>): Promise<number | null> {
  const { code } = await repeatUntil('its end by SIGINT', ended, () => child.kill('SIGINT'));
  return code;
}

describe('run, away from a terminal', { concurrency: 2 }, () => {
  test('tells a line for each event, and what tasks write under their names', async () => {
    const cwd = project(`{ tasks: [
      ['greet', '* * * * *', async () => { console.log('Hello!'); await sleep(1); console.error('Oh!'); }, minutes(1)],
      ['flaky', '* * * * *', ({ attempt }) => { if (attempt < 2) throw new Error('not yet'); }, milliseconds(10)],
      ['shell', '* * * * *', command('echo from the shell'), minutes(1)],
      ['far', '0 0 29 2 *', () => {}, minutes(1)],
    ] }`);
    const running = begin(['run'], { cwd });
    await running.says(/flaky {2}done/);
    await running.says(/shell {2}done/);
    await running.says(/greet {2}done/);
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, '']);
    for (const line of [
      'obbligato  4 tasks of obbligato\\.config\\.ts, store obbligato\\.db, time zone UTC, pid \\d+',
      'obbligato  running; new: greet, flaky, shell, far',
      'greet  started \\(due \\d\\d:\\d\\d:00\\)',
      'greet  │ Hello!',
      'greet  │ Oh!',
      'greet  done in \\d+ ms',
      'flaky  failed after \\d+ ms: not yet \\(retry at \\d\\d:\\d\\d:\\d\\d, in 10 ms\\)',
      'flaky  tried again \\(attempt 2, due \\d\\d:\\d\\d:00\\)',
      'shell  │ from the shell',
      'obbligato  stopping',
      'obbligato  stopped, everything is durable',
    ]) {
      assert.match(stdout, new RegExp(`^${stamp}  ${line}$`, 'm'));
    }
  });

  test('--json gives every event as JSON, whatever tasks write', async () => {
    const cwd = project(`{ tasks: [
      ['talker', '* * * * *', async (context) => {
        console.log('{"not":"ours"}');
        process.stdout.write('no end');
        await untilStopped(context); // so a minute that begins meanwhile starts nothing
        throw new Error('no');
      }, minutes(5)],
    ] }`);
    const running = begin(['run', '--json', '--store', 'memory:'], { cwd });
    await running.says(/"Output"/);
    running.child.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const typed = (type: string) => events.filter((event) => event.type === type);
    assert.ok(events.every(({ type, at }) => typeof type === 'string' && typeof at === 'number'));
    assert.deepEqual(
      typed('Output').map(({ task, stream, line }) => [task, stream, line]),
      [
        ['talker', 'stdout', '{"not":"ours"}'],
        ['talker', 'stdout', 'no end'],
      ],
    );
    const { stack, ...error } = typed('TaskRunInterrupted')[0].error;
    assert.deepEqual(error, { name: 'Error', message: 'no' });
    assert.match(stack, /^Error: no\n {4}at \S*obbligato\.config\.ts:\d+:\d+$/);
    assert.equal(typed('SchedulerStopped').length, 1);
  });

  test('kill -9 during a run: the next one starts it again, and history is kept', async () => {
    const cwd = project(`{ tasks: [['long', '* * * * *', untilStopped, 0]] }`);
    const first = begin(['run'], { cwd });
    await first.says(/long {2}started \(due/);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = begin(['run'], { cwd });
    const said = await second.says(/long {2}started again, its last run was cut off \(attempt \d/);
    assert.match(said, /running; cut off: long/);
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
    const { records, owner } = await inspect(join(cwd, 'obbligato.db'));
    assert.equal(owner, 'free');
    assert.equal(records[0].run, null);
  });

  test('a program of command() is told to end at a stop, and taken along when it is left at once', async () => {
    const cwd = project(`{ tasks: [
      ['polite', '* * * * *', command('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.01; done'), 0],
      ['stubborn', '* * * * *', forever, 0],
    ] }`);
    const running = begin(['run'], { cwd });
    await running.says(/polite {2}│ up/);
    running.child.kill('SIGTERM');
    await running.says(/polite {2}│ bye[\s\S]*polite {2}done/);
    const code = await interruptUntilLeft(running);
    assert.equal(code, 130);
    assert.match(
      (await running.ended).stdout,
      /stopping: waiting for 2 tasks, Ctrl-C again leaves at once: (polite, stubborn|stubborn, polite)\n[\s\S]*left at once: 1 task was cut off and starts again at the next run: stubborn\n$/,
    );
  });

  test('a callback that nothing else keeps alive is waited for all the same', async () => {
    const running = begin(['run'], {
      cwd: project(`{ store: memory(), tasks: [['stuck', '* * * * *', forever, 0]] }`),
    });
    await running.says(/stuck {2}started/);
    running.child.kill('SIGTERM');
    await running.says(/stopping: waiting for 1 task, .*: stuck/);
    assert.equal(await interruptUntilLeft(running), 130);
    // The store of this one is memory.
    assert.match(
      (await running.ended).stdout,
      /left at once: 1 task was cut off and the store in memory is forgotten: stuck\n$/,
    );
  });

  test('a store that somebody else owns is named, with 1', async () => {
    const cwd = project(`{ tasks: [['one', '* * * * *', untilStopped, 0]] }`);
    const owner = begin(['run'], { cwd });
    await owner.says(/one {2}started/);
    const { code, stderr } = await cli(['run'], { cwd });
    assert.equal(code, 1);
    const told = `error: Store "${join(cwd, 'obbligato.db')}" is in use by another scheduler (pid ${owner.child.pid} on `;
    assert.ok(stderr.startsWith(told), stderr);
    assert.match(
      stderr,
      /\): stop that one, give this one a store of its own, or let it wait longer \(lockWait\)\n$/,
    );
    owner.child.kill('SIGTERM');
    assert.equal((await owner.ended).code, 0);
  });

  test('E6 one that waits for the store says so, and SIGTERM ends it in order', async () => {
    const cwd = project(`{ tasks: [], lockWait: Infinity }`);
    const owner = begin(['run'], { cwd });
    await owner.says(/running/);
    const standby = begin(['run'], { cwd });
    await standby.says(/in use by another scheduler \(pid \d+ on .*\); waiting for it to let go/);
    standby.child.kill('SIGTERM');
    const { code, stderr } = await standby.ended;
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    owner.child.kill('SIGTERM');
    assert.equal((await owner.ended).code, 0);
  });

  test('--store memory is no store in memory, and no file by accident', async () => {
    const cwd = project(`{ tasks: [] }`);
    for (const word of ['memory', ':memory']) {
      const { code, stderr } = await cli(['run', '--store', word], { cwd });
      assert.equal(code, 2);
      assert.ok(
        stderr.startsWith(
          `error: Did you mean "memory:"? For a file of the name "${word}" give ./${word}\nSee `,
        ),
        stderr,
      );
      assert.ok(!existsSync(join(cwd, word)));
    }
    const running = begin(['run', '--store', './memory'], { cwd });
    await running.says(/ running$/m);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
    assert.ok(existsSync(join(cwd, 'memory')));
  });

  test('a file that is no store is left as it is, with 1', async () => {
    const cwd = project(`{ tasks: [['one', '* * * * *', untilStopped, 0]] }`);
    const text = 'a letter to somebody\n'.repeat(100);
    writeFileSync(join(cwd, 'letter.txt'), text);
    const { code, stderr } = await cli(['run', '--store', 'letter.txt'], { cwd });
    assert.equal(code, 1);
    assert.match(stderr, /^error: Store file ".*letter\.txt" is not a database/);
    assert.doesNotMatch(stderr, / {4}at /);
  });

  test('when nothing reads the lines any more it stops in order, with 1 so that a supervisor starts it again', async () => {
    const cwd = project(`{ tasks: [['talker', '* * * * *', async ({ signal }) => {
      while (!signal.aborted) { console.log('still here'); await sleep(5); }
    }, 0]] }`);
    const running = begin(['run'], { cwd });
    await running.says(/still here/);
    running.child.stdout?.destroy();
    const { code, stderr } = await running.ended;
    assert.deepEqual(
      [code, stderr],
      [1, 'error: Nothing reads the output any more, so the schedule has ended\n'],
    );
    const { records } = await inspect(join(cwd, 'obbligato.db'));
    assert.equal(records[0].run, null);
    assert.equal(typeof records[0].lastSuccessAt, 'number');
  });

  test('a connection that the configuration has opened does not keep it from leaving', async () => {
    const into = freshFolder();
    project(`(setInterval(() => {}, 60_000), { store: memory(), tasks: [] })`, { into });
    const running = begin(['run'], { cwd: into });
    await running.says(/0 tasks/);
    await running.says(/ running$/m);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
  });

  test('the options of the configuration are those of the scheduler', async () => {
    const cwd = project(`{
      store: 'memory:',
      timeZone: 'Asia/Kathmandu',
      workers: 1,
      onEvent: ({ type }) => console.log('heard ' + type),
      trace: ({ event, workers }) => console.log('traced ' + event + (workers ?? '')),
      tasks: [['one', '* * * * *', () => {}, 0]],
    }`);
    const running = begin(['run'], { cwd });
    await running.says(/one {2}done/);
    running.child.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    for (const part of [
      /\+05:45 {2}obbligato {2}1 task of/,
      /store memory, time zone Asia\/Kathmandu/,
      /│ heard TaskRunStarted/,
      /│ traced InitStart1/,
      /│ traced RunSuccess/,
      /obbligato {2}stopped, and the store in memory is forgotten\n/,
    ]) {
      assert.match(stdout, part);
    }
  });
});
