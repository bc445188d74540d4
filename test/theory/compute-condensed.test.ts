/** What is kept of the environment's claims is enough for every question that can be asked, and never accuses where it is not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compute } from '../../src/theory/delays/compute.ts';
import { fc } from '../property.ts';
import { ByDefinition, type Word } from './compute-by-definition.ts';

const END = 200;
/** Nothing, or all: between these the scheduler is favoured. */
const word = fc
  .tuple(
    fc.nat(END),
    fc.integer({ min: 0, max: 30 }),
    fc.constantFrom(
      { density: 0, cause: 'frozen' as const },
      { density: 0, cause: 'store' as const },
      { density: 0, cause: 'workers' as const },
      { density: 0, cause: 'compute' as const },
      { density: 1, cause: 'compute' as const },
    ),
  )
  .map(([from, ms, what]): Word => ({ from, to: from + ms, ...what }));
const span = fc.tuple(fc.nat(END + 20), fc.nat(END)).map(([from, ms]) => ({ from, to: from + ms }));
const lagMs = fc.nat(40);

interface Both {
  readonly compute: Compute;
  readonly defined: ByDefinition;
}

function say({ compute, defined }: Both, said: Word): void {
  compute.set(said.from, said.to, said.density, said.cause);
  defined.set(said);
}

function assertSame(
  { compute, defined }: Both,
  { from, to }: { from: number; to: number },
  lag: number,
): void {
  const spent = defined.spent(from, to, lag);
  assert.equal(compute.lagOf(from, to), defined.lagOf(from, to));
  assert.equal(compute.causes(from, to), defined.causes(from, to));
  assert.equal(Math.max(0, compute.lagOf(from, to) - lag), spent);
}

/** Never less than the definition allows. */
function assertNoLess({ compute, defined }: Both, span: { from: number; to: number }, lag: number): void {
  assert.ok(compute.lagOf(span.from, span.to) <= defined.lagOf(span.from, span.to));
  assert.ok(compute.lagOf(span.from, span.to) - lag <= defined.spent(span.from, span.to, lag));
}

describe('L1–L3 compute is what its definition says', () => {
  test('of any words, in any order, for any question', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 60 }),
        fc.array(span, { maxLength: 20 }),
        lagMs,
        (words, asked, lag) => {
          const both = { compute: new Compute(), defined: new ByDefinition() };
          for (const [i, said] of words.entries()) {
            say(both, said);
            // In between, so that sums are made before they change.
            if (i % 7 === 0) assertSame(both, { from: 0, to: said.to }, lag);
          }
          for (const question of asked) assertSame(both, question, lag);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('L1–L3 what is decided in favour of the scheduler', () => {
  const words = fc.array(word, { maxLength: 80 });
  const spans = fc.array(span, { maxLength: 20 });
  const never = (
    compute: Compute,
    said: readonly Word[],
    asked: readonly { from: number; to: number }[],
    lag: number,
  ) => {
    const both = { compute, defined: new ByDefinition() };
    for (const each of said) say(both, each);
    for (const question of asked) assertNoLess(both, question, lag);
  };

  test('many stretches: what is condensed excuses no less than it did', () => {
    fc.assert(
      fc.property(words, spans, lagMs, fc.integer({ min: 2, max: 12 }), (said, asked, lag, most) => {
        const compute = new Compute(most);
        never(compute, said, asked, lag);
        assert.ok(compute.size <= most + 1, `${compute.size} stretches`);
      }),
      { numRuns: 1500 },
    );
  });

  test('a record that grants less than one unit per millisecond, or more', () => {
    const some = fc.tuple(fc.nat(END), fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 0.25, 0.5, 1, 8));
    fc.assert(
      fc.property(some, lagMs, ([from, ms, density], lag) => {
        const said: Word = { from, to: from + ms, density, cause: 'compute' };
        never(new Compute(), [said], [{ from: Math.max(0, from - 5), to: from + ms + 5 }], lag);
      }),
      { numRuns: 500 },
    );
  });
});

describe('L1–L3 memory does not grow with the trace', () => {
  test('of many claims with gaps between them', () => {
    const compute = new Compute(1000);
    for (let i = 0; i < 20_000; i++) {
      compute.set(10 * i, 10 * i + 5, 0, i % 2 === 0 ? 'frozen' : 'workers');
      assert.ok(compute.size <= 1000);
    }
    assert.equal(compute.lagOf(199_000, 200_000), 500);
  });

  test('of many claims that follow at once there is one', () => {
    const compute = new Compute();
    for (let i = 0; i < 20_000; i++) compute.set(i, i + 1, 0, 'workers');
    assert.equal(compute.size, 1);
  });
});
