/** `run` into a real pipe whose reader stalls: the schedule goes on, the memory is bounded, and a signal ends the process. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { bounded, until } from '../patience.ts';
import { storeWith } from './damaged-store.ts';
import { environment, main, project } from './kit.ts';

interface Stalled {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
  makes(file: string): Promise<void>;
}

/** A command whose standard output nothing reads. */
function stalled(t: TestContext, words: readonly string[], cwd: string): Stalled {
  const child = spawn(process.execPath, [main, ...words], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'exit').then(([code]) => ({ code, stderr }));
  return {
    child,
    get ended() {
      return bounded(`the end of "${words.join(' ')}"`, exited, () => stderr);
    },
    makes: (file) => until(() => existsSync(join(cwd, file)) || child.exitCode !== null),
  };
}

/** The most memory that a process has had, in megabytes. */
const mostMemoryOf = ({ pid }: ChildProcess): number =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** A program that writes so many megabytes, in lines of a kilobyte, and then makes a file. */
const flood = (megabytes: number): string =>
  `['flood', '* * * * *', command("head -c ${megabytes}000000 /dev/zero | tr '\\\\0' x | fold -w 1000; touch flooded"), minutes(60)]`;

async function textOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) text += chunk;
  return text;
}

describe('a reader that stalls', { concurrency: 2 }, () => {
  test('costs lines, and neither memory nor the schedule', async (t) => {
    const running = stalled(t, ['run'], project(`{ store: memory(), tasks: [${flood(400)}] }`));
    await running.makes('flooded');
    const megabytes = mostMemoryOf(running.child);
    assert.ok(megabytes < 350, `${megabytes} MB for an output of 400 MB that nothing reads`);
    const text = textOf(running.child);
    // When it is read again: what was not lost, how much was, and what comes after.
    running.child.kill('SIGTERM');
    assert.deepEqual(await running.ended, { code: 0, stderr: '' });
    assert.match(
      await text,
      /flood {2}│ x{1000}\n[\s\S]*obbligato {2}[\d,]+ lines of the log are lost: their reader is too slow/,
    );
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`does not keep run at ${signal}`, async (t) => {
      const running = stalled(t, ['run'], project(`{ store: memory(), tasks: [${flood(5)}] }`));
      await running.makes('flooded');
      running.child.kill(signal);
      const { code, stderr } = await running.ended;
      assert.equal(code, 0);
      assert.match(stderr, /^[\d,]+ lines of the log are lost: their reader is too slow, or has stopped\n$/);
    });

    test(`does not keep status --watch at ${signal}`, async (t) => {
      const records = Array.from({ length: 2000 }, (_, index) => newRecord(`task ${index}`));
      const { folder } = await storeWith(t, records);
      const { child, ended } = stalled(t, ['status', '--watch', '--json'], folder);
      await once(child.stdout ?? assert.fail(), 'readable'); // it has begun to write, and nothing takes it
      child.kill(signal);
      assert.deepEqual(await ended, { code: 0, stderr: '' });
    });
  }
});
