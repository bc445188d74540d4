/** Each planted fault is refuted, by the property it was planted for, with a trace to read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mutants } from './mutants.ts';
import { check } from './shipped-check.ts';
import { PROPERTIES } from './shipped-properties.ts';
import { STEP_FAULTS } from './shipped-steps.ts';

describe('planted faults', () => {
  for (const { name, mutations, instance, refutes, only } of mutants) {
    test(name, (t) => {
      const { violation } = check(instance, { mutations, ...(only === undefined ? {} : { only }) });
      t.diagnostic(`refuted: ${violation?.property}`);
      for (const line of violation?.trace ?? []) t.diagnostic(line);
      assert.ok(violation !== undefined, 'nothing refuted it');
      assert.ok(violation.property.startsWith(refutes), violation.property);
      assert.ok(violation.trace.length > 1);
    });
  }

  test('the same instances hold without the fault', () => {
    for (const instance of new Set(mutants.map((mutant) => mutant.instance))) {
      assert.equal(check(instance).violation, undefined);
    }
  });

  test('every property is refuted by some fault', () => {
    const refuted = new Set(mutants.map(({ refutes }) => refutes));
    const names = [...Object.values(STEP_FAULTS), ...Object.values(PROPERTIES)];
    assert.deepEqual(
      names.filter((name) => !refuted.has(name)),
      [],
    );
  });
});
