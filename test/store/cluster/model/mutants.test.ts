/** Each planted fault is refuted, by the property it was planted for, with a trace to read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check } from './check.ts';
import { claimMutants } from './mutants-claims.ts';
import { memberMutants } from './mutants-members.ts';
import { PROPERTIES, STEP_FAULTS } from './properties.ts';

const mutants = [...claimMutants, ...memberMutants];

describe('K1 K2 K3 K4 K5 faults planted in what a cluster decides', () => {
  for (const { name, mutations, bounds, refutes, only } of mutants) {
    test(name, (t) => {
      const { violation } = check(bounds, { mutations, ...(only === undefined ? {} : { only }) });
      t.diagnostic(`refuted: ${violation?.property}`);
      for (const line of violation?.trace ?? []) t.diagnostic(line);
      assert.ok(violation !== undefined, 'nothing refuted it');
      assert.ok(violation.property.startsWith(refutes), violation.property);
      assert.ok(violation.trace.length > 1);
    });
  }

  test('every property is refuted by some fault', () => {
    const refuted = new Set(mutants.map(({ refutes }) => refutes));
    const { step: _, ...properties } = PROPERTIES;
    assert.deepEqual(
      [...Object.values(STEP_FAULTS), ...Object.values(properties)].filter((name) => !refuted.has(name)),
      [],
    );
  });
});
