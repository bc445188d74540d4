/**
 * The proof of the repaired theory: rule A1, as it ships, against every environment of a small size. What the theory says is owed
 * and what the scheduler finds pending coincide in every state. `npm run campaign -- exploration` does the same for larger sizes.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PROPERTIES } from './proof/check.ts';
import { explore } from './proof/explore.ts';
import { faultLists, PROOF_FAULTS, subjectWith } from './proof/faults.ts';
import { type Instance, shipped, unbounded } from './proof/instance.ts';
import { bounded, sizeInWords, small, walked } from './proof/instances.ts';
import { letters } from './proof/letter.ts';
import { walk } from './proof/walk.ts';

const faulty: Instance = { lists: faultLists, budgets: unbounded };

describe('obligation and pending coincide', () => {
  for (const { name, instance } of [small, bounded]) {
    test(name, (t) => {
      const report = explore(instance);
      t.diagnostic(sizeInWords(report));
      const { refutation } = report;
      assert.equal(
        refutation,
        undefined,
        refutation && [refutation.property, ...refutation.trace].join('\n'),
      );
    });
  }

  test('and every move was made somewhere: of others a proof says nothing', () => {
    assert.deepEqual([...explore(small.instance).moves.keys()].sort(), [
      'CRASH',
      'initialize fails: the store does not answer',
      'initialize resolves',
      'initialize(list 0)',
      'initialize(list 1)',
      'initialize(list 2)',
      'stop resolves',
      'stop()',
      'taking x back is durable',
      'the clock goes on',
      'the end of x is durable',
      'the plan is durable',
      'the plan is made',
      'the start of x is durable',
      'x fails',
      'x is CALLED',
      'x is claimed (due)',
      'x is claimed (orphaned)',
      'x is claimed (retry)',
      'x succeeds',
    ]);
  });
});

describe('planted faults are refuted', () => {
  const refuted = new Set<string>();

  for (const fault of PROOF_FAULTS) {
    test(fault.name, async (t) => {
      const { refutation } = explore(faulty, { subject: await subjectWith(fault) });
      assert.ok(refutation !== undefined, 'nothing refuted it');
      refuted.add(refutation.property.replace(/ \(.*/, ''));
      t.diagnostic(refutation.property);
      for (const line of refutation.trace) t.diagnostic(line);
    });
  }

  test('and between them they refute both halves of the claim', () => {
    const { owedIsPending, pendingIsOwed, remembered, notInvented } = PROPERTIES;
    for (const property of [owedIsPending, pendingIsOwed, remembered, notInvented])
      assert.ok(refuted.has(property), property);
  });

  test('and the same world without a fault is not', () => {
    assert.equal(explore(faulty).refutation, undefined);
  });
});

describe('the theory to the letter is refuted', () => {
  for (const { name, obligation } of letters) {
    test(name, (t) => {
      const { refutation } = explore(faulty, { subject: { ...shipped, obligation } });
      assert.ok(refutation !== undefined, 'nothing refuted it');
      t.diagnostic(refutation.property);
      for (const line of refutation.trace) t.diagnostic(line);
    });
  }
});

describe('what is explored is what the theory says', () => {
  test('on random walks: kept slices, shifted ones, the tasks of a monitor and the naive evaluator agree', (t) => {
    let positions = 0;
    let owed = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const walkedOne = walk(walked, seed, 60);
      assert.equal(walkedOne.disagreement, undefined, `seed ${seed}: ${walkedOne.disagreement}`);
      positions += walkedOne.positions;
      owed += walkedOne.owed;
    }
    t.diagnostic(`${positions} positions, ${owed} with an obligation`);
    assert.ok(owed > positions / 10);
  });
});
