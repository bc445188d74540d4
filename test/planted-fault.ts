/** A fault that is planted into one source file as it is loaded, and the test that finds it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

export interface PlantedFault {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** A file below `test`, and the title of the test in it that fails with the fault. */
  readonly foundBy: readonly [file: string, title: string];
}

const hook = pathToFileURL(join(import.meta.dirname, 'fixtures/planted-fault-hook.ts')).href;

const escaped = (title: string): string => title.replace(/[^\w ,]/g, '\\$&');

/** Runs the test with the fault in place: how it ends, and what it says. */
async function run(fault: PlantedFault): Promise<{ code: number | null; out: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const [file, title] = fault.foundBy;
  const words = [`--test-name-pattern=${escaped(title)}$`, join(import.meta.dirname, file)];
  const child = spawn(process.execPath, words, {
    env: { ...env, NODE_OPTIONS: `--import ${hook}`, OBBLIGATO_PLANTED_FAULT: JSON.stringify(fault) },
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

/** The tests find bugs: every planted fault fails the test that is said to find it. */
export function describeFaults(where: string, faults: readonly PlantedFault[]): void {
  describe(`faults planted in ${where}`, { concurrency: 2 }, () => {
    for (const fault of faults) {
      const [, title] = fault.foundBy;
      test(`${fault.name}: ${title}`, async () => {
        const { code, out } = await run(fault);
        assert.equal(code, 1, out.slice(-2000));
        assert.doesNotMatch(out, /stands \d+ times/);
        assert.match(out, new RegExp(`^ *(✖|not ok).*${escaped(title)}`, 'm'));
      });
    }
  });
}
