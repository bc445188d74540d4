/** F2 for programs: a scheduler is really killed, its program lives on, and is ended before its run is started again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { markOf } from '../../src/command/process-table.ts';
import { CommandLeftoverError, command } from '../../src/index.ts';
import { until } from '../patience.ts';
import { contextOf, folder, live, lives, memosIn } from './kit.ts';

const fresh = (): string => mkdtempSync(join(folder, 'life-'));
/** Says whether the program before it is alive, then who it is itself, and stays. */
const witness = (setup: string, stay: string): string =>
  `old=$(cat pid 2>/dev/null || echo none); if grep -qs '^State:.[^ZX]' /proc/$old/status; then echo overlap; fi; ${setup} echo $$ > pid; echo "at work $$ $OBBLIGATO_REASON"; ${stay}`;

describe('a program that outlives its scheduler', () => {
  for (const [what, setup, stay] of [
    ['listens to SIGTERM', '', 'exec sleep 1000'],
    ['does not listen to SIGTERM', 'trap "" TERM;', 'while :; do sleep 0.01; done'],
  ] as const) {
    test(`F2 is ended before its run is started again, if it ${what}`, async () => {
      const place = fresh();
      const first = live('fixtures/life.ts', place, witness(setup, stay));
      const pid = Number((await first.says(/at work (\d+) due/))[1]);
      await first.kill();
      assert.ok(lives(pid), 'the program lives on');
      const second = live('fixtures/life.ts', place, witness(setup, stay));
      const [, next] = await second.says(/at work (\d+) orphaned/);
      assert.ok(!lives(pid), 'and is gone when it is started again');
      assert.ok(lives(Number(next)));
      assert.ok(!second.lines.some((line) => line.includes('overlap')));
      second.child.kill('SIGTERM');
      await second.says(/SchedulerStopped/);
      assert.ok(!lives(Number(next)));
      assert.deepEqual(memosIn(join(place, 'programs')), []);
    });
  }

  test('F2 what it has started is ended too, even if it is itself gone', async () => {
    const place = fresh();
    const line = `sh -c 'trap "" TERM; echo "child $$"; exec sleep 1000' & wait`;
    const first = live('fixtures/life.ts', place, `echo "leader $$"; ${line}`);
    const leader = Number((await first.says(/leader (\d+)/))[1]);
    const child = Number((await first.says(/child (\d+)/))[1]);
    await first.kill();
    process.kill(leader, 'SIGKILL');
    await until(() => !lives(leader));
    assert.ok(lives(child));
    const second = live('fixtures/life.ts', place, `echo "leader $$"; ${line}`);
    await second.says(/leader/);
    assert.ok(!lives(child));
    second.child.kill('SIGTERM');
    await second.says(/SchedulerStopped/);
  });

  test('a scheduler that leaves in order, by process.exit, takes its programs with it', async () => {
    const first = live('fixtures/life.ts', fresh(), 'echo "at work $$"; exec sleep 1000');
    const pid = Number((await first.says(/at work (\d+)/))[1]);
    first.child.kill('SIGUSR2');
    await until(() => !lives(pid));
  });

  test('a scheduler that is killed before its program is remembered has not started it', async () => {
    const place = fresh();
    const held = live('fixtures/gate.ts', place);
    await held.says(/held/);
    await held.kill();
    const withRun = (): string[] =>
      readdirSync('/proc').filter((name) => /^\d+$/.test(name) && lives(Number(name)) && isOf(place, name));
    await until(() => withRun().length === 0);
    assert.ok(!existsSync(join(place, 'ran')));
  });

  test('without a listener a program talks through its scheduler, under the name of its task', async () => {
    const life = live('fixtures/life.ts', fresh(), 'echo hello; exec sleep 1000');
    await life.says(/^job \| hello$/);
    life.child.kill('SIGTERM');
    await life.says(/TaskRunInterrupted .*Program "sh" of task "job" was ended by SIGTERM/);
  });
});

/** Whether a process works in a folder. */
function isOf(place: string, pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === place;
  } catch {
    return false;
  }
}

describe('what is remembered of a program', () => {
  /** A memo as another scheduler has left it. */
  const leave = (place: string, task: string, memo: object | string): void => {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const hash = createHash('sha256').update(task).digest('hex').slice(0, 16);
    const text = typeof memo === 'string' ? memo : JSON.stringify(memo);
    writeFileSync(join(place, `${task}-${hash}.99-99.json`), text);
  };
  const dead = { pid: 2 ** 22 - 1, mark: 'gone' };
  const bystander = (): number => {
    const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    return child.pid ?? 0;
  };

  test('a number that was given to another process since is left alone', async () => {
    const directory = fresh();
    const pid = bystander();
    leave(directory, 'reused', {
      task: 'reused',
      owner: dead,
      program: { pid, mark: 'earlier', runId: 'r' },
    });
    await command('true', { directory })(contextOf('reused'));
    assert.ok(lives(pid));
    assert.deepEqual(memosIn(directory), []);
    process.kill(pid, 'SIGKILL');
  });

  test('so is one of another boot, although the rest agrees', async () => {
    const directory = fresh();
    const pid = bystander();
    const [, tick] = (markOf(pid) ?? '').split(' ');
    const mark = `00000000-0000-0000-0000-000000000000 ${tick}`;
    leave(directory, 'rebooted', { task: 'rebooted', owner: dead, program: { pid, mark, runId: 'r' } });
    await command('true', { directory })(contextOf('rebooted'));
    assert.ok(lives(pid));
    process.kill(pid, 'SIGKILL');
  });

  test('and a program whose scheduler is alive is its own business', async () => {
    const directory = fresh();
    const pid = bystander();
    const owner = { pid: process.pid, mark: markOf(process.pid) };
    const program = { pid, mark: markOf(pid), runId: 'r' };
    leave(directory, 'shared', { task: 'shared', owner, program });
    await command('true', { directory })(contextOf('shared'));
    assert.ok(lives(pid));
    assert.equal(memosIn(directory).length, 1);
    process.kill(pid, 'SIGKILL');
  });

  test('but the same program is ended once its scheduler is dead', async () => {
    const directory = fresh();
    const pid = bystander();
    leave(directory, 'left', { task: 'left', owner: dead, program: { pid, mark: markOf(pid), runId: 'r' } });
    await command('true', { directory })(contextOf('left'));
    assert.ok(!lives(pid));
    assert.deepEqual(memosIn(directory), []);
  });

  test('a memo that goes while it is looked at is none', async () => {
    const directory = fresh();
    leave(directory, 'fleeting', '');
    const [name] = memosIn(directory);
    rmSync(join(directory, name));
    symlinkSync('nowhere', join(directory, name)); // there when the folder is listed, not when the file is read
    await command('true', { directory })(contextOf('fleeting'));
  });

  for (const [what, memo] of [
    ['torn', '{"task":"odd","own'],
    ['of all processes', { task: 'odd', owner: dead, program: { pid: -1, mark: 'x', runId: 'r' } }],
  ] as const) {
    test(`a memo that is ${what} keeps the task from starting, and says what to do`, async () => {
      const directory = fresh();
      leave(directory, 'odd', memo);
      await assert.rejects(
        Promise.resolve(command('true', { directory })(contextOf('odd'))),
        (error) => error instanceof CommandLeftoverError && /delete the file/.test(error.message),
      );
    });
  }
});
