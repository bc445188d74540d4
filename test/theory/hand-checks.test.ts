/**
 * What is checked by hand, and what is of calls, against the definitions: random records are judged by the monitor, and the same
 * as positions by the naive evaluator. WF and EN3 have no formula that says more than the check; EA3 has one that no trace can break.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { axioms } from '../../src/theory/axioms/index.ts';
import { checkTrace } from '../../src/theory/check.ts';
import { few } from '../sample.ts';
import { everything } from './judge.ts';
import { randomOf } from './random.ts';
import {
  callsOf,
  isWaitingForFreeze,
  positionsOf,
  positionsOfCall,
  randomRecords,
} from './random-records.ts';
import { axiomOf } from './reference/axiom-of.ts';
import { NaiveEvaluator } from './reference/naive.ts';
import type { Position } from './reference/position.ts';

const EA1 = axiomOf('EA1');
const EA2 = axiomOf('EA2');
const EA3 = axiomOf('EA3');
const WA = axiomOf('WA');

const TRACES = few(500, 1500);
const LAG_MS = 60_000;

describe('what is checked by hand', () => {
  for (const { id, formula } of [EA1, EA2, WA]) {
    test(`${id} is broken by random records iff its formula is`, async (t) => {
      const random = randomOf(1);
      const counts = { broken: 0, kept: 0 };
      for (let i = 0; i < TRACES; i++) {
        const records = randomRecords(random, 14, 'with freezes');
        const { status } = (await checkTrace(records, { durability: 'recorded', theory: everything })).axioms[
          id
        ];
        const isBroken = new NaiveEvaluator(positionsOf(records), { task: 'x' }).at(formula, 0) === false;
        counts[isBroken ? 'broken' : 'kept']++;
        assert.equal(status === 'violated', isBroken, JSON.stringify(records, null, 1));
        if (id === 'EA1' && !isBroken)
          assert.equal(status === 'undecided', isWaitingForFreeze(records), JSON.stringify(records, null, 1));
      }
      t.diagnostic(JSON.stringify(counts));
      assert.ok(counts.broken > TRACES / 15 && counts.kept > TRACES / 15, JSON.stringify(counts));
    });
  }

  test('EA3 forbids any two actions at one position', () => {
    const at = 0;
    const others = ['IS', 'IEf', 'SS', 'SE'] as const;
    const positions: Position[] = [
      ...others.map((event): Position => ({ event, at })),
      ...(['RS', 'REs', 'REf'] as const).map((event): Position => ({ event, at, task: 'x' })),
      { event: 'IEs', at, registrations: [], list: '', live: true },
    ];
    const holds = (position: Position) =>
      new NaiveEvaluator([position], { task: 'x' }).at(EA3.formula, 0) !== false;
    for (const position of positions) {
      assert.ok(holds(position), position.event);
      const isRun = 'task' in position;
      const isInitEnd = position.event === 'IEs' || position.event === 'IEf';
      for (const mark of [...others, ...(isRun ? ['RS_y', 'RE_y'] : [])]) {
        // An end of an initialization is one action, however it is called.
        if (mark === position.event || (isInitEnd && mark === 'IEf')) continue;
        assert.ok(!holds({ ...position, marks: [mark] }), `${position.event} and ${mark}`);
      }
    }
  });

  test('these, and no others, are', () => {
    const byHand = axioms.filter(({ scope, unbreakable }) => scope === 'trace' && unbreakable === undefined);
    assert.deepEqual(
      byHand.map(({ id }) => id),
      ['WA', 'EA1', 'EA2', 'EA3', 'WF', 'EN3'],
    );
  });
});

describe('what is of calls', () => {
  const ofCalls = axioms.filter(({ scope, unbreakable }) => scope === 'call' && unbreakable === undefined);

  test('there are four such axioms', () => {
    assert.deepEqual(
      ofCalls.map(({ id }) => id),
      ['S5', 'L2', 'L3', 'P16'],
    );
  });

  for (const { id, formula } of ofCalls) {
    test(`${id} is broken by as many calls of random records as break its formula`, async (t) => {
      const random = randomOf(2);
      const counts = { broken: 0, kept: 0 };
      for (let i = 0; i < TRACES; i++) {
        const records = randomRecords(random, 14, 'without');
        const verdict = await checkTrace(records, { theory: everything, witnesses: { lagMs: LAG_MS } });
        const calls = callsOf(records);
        const broken = calls.filter((call) => {
          const positions = positionsOfCall(records, call);
          const within = (from: number, to: number) => positions[to].at - positions[from].at <= LAG_MS;
          return new NaiveEvaluator(positions, { task: 'x', within }).at(formula, 0) === false;
        });
        counts.broken += broken.length;
        counts.kept += calls.length - broken.length;
        assert.equal(verdict.axioms[id].count, broken.length, JSON.stringify(records, null, 1));
      }
      t.diagnostic(JSON.stringify(counts));
      assert.ok(counts.broken > TRACES / 15 && counts.kept > TRACES / 15, JSON.stringify(counts));
    });
  }
});
