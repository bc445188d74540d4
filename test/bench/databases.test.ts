/** The benchmark on PostgreSQL, with a few tasks: ours and the bare statements, in real processes over a real server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ScenarioResult } from '../../bench/runner/result.ts';

const fromSource = pathToFileURL(join(import.meta.dirname, '../theory/fixtures/from-source.ts'));

async function quickRun(): Promise<{ result: ScenarioResult; said: string }> {
  const file = join(import.meta.dirname, 'fixtures/postgres.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, '--quick', '--json'], {
    env: { ...process.env, NODE_OPTIONS: `--import ${fromSource}` },
  });
  const [result] = JSON.parse(stdout).scenarios;
  return { result, said: stderr };
}

describe('the benchmark on PostgreSQL', () => {
  test('two instances start every task once, and what the database did is counted; who is absent is named', async () => {
    const { result, said } = await quickRun();
    const [ours, bare, absent] = result.contenders;
    for (const { name, figures, failures } of [ours, bare]) {
      assert.deepEqual(failures, [], name);
      assert.equal(figures.missed.median, 0, name);
      assert.ok(figures.endsDurableMs.median >= figures.lastStartMs.median, name);
      assert.ok(figures.statements.median >= 2, name);
      assert.ok(figures.logBytesPerRun.median > 0, name);
      assert.ok(figures.pairsPerSecond.median > 0, name);
    }
    assert.ok(
      ours.figures.endsDurableMs.toLimit,
      'ours is compared with the limit that has as many instances',
    );
    assert.deepEqual([absent.notRun, absent.figures], ['it is not here', {}]);
    assert.match(said, /not run: absent: it is not here/);
  });
});
