/** Output that cannot be written: a full disk costs `run` lines of its log, and any other command its success. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Loss } from '../../src/cli/run/flow.ts';
import { Log } from '../../src/cli/run/log.ts';
import { until } from '../patience.ts';
import { environment, freshFolder, main, project } from './kit.ts';

interface Streams {
  readonly stdout: string;
  readonly stderr?: string;
}

/** A command whose streams are files, under a limit on how long they may become. */
function written(words: readonly string[], cwd: string, { stdout, stderr }: Streams, limit = 'unlimited') {
  const child = spawn(
    '/bin/sh',
    ['-c', 'ulimit -f "$0"; exec "$@"', limit, process.execPath, main, ...words],
    {
      cwd,
      env: environment(),
      stdio: ['ignore', openSync(stdout, 'a'), stderr === undefined ? 'pipe' : openSync(stderr, 'a')],
    },
  );
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stderr: said }));
  /** Until a file is there, which the process makes; one that has ended makes none. */
  const makes = async (name: string): Promise<void> => {
    const isThere = (): boolean => existsSync(join(cwd, name));
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await until(() => isThere() || isOver);
    assert.ok(isThere(), `it ended without ${name}: ${said}`);
  };
  return { child, ended, makes };
}

/**
 * Writes more than four blocks, says so with a file, waits for another one, and writes one more line. It runs until it is stopped, so a
 * minute that begins meanwhile starts nothing.
 */
const talker = `['talker', '* * * * *', async (context) => {
  for (let line = 0; line < 100; line++) console.log('line ' + line + ' ' + 'x'.repeat(80));
  writeFileSync('full', '');
  while (!existsSync('room')) await sleep(5);
  console.log('after');
  writeFileSync('done', '');
  await untilStopped(context);
}, 0]`;

describe('output that cannot be written', { concurrency: 2 }, () => {
  test('run on a log that may grow no more goes on, and says what was lost when there is room again', async () => {
    const cwd = project(`{ store: memory(), tasks: [${talker}] }`);
    const log = join(cwd, 'log');
    const { child, ended, makes } = written(['run'], cwd, { stdout: log }, '4');
    await makes('full');
    truncateSync(log);
    writeFileSync(join(cwd, 'room'), '');
    await makes('done');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, { code: 0, stderr: '' });
    assert.match(
      readFileSync(log, 'utf8'),
      /obbligato {2}\d\d lines of the log are lost: EFBIG: file too large, write\n.*talker {2}│ after\n.*obbligato {2}stopping.*\n.*talker {2}done in .*\n[\s\S]*stopped/,
    );
  });

  for (const form of ['--plain', '--json']) {
    test(`run ${form} on a disk that stays full does its work, says what was lost at its end, and exits with 0`, async () => {
      const cwd = project(`{ store: memory(), tasks: [${talker}] }`);
      writeFileSync(join(cwd, 'room'), '');
      const { child, ended, makes } = written(['run', form], cwd, { stdout: '/dev/full' });
      await makes('done');
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      assert.match(stderr, /^1\d\d lines of the log are lost: ENOSPC: no space left on device, write\n$/);
      assert.equal(code, 0);
    });
  }

  test('run goes on if standard error is full too', async () => {
    const cwd = project(`(console.log('loading'), { store: memory(), tasks: [${talker}] })`);
    writeFileSync(join(cwd, 'room'), '');
    const { child, ended, makes } = written(['run', '--monitor'], cwd, {
      stdout: '/dev/full',
      stderr: '/dev/full',
    });
    await makes('done');
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  for (const words of [['next', '0 0 * * *'], ['--version'], ['--help'], ['completion', 'bash']]) {
    test(`${words.join(' ')}: a line on standard error, and 1`, async () => {
      assert.deepEqual(await written(words, freshFolder(), { stdout: '/dev/full' }).ended, {
        code: 1,
        stderr: 'error: The output could not be written: ENOSPC: no space left on device, write\n',
      });
    });
  }

  test('a complaint that cannot be written leaves the exit code', async () => {
    const streams = { stdout: '/dev/null', stderr: '/dev/full' };
    assert.equal((await written(['next', 'nonsense'], freshFolder(), streams).ended).code, 2);
  });
});

describe('a log on a disk with so much room', () => {
  let disk = '';
  let room = 0;
  const told: Loss[] = [];
  const log = new Log(
    (bytes) => {
      const text = Buffer.from(bytes).toString().slice(0, room);
      if (text === '') throw new Error('no room');
      disk += text;
      room -= text.length;
      return text.length;
    },
    (loss) => {
      told.push(loss);
      log.write(`lost ${loss.lines}\n`);
    },
  );
  const after = (bytes: number, ...lines: string[]): string => {
    room = bytes;
    disk = '';
    for (const line of lines) log.write(`${line}\n`);
    return disk;
  };

  test('ends what was cut before anything else, and tells of what is lost once it can', () => {
    assert.equal(after(6, 'one', 'two', 'three'), 'one\ntw');
    assert.deepEqual([log.isWhole(), log.loss], [false, { lines: 1, reason: 'no room' }]);
    assert.equal(after(2, 'four'), 'o\n');
    assert.equal(log.loss?.lines, 2, 'there was room for the rest, but not to tell');
    assert.equal(after(3, 'five'), 'los');
    assert.equal(log.loss?.lines, 1, 'what is half told will be told');
    assert.equal(after(100, 'six'), 't 2\nlost 1\nsix\n');
    assert.deepEqual([log.isWhole(), log.loss], [true, undefined]);
    assert.equal(after(100, 'seven'), 'seven\n');
    assert.ok(told.every(({ reason }) => reason === 'no room'));
  });
});
