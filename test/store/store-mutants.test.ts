/** The tests of the store find bugs: every planted fault fails the test that is said to find it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { STORE_MUTANTS, type StoreMutant } from './store-mutants.ts';

const hook = pathToFileURL(join(import.meta.dirname, 'fixtures/store-mutant-hook.ts')).href;

const escaped = (title: string): string => title.replace(/[^\w ,]/g, '\\$&');

/** Runs the test with the fault in place: how it ends, and what it says. */
async function run({
  name,
  foundBy: [file, title],
}: StoreMutant): Promise<{ code: number | null; out: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = [`--test-name-pattern=${escaped(title)}$`, join(import.meta.dirname, '..', file)];
  const child = spawn(process.execPath, words, {
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
    const [, title] = mutant.foundBy;
    test(`${mutant.name}: ${title}`, async () => {
      const { code, out } = await run(mutant);
      assert.equal(code, 1, out.slice(-2000));
      assert.doesNotMatch(out, /stands \d+ times/);
      assert.match(out, new RegExp(`^ *(✖|not ok).*${escaped(title)}`, 'm'));
    });
  }
});
