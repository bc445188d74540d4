/** Commands that go on for long notice, on the pipe of a real shell, that nobody reads any more. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { sqlite } from '../../src/index.ts';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { bounded } from '../patience.ts';
import { storeWith } from './damaged-store.ts';
import { folder as anywhere, begin, environment, main } from './kit.ts';

/** A line for a shell, in which "$OBBLIGATO" is the command line; killed with all that it has started if it outlives its test. */
function shell(t: TestContext, line: string, cwd: string): ChildProcess {
  const child = spawn('sh', ['-c', line.replaceAll('obbligato', `"${process.execPath}" "${main}"`)], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It is over, as it should be.
    }
  });
  return child;
}

async function outputOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await bounded('the end of a pipeline', once(child, 'close'), () => said);
  return said;
}

describe('a reader who leaves', () => {
  test('status --watch ends, though nothing in the store changes', async (t) => {
    const { folder } = await storeWith(t, [fullRecord('a')]);
    // A shell waits for all of a pipeline, so it ends only if the command in front does.
    const said = await outputOf(shell(t, 'obbligato status --watch | head -1', folder));
    assert.match(said, /^\S+obbligato\.db: no scheduler runs on it, 1 task/);
  });

  test('status --watch ends on a socket too, as Node gives its children', async (t) => {
    const { folder } = await storeWith(t, [fullRecord('a')]);
    const watch = begin(['status', '--watch'], { cwd: folder });
    await watch.says(/1 task/);
    watch.child.stdout?.destroy();
    assert.equal((await watch.ended).code, 0);
  });

  test('simulate ends with what is being played', async (t) => {
    const said = await outputOf(shell(t, 'obbligato simulate --seeds 1000000 2>&1 | head -1', anywhere));
    assert.match(said, /^1,000,000 worlds from seed 1/);
  });

  test('whoever stays sees white space: documents are still one per line', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('a')]);
    const watch = shell(t, 'obbligato status --watch --json | cat', folder);
    let said = '';
    let isChanged = false;
    for await (const chunk of watch.stdout ?? []) {
      said += chunk;
      if (!isChanged && /\}\n {2}$/.test(said)) {
        isChanged = true;
        const session = await sqlite(join(path)).open({ waitMs: 0 });
        await session.commit({ puts: [fullRecord('b')] });
        await session.close();
      }
      if (isChanged && said.includes('"name":"b"')) break;
    }
    const counts = said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).tasks.length);
    assert.equal(counts[0], 1);
    assert.equal(counts.at(-1), 2);
    assert.ok(!said.includes('\n\n'));
  });
});
