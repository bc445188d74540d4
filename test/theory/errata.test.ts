/**
 * The errata of the theory: a trace for each defect, on which the letter fails and the repaired theory does not. See docs/errata.md.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import { RS, SE, SS } from '../../src/theory/logic/atoms.ts';
import { Fcomp, G, Hold, implies, or } from '../../src/theory/logic/formula.ts';
import { monitorable } from '../../src/theory/logic/monitorable.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { type Erratum, show } from './errata/erratum.ts';
import { call, letter, repairs, type Theory } from './errata/happenings.ts';
import * as T1 from './errata/t01.ts';
import { T2 } from './errata/t02.ts';
import { T3 } from './errata/t03.ts';
import { T4 } from './errata/t04.ts';
import { T5 } from './errata/t05.ts';
import { T6 } from './errata/t06.ts';
import { T7 } from './errata/t07.ts';
import { T8 } from './errata/t08.ts';
import { T9 } from './errata/t09.ts';
import * as records from './errata/t10.ts';
import { T11 } from './errata/t11.ts';
import * as T12 from './errata/t12.ts';
import * as T13 from './errata/t13.ts';
import { firstRepair, T14 } from './errata/t14.ts';
import { T15 } from './errata/t15.ts';
import * as T16 from './errata/t16.ts';
import { amended, T17 } from './errata/t17.ts';
import { answeredByEvents, T18 } from './errata/t18.ts';
import { failsByStop, T19 } from './errata/t19.ts';
import { T20 } from './errata/t20.ts';
import { owesCutOffs, T21 } from './errata/t21.ts';
import { owedAtTheCall, T23 } from './errata/t23.ts';
import { T24 } from './errata/t24.ts';
import { NaiveEvaluator } from './reference/naive.ts';

/** Each with the theory that is wrong, and the one that is right if that is not the repaired one. */
const errata: readonly (readonly [Erratum, Theory, Theory?])[] = [
  [T1.twoTasks, letter],
  [T1.oneTask, letter],
  [T2, letter],
  [T3, letter],
  [T4, letter],
  [T5, letter],
  [T6, letter],
  [T7, letter],
  [T8, letter],
  [T9, letter],
  [T11, letter],
  [T12.again, letter],
  [T12.first, letter],
  [T13.served, letter],
  [T13.prompt, letter],
  [T14, firstRepair],
  [T15, letter],
  [T17, repairs, amended],
  ...T18.map((one) => [one, answeredByEvents] as const),
  [T19, failsByStop],
  [T20, letter],
  [T21, owesCutOffs],
  ...T23.map((one) => [one, owedAtTheCall] as const),
  [T24, letter],
];

describe('errata', () => {
  for (const [erratum, wrong, right = repairs] of errata) {
    test(erratum.title, () => {
      show(erratum, wrong, right);
      // An erratum that would show anything of any theory shows nothing.
      assert.throws(() => show(erratum, right, wrong), assert.AssertionError);
    });
  }
});

const violated = async (trace: readonly TraceRecord[]): Promise<string[]> => {
  const { axioms } = await checkTrace(trace);
  return Object.keys(axioms).filter((id) => axioms[id].status === 'violated');
};

describe('errata, as the oracle sees them in records', () => {
  test('T6 a valid list that is rejected while the scheduler is active is no breach', async () => {
    assert.deepEqual(await violated(records.refused), []);
  });

  test('T9 an end that never began is the environment’s', async () => {
    const { conformant, blame, axioms } = await checkTrace(records.unbegun);
    assert.deepEqual([conformant, blame, axioms.S4.status], [true, 'environment', 'violated']);
  });

  test('T10 an end that a crash undid: accepted where the trace tells of durability, and only there', async () => {
    assert.deepEqual(await violated(records.lostEnd('recorded')), []);
    assert.deepEqual(await violated(records.lostEnd('unrecorded')), ['S1', 'S2']);
  });

  test('T10 a start that was durable and never called', async () => {
    assert.deepEqual(await violated(records.neverCalled('recorded')), []);
    assert.deepEqual(await violated(records.neverCalled('unrecorded')), ['S1']);
  });

  test('T11 an initialization that a crash cut off may have taken effect', async () => {
    assert.deepEqual(await violated(records.cutOff), []);
    assert.deepEqual(await violated(records.cutOffRemoval), []);
    assert.deepEqual(await violated(records.cutOffRetry('forgotten')), []);
    assert.deepEqual(await violated(records.cutOffRetry('kept')), []);
    // Without the crash the retry must be served.
    const uncut = records
      .cutOffRetry('forgotten')
      .filter(({ at }) => at < call('other', '12:01:04').at || at > call('other', '12:02').at);
    assert.deepEqual(await violated(uncut), ['L1']);
  });

  test('T14 an override to a schedule that was due since the last start', async () => {
    assert.deepEqual(await violated(records.overridden), []);
  });
});

describe('errata outside the axioms', () => {
  test('T15 a demand that is met where it arises is met: it does not come back', () => {
    const positions = [call('SS', '12:00:01'), call('other', '12:00:02')];
    const [demand] = monitorable(G(implies(SS, Fcomp(or(SS, SE)))));
    assert.ok(demand.kind === 'response');
    const evaluator = new NaiveEvaluator(positions, { task: 'x' });
    assert.deepEqual([evaluator.at(demand.open, 0), evaluator.at(demand.open, 1)], [false, false]);
    const held = Hold(SS, or(SS, SE));
    assert.deepEqual([evaluator.at(held, 0), evaluator.at(held, 1)], [false, true]);
    assert.equal(evaluator.at(Hold(RS, SS), 1), false);
  });

  for (const [title, trace] of [
    [
      'a stop during the first initialization has to wait for a list that is not counted',
      T16.stopDuringFirst,
    ],
    ['an initialization has to forget a list that is not counted', T16.removalOfAll],
  ] as const) {
    test(`T16 ${title}`, () => {
      const sizes = [0, 1, 10, 1_000, 100_000, 10_000_000];
      for (const bound of [
        { a: 1, b: 0 },
        { a: 1, b: 1_000 },
        { a: 100, b: 1_000_000 },
      ]) {
        assert.ok(sizes.every((n) => T16.fits(trace(n), 'atWork', bound)));
        assert.ok(!sizes.every((n) => T16.fits(trace(n), 'counted', bound)));
      }
    });
  }
});
