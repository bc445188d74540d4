/**
 * The oracle against schedulers that are wrong: faults are planted in the source of the real one, it lives in a process of its own, and
 * its trace is judged. The same lives of the scheduler as it ships are clean.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { checkTrace } from '../../src/theory/check.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import { readTrace } from '../../src/trace/read.ts';
import { type Edit, editsOf } from '../faults/fault.ts';
import { planted } from '../faults/plant.ts';
import { assertGenerated, table } from './generated.ts';
import { brokenBy } from './judge.ts';
import { lives } from './lives.ts';
import { WRONG_SCHEDULERS } from './wrong-schedulers.ts';

const program = join(import.meta.dirname, 'fixtures/life.ts');

async function judged(life: string, edits: readonly Edit[]): Promise<Verdict> {
  const env = { ...process.env, ...planted(edits) };
  const { stdout } = await promisify(execFile)(process.execPath, [program, life], {
    env,
    maxBuffer: 2 ** 26,
  });
  return checkTrace(readTrace([stdout]));
}

describe('the scheduler as it ships', () => {
  for (const life of Object.keys(lives))
    test(`${life}: conformant, and nobody to blame`, async () => {
      const verdict = await judged(life, []);
      assert.deepEqual([brokenBy(verdict), verdict.conformant, verdict.blame], [[], true, 'none']);
    });
});

describe('a scheduler that', () => {
  for (const wrong of WRONG_SCHEDULERS) {
    const { name, life, breaks } = wrong;
    test(`${breaks.join(', ')}: ${name}`, async () => {
      const verdict = await judged(life, editsOf(wrong));
      assert.deepEqual([verdict.conformant, verdict.blame], [false, 'scheduler']);
      assert.deepEqual(brokenBy(verdict), breaks);
    });
  }

  test('docs/theory.md has the table', () => {
    const rows = WRONG_SCHEDULERS.map(({ name, breaks }) => [name, breaks.join(' ')]);
    assertGenerated('wrong schedulers', table(['a scheduler that', 'breaks'], rows));
  });
});
