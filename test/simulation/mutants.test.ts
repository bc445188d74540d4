/** Worlds find bugs: every planted fault, within a stated number of seeds, as a violation of a rule that it breaks. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { MUTANTS, type Mutant } from './mutants.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

interface Finding {
  readonly seed?: number;
  readonly rule?: string;
  readonly because?: string;
}

async function hunt({ name, withinSeeds, fromSeed = 1 }: Mutant): Promise<Finding> {
  const words = [
    '--import',
    join(here, 'fixtures/mutant-hook.ts'),
    join(here, 'fixtures/hunt.ts'),
    String(withinSeeds),
    String(fromSeed),
  ];
  const env = { ...process.env, OBBLIGATO_MUTANT: name };
  const { stdout } = await run(process.execPath, words, { env });
  return JSON.parse(stdout);
}

describe('planted faults', { concurrency: 2 }, () => {
  for (const mutant of MUTANTS) {
    test(mutant.name, async (t) => {
      const { seed, rule, because } = await hunt(mutant);
      assert.ok(seed !== undefined && rule !== undefined, `not found in ${mutant.withinSeeds} seeds`);
      t.diagnostic(`${mutant.name}: seed ${seed}, ${rule}: ${because?.split('\n')[0]}`);
      assert.ok(mutant.rules.includes(rule), `found as ${rule}: ${because}`);
    });
  }

  test('there are at least twenty-five, each with a name of its own', () => {
    assert.ok(MUTANTS.length >= 25);
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  });
});
