/**
 * Every axiom that a finite trace can break is seen to hold where it is put to the test, and to be broken by planted faults: with the
 * right task, the right instant, the right record, the right blame, and a sentence that names them.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { axioms } from '../../src/theory/axioms/index.ts';
import { assertGenerated, table } from './generated.ts';
import { brokenBy, judge, violationOf } from './judge.ts';
import type { Case, Mutant } from './mutant.ts';
import { environmentCases } from './mutants-environment.ts';
import { informativeCases } from './mutants-informative.ts';
import { schedulerCases } from './mutants-scheduler.ts';
import { instant } from './traces.ts';

const cases: readonly Case[] = [...schedulerCases, ...environmentCases, ...informativeCases];

/** Which axioms a mutant breaks, those first that break first. */
async function caught({ trace, options }: Mutant): Promise<{ readonly id: string; readonly at: number }[]> {
  const verdict = await judge(trace, options);
  return brokenBy(verdict)
    .map((id) => ({ id, at: violationOf(verdict, id).at ?? Number.NaN }))
    .toSorted((a, b) => a.at - b.at);
}

describe('every axiom', () => {
  for (const { axiom, accepted } of cases) {
    test(`${axiom} accepts a trace that puts it to the test, and so do all others`, async () => {
      const verdict = await judge(accepted);
      assert.equal(verdict.axioms[axiom].status, 'holds');
      assert.deepEqual(brokenBy(verdict), []);
      assert.deepEqual([verdict.conformant, verdict.blame], [true, 'none']);
    });
  }

  test('every axiom that a finite trace can break has a mutant', () => {
    const breakable = axioms.filter(({ unbreakable }) => unbreakable === undefined).map(({ id }) => id);
    assert.deepEqual(cases.map(({ axiom }) => axiom).toSorted(), breakable.toSorted());
  });

  test('the others are undecided, and say why no finite trace can break them', async () => {
    const verdict = await judge(schedulerCases[0].accepted);
    for (const { id, unbreakable } of axioms) {
      if (unbreakable === undefined) continue;
      assert.equal(verdict.axioms[id].status, 'undecided', id);
      assert.deepEqual(verdict.axioms[id].notes, [`no finite trace can break it: ${unbreakable}`]);
    }
  });
});

for (const { axiom, mutants } of cases) {
  describe(`${axiom} is broken by`, () => {
    for (const mutant of mutants) {
      test(`${axiom}: ${mutant.fault}`, async () => {
        const verdict = await judge(mutant.trace, mutant.options);
        const violation = violationOf(verdict, axiom);
        assert.equal(violation.task, mutant.task);
        assert.equal(violation.at, instant(mutant.at));
        assert.equal(violation.events.at(-1)?.line, mutant.line);
        assert.equal(violation.blame, mutant.blame);
        assertSays(violation.because, mutant.says);
        assert.ok(!violation.because.includes('\n'), 'one line');
        if (mutant.blame === 'scheduler') {
          assert.deepEqual([verdict.conformant, verdict.blame], [false, 'scheduler']);
        }
      });
    }
  });
}

function assertSays(sentence: string, words: readonly string[]): void {
  let from = 0;
  for (const word of words) {
    const place = sentence.indexOf(word, from);
    assert.ok(place >= 0, `${JSON.stringify(word)} is missing in: ${sentence}`);
    from = place + word.length;
  }
}

/** S2 is about an end, so the start that leads there is always caught before. */
const neverFirst = ['S2'];

test('each mutant breaks its axiom alone or first; docs/theory.md has the table', async () => {
  const rows: string[][] = [];
  for (const { axiom, mutants } of cases)
    for (const mutant of mutants) {
      const all = await caught(mutant);
      const place = all.find(({ id }) => id === axiom);
      assert.ok(place !== undefined, `${axiom}: ${mutant.fault}`);
      if (!neverFirst.includes(axiom)) assert.equal(place.at, all[0].at, `${axiom}: ${mutant.fault}`);
      const others = all.filter(({ id }) => id !== axiom);
      const rank = others.length === 0 ? 'alone' : place.at === all[0].at ? 'first' : 'later';
      const same = others.filter(({ at }) => at === place.at).map(({ id }) => id);
      const apart = others.filter(({ at }) => at !== place.at).map(({ id }) => id);
      rows.push([axiom, mutant.fault, rank, same.join(' '), apart.join(' ')]);
    }
  const head = ['axiom', 'planted fault', 'caught', 'with it, at the same instant', 'at another instant'];
  assertGenerated('mutants', table(head, rows));
});
