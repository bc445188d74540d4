/** Worlds find bugs: every planted fault, within a stated number of seeds, as a violation of a rule that it breaks. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { choiceOf } from '../faults/choice.ts';
import { editsOf } from '../faults/fault.ts';
import { planted } from '../faults/plant.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'fixtures/hunt.ts');

interface Finding {
  readonly seed?: number;
  readonly rule?: string;
  readonly because?: string;
}

async function hunt(mutant: Mutant): Promise<Finding> {
  const { withinSeeds, fromSeed = 1 } = mutant;
  const env = { ...process.env, ...planted(editsOf(mutant)) };
  const { stdout } = await run(process.execPath, [program, `${withinSeeds}`, `${fromSeed}`], { env });
  return JSON.parse(stdout);
}

const { played, words } = choiceOf(MUTANTS);

describe(`planted faults: ${words}`, { concurrency: 2 }, () => {
  for (const mutant of played) {
    test(mutant.name, async (t) => {
      const { seed, rule, because } = await hunt(mutant);
      assert.ok(seed !== undefined && rule !== undefined, `not found in ${mutant.withinSeeds} seeds`);
      t.diagnostic(`${mutant.name}: seed ${seed}, ${rule}: ${because?.split('\n')[0]}`);
      assert.ok(mutant.rules.includes(rule), `found as ${rule}: ${because}`);
    });
  }
});
