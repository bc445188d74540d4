/** The tests of the store find bugs: every planted fault fails the file of tests that is said to find it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { STORE_MUTANTS, type StoreMutant } from './store-mutants.ts';

const hook = pathToFileURL(join(import.meta.dirname, 'fixtures/store-mutant-hook.ts')).href;

/** Runs the tests with the fault in place: how they end, and what they say. */
async function run({ name, foundBy }: StoreMutant): Promise<{ code: number | null; out: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', foundBy)], {
    env: { ...env, NODE_OPTIONS: `--import ${hook}`, OBBLIGATO_STORE_MUTANT: name },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { code, out };
}

describe('faults planted in the store', { concurrency: 2 }, () => {
  for (const mutant of STORE_MUTANTS) {
    test(`${mutant.name}: ${mutant.foundBy}`, async (t) => {
      const { code, out } = await run(mutant);
      assert.equal(code, 1, out.slice(-2000));
      assert.doesNotMatch(out, /stands \d+ times/);
      const failed = out.split('\n').filter((line) => /^\s*(✖|not ok)/.test(line));
      assert.ok(failed.length > 0, out.slice(-2000));
      t.diagnostic(failed[0].trim());
    });
  }
});
