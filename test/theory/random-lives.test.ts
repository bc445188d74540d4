/**
 * The oracle and the scheduler were written apart, from the same rules. Here they meet: random lives of the real scheduler, with
 * failures, overlong runs, stops, kills, overrides and a clock that is set, and the oracle has nothing to say against any of them.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { brokenBy, everything } from './judge.ts';
import { below, randomOf } from './random.ts';
import { type LifeOptions, randomLife } from './random-life.ts';

const FIRST_SEED = 1;
const LIVES = 150;

async function assertClean(seed: number, options: LifeOptions): Promise<readonly TraceRecord[]> {
  const trace = await randomLife(seed, options);
  const verdict = await checkTrace(trace, { theory: everything });
  assert.deepEqual(brokenBy(verdict), [], `seed ${seed}`);
  return trace;
}

const kinds: Readonly<Record<string, LifeOptions>> = {
  'with failures, stops, kills and overrides': { steps: 'none' },
  'with one worker for all tasks': { steps: 'none', workers: 1 },
  'with a disk that refuses, or lies (E8, E9)': { steps: 'none', trouble: 'some' },
  'with a clock that is set forward and back (B5)': { steps: 'some' },
};

describe('random lives of the real scheduler are conformant', () => {
  for (const [kind, options] of Object.entries(kinds))
    test(`S1–S5, L1–L3 ${kind}`, async (t) => {
      let records = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++)
        records += (await assertClean(seed, options)).length;
      t.diagnostic(`${LIVES} lives, ${records} records`);
    });

  test('…and a start that is taken out of one, or put in twice, is noticed', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 20; seed++) {
      const trace = await randomLife(seed, { steps: 'none' });
      // One whose end was seen: of others a crash may have been the end, and they may not have been called at all (T10).
      const ended = new Set(
        trace.flatMap((record) =>
          record.event === 'RunSuccess' || record.event === 'RunFailure' ? [record.runId] : [],
        ),
      );
      const starts = trace.flatMap((record, index) =>
        record.event === 'RunStart' && ended.has(record.runId) ? [index] : [],
      );
      const place = starts[below(randomOf(seed), starts.length)];
      if (place === undefined) continue;
      for (const mutant of [trace.toSpliced(place, 1), trace.toSpliced(place, 0, trace[place])])
        assert.notEqual((await checkTrace(mutant)).blame, 'none', `seed ${seed}, record ${place + 1}`);
    }
  });
});
