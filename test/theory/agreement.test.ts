/**
 * The monitor against the definitions. Many pairs of a random axiom and a random trace, and the axioms of the theory
 * themselves, at every position and for every task: what the compiled program says is what the formula means.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { axioms } from '../../src/theory/axioms/index.ts';
import { True } from '../../src/theory/logic/formula.ts';
import { few } from '../sample.ts';
import { compare, compareOn, compareTested, type Disagreement, inWords } from './agreement.ts';
import { pick, type Random, randomOf, trace } from './random.ts';
import { axiomOf } from './reference/axiom-of.ts';
import { NaiveEvaluator } from './reference/naive.ts';
import type { Position } from './reference/position.ts';

const Q2 = axiomOf('Q2');

const PAIRS = few(20_000, 100_000);
const SEEDS = few(4, 10);
const FIRST_SEED = 1;

function agreed(result: number | Disagreement, seed: number): number {
  if (typeof result !== 'number') assert.fail(`seed ${seed}: ${inWords(result)}`);
  return result;
}

describe('two evaluators', () => {
  test(`agree on ${PAIRS.toLocaleString('en')} pairs of a random axiom and a random trace`, (t) => {
    let pairs = 0;
    for (let seed = FIRST_SEED; pairs < PAIRS; seed++)
      pairs += agreed(compare(seed, { axioms: 28, traces: 40 }), seed);
    t.diagnostic(`${pairs.toLocaleString('en')} pairs compared, no disagreement`);
  });

  const formulas = axioms
    .filter(({ scope, unbreakable }) => scope === 'task' && unbreakable === undefined)
    .map(({ formula, monitored }) => monitored ?? formula);

  test('agree on every axiom of the theory that is of tasks', (t) => {
    let pairs = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const random = randomOf(seed);
      pairs += agreed(
        compareOn(formulas, () => trace(random, 14), 40),
        seed,
      );
    }
    t.diagnostic(`${pairs.toLocaleString('en')} pairs compared, no disagreement`);
  });

  test('agree on which of them each task has put to the test', (t) => {
    let pairs = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const random = randomOf(seed);
      pairs += agreed(
        compareTested(formulas, () => trace(random, 14), 40),
        seed,
      );
    }
    t.diagnostic(`${pairs.toLocaleString('en')} pairs compared, no disagreement`);
  });
});

/** A trace that is mostly runs of one task, so that an axiom about them has something to say. */
function manyRuns(random: Random): Position[] {
  const init = (at: number): Position => {
    const registrations = pick(random, [[], [{ name: 'x', schedule: '1' }], [{ name: 'x', schedule: '2' }]]);
    return { event: 'IEs', at, registrations, list: JSON.stringify(registrations), live: true };
  };
  return Array.from({ length: 14 }, (_, i): Position => {
    const at = i * 1000;
    const event = pick(random, [
      'RS',
      'RS',
      'RS',
      'REs',
      'REs',
      'REs',
      'REf',
      'Crash',
      'Minute',
      'IEs',
    ] as const);
    if (event === 'IEs' || i === 0) return init(at);
    if (event === 'Minute') return { event, at, due: new Set(pick(random, [[], ['1'], ['2']])) };
    return event === 'Crash' ? { event, at } : { event, at, task: 'x' };
  });
}

describe('an axiom that is monitored in another form', () => {
  for (const { id, formula, monitored } of axioms) {
    if (monitored === undefined) continue;
    test(`${id} is broken by a trace in the one form iff it is in the other`, () => {
      const counts = { broken: 0, kept: 0 };
      const random = randomOf(FIRST_SEED);
      for (let i = 0; i < 4000; i++) {
        const positions = manyRuns(random);
        const naive = new NaiveEvaluator(positions, { task: 'x' });
        // Which of two runs at once an end belongs to cannot be seen; Q2 and S1 have caught the second by then.
        if (naive.at(Q2.formula, 0) === false) continue;
        const isBroken = naive.at(formula, 0) === false;
        counts[isBroken ? 'broken' : 'kept']++;
        assert.equal(naive.at(monitored, 0) === false, isBroken, JSON.stringify(positions));
      }
      assert.ok(counts.broken > 100 && counts.kept > 100, JSON.stringify(counts));
    });
  }

  test('no axiom but EN3 is trivial', () => {
    assert.deepEqual(
      axioms.filter(({ formula }) => formula === True).map(({ id }) => id),
      ['EN3'],
    );
  });
});
