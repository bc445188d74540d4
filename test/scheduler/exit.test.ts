/** F5, D9 in real processes: a running scheduler keeps its process alive, a stopped one lets it go. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { inspect } from '../../src/store/inspect.ts';

const program = join(import.meta.dirname, 'fixtures/exit.ts');
const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs a scenario to its natural end: the words it said, and its exit code. */
async function run(
  scenario: string,
  path?: string,
): Promise<{ said: string[]; code: unknown; complaint: string }> {
  const child = spawn(process.execPath, [program, scenario, ...(path === undefined ? [] : [path])]);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const [out, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return {
    said: out.trim().split('\n'),
    code,
    complaint: complaint.replaceAll(/.*ExperimentalWarning.*|.*--trace-warnings.*/g, '').trim(),
  };
}

for (const kind of ['memory', 'sqlite']) {
  const pathFor = (scenario: string): string | undefined =>
    kind === 'memory' ? undefined : join(folder, `${scenario}.db`);

  describe(`F5 with a ${kind} store`, { concurrency: 3 }, () => {
    test('F5 D7 stopped at once with something due, nothing is called and the process exits', async () => {
      const { said, code, complaint } = await run('at once', pathFor('at once'));
      assert.deepEqual([code, complaint], [0, '']);
      assert.ok(said.includes('SchedulerStopped') && !said.includes('called'), said.join());
    });

    for (const scenario of ['alive', 'empty']) {
      test(`F5 a running scheduler keeps the process alive, and once stopped lets it exit (${scenario})`, async () => {
        const { said, code, complaint } = await run(scenario, pathFor(scenario));
        assert.deepEqual({ code, complaint }, { code: 0, complaint: '' });
        assert.ok(said.includes('still alive'));
        assert.deepEqual(said.slice(-2), ['SchedulerStopped', 'left by itself']);
      });
    }

    test('F5 after stop no timer, no immediate and no thread is left', async () => {
      const { said, code, complaint } = await run('stopped', pathFor('stopped'));
      assert.deepEqual({ code, complaint }, { code: 0, complaint: '' });
      assert.deepEqual(said.slice(-3), ['SchedulerStopped', 'open: ', 'left by itself']);
    });

    test('F5 lives one after the other leave nothing behind', async () => {
      const { said, code, complaint } = await run('again', pathFor('again'));
      assert.deepEqual({ code, complaint }, { code: 0, complaint: '' });
      assert.equal(said.filter((word) => word === 'SchedulerStopped').length, 3);
      assert.equal(said.at(-1), 'left by itself');
    });

    test('D9 `void stop()` inside a callback ends the process, with the ends of both callbacks durable', async () => {
      const path = pathFor('callback');
      const { said, code, complaint } = await run('callback', path);
      assert.deepEqual({ code, complaint }, { code: 0, complaint: '' });
      assert.deepEqual(said.slice(-3), ['PollingStopped', 'SchedulerStopped', 'left by itself']);
      assert.equal(said.filter((word) => word === 'TaskRunCompleted').length, 2);
      if (path === undefined) return;
      const { records, owner } = await inspect(path);
      assert.equal(owner, 'free');
      for (const { lastSuccessAt, run: unfinished } of records) {
        assert.equal(typeof lastSuccessAt, 'number');
        assert.equal(unfinished, null);
      }
    });
  });
}

test('F5 a scheduler that was never initialized, or whose initialize was refused, holds nothing', async () => {
  const failed = await run('failed');
  assert.equal(failed.code, 0);
  assert.deepEqual(failed.said.slice(-2), ['ScheduleDuplicateTaskError', 'left by itself']);
  const never = await run('never');
  assert.deepEqual(never, { said: ['stopped', 'left by itself'], code: 0, complaint: '' });
});
