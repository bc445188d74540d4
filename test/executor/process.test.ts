/** Whole processes: they end by themselves (F5), and the example runs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

const root = dirname(dirname(import.meta.dirname));
const exits = join(import.meta.dirname, 'fixtures/exits.ts');

/** Runs Node to its own end; there is no other way out of here. */
async function run(...args: string[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout: stdout.trim(), stderr, code };
}

describe('F5: the process ends by itself', () => {
  for (const [scenario, expected] of [
    ['stopped', 'stopped'],
    ['finished', 'finished'],
    ['threads', 'finished'],
    ['thread', 'finished'],
  ] as const) {
    test(`F5 ${scenario}`, async () => {
      assert.deepEqual(await run(exits, scenario), { stdout: expected, stderr: '', code: 0 });
    });
  }
});

describe('threads that cannot start', () => {
  for (const [how, code, why] of [
    ['throws', 'throw new Error("no threads here")', /no threads here$/],
    ['exits', 'process.exit(3)', /worker exited with code: 3$/],
  ] as const) {
    test(`a preloaded module that ${how} in every thread fails the run, and nobody waits for ever`, async () => {
      const preload = `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) ${code};`;
      const { stdout } = await run(
        '--import',
        `data:text/javascript,${encodeURIComponent(preload)}`,
        exits,
        'unstartable',
      );
      assert.match(stdout, /^Task "t": the thread running file:.*work\.ts died: /);
      assert.match(stdout, why);
    });
  }
});
