/** The tests find bugs: every planted fault fails the test that is said to find it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { choiceOf } from './choice.ts';
import { editsOf, type PlantedFault } from './fault.ts';
import { planted } from './plant.ts';

const escaped = (title: string): string => title.replace(/[^\w ,]/g, '\\$&');

/** Runs the test with the fault in place: how it ends, and what it says. */
async function run(fault: PlantedFault): Promise<{ code: number | null; out: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const [file, title] = fault.foundBy;
  const words = [`--test-name-pattern=${escaped(title)}$`, join(import.meta.dirname, '..', file)];
  // A sample of the suite may leave out what finds the fault.
  const child = spawn(process.execPath, words, {
    env: { ...env, ...planted(editsOf(fault)), OBBLIGATO_SAMPLE: 'all' },
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

export function describeFaults(where: string, faults: readonly PlantedFault[]): void {
  const { played, words } = choiceOf(faults);
  describe(`faults planted in ${where}: ${words}`, { concurrency: 2 }, () => {
    for (const fault of played) {
      const [, title] = fault.foundBy;
      test(`${fault.name}: ${title}`, async () => {
        const { code, out } = await run(fault);
        assert.equal(code, 1, out.slice(-2000));
        assert.doesNotMatch(out, /is not what the fault was made for/);
        assert.match(out, new RegExp(`^ *(✖|not ok).*${escaped(title)}`, 'm'));
      });
    }
  });
}
