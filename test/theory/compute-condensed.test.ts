/** What is kept of the environment's words is enough for every question that can be asked, however many words there were. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Compute } from '../../src/theory/delays/compute.ts';
import { ByDefinition, type Word } from './compute-by-definition.ts';

const END = 200;
/** Sums of these are exact. A `Compute` record may say none, too. */
const word = fc
  .tuple(
    fc.nat(END),
    fc.integer({ min: 0, max: 30 }),
    fc.constantFrom(
      { density: 0, cause: 'frozen' as const },
      { density: 0, cause: 'store' as const },
      { density: 0, cause: 'workers' as const },
      { density: 0, cause: 'compute' as const },
      { density: 0.25, cause: 'compute' as const },
      { density: 1, cause: 'compute' as const },
      { density: 8, cause: 'compute' as const },
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
  assert.deepEqual(new Set(compute.causes(from, to)), new Set(defined.causes(from, to)));
  assert.equal(compute.isWithin(from, to, spent, lag), true);
  if (spent > 0) assert.equal(compute.isWithin(from, to, spent - 0.125, lag), false);
}

/** Never less than the definition allows. */
function assertNoLess({ compute, defined }: Both, span: { from: number; to: number }, lag: number): void {
  assert.ok(compute.lagOf(span.from, span.to) <= defined.lagOf(span.from, span.to));
  assert.ok(compute.isWithin(span.from, span.to, defined.spent(span.from, span.to, lag), lag));
}

describe('L1–L3 compute is what its definition says', () => {
  test('of any words, in any order, for any question', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 60 }),
        fc.array(span, { maxLength: 20 }),
        lagMs,
        (words, asked, lag) => {
          const both = { compute: new Compute(() => []), defined: new ByDefinition() };
          for (const [i, said] of words.entries()) {
            say(both, said);
            // In between, so that sums are made before they change.
            if (i % 7 === 0) assertSame(both, { from: 0, to: said.to }, lag);
          }
          for (const question of asked) {
            assertSame(both, question, lag);
            const { from, to } = question;
            assert.deepEqual(both.compute.causes(from, to), both.defined.causes(from, to));
          }
        },
      ),
      { numRuns: 1500 },
    );
  });
});

/** A step of a life: a demand opens or closes, or something is said. */
interface Step {
  readonly ms: number;
  readonly demand: 'open' | 'close' | 'keep';
  readonly said: Word;
}

const step = fc.record({
  ms: fc.integer({ min: 0, max: 6 }),
  demand: fc.constantFrom('open' as const, 'close' as const, 'keep' as const, 'keep' as const),
  said: word,
});
const life = fc.array(step, { minLength: 10, maxLength: 80 });
const newest = fc.integer({ min: 1, max: 12 });

/** A life with little room, in which now and then something is asked about every open demand. */
class Life {
  readonly #open: number[] = [];
  readonly compute: Compute;
  #defined = new ByDefinition();
  now = 0;

  constructor(newest: number) {
    this.compute = new Compute(() => this.#open, { most: newest + 4, newest });
  }

  /** `told` says when a word is about. */
  go(
    steps: readonly Step[],
    told: (word: Word, now: number) => Word,
    ask: typeof assertSame,
    lag: number,
  ): void {
    for (const [i, { ms, demand, said }] of steps.entries()) {
      this.now += ms;
      if (demand === 'open') this.#open.push(this.now);
      if (demand === 'close') this.#open.shift();
      const word = told(said, this.now);
      const both = { compute: this.compute, defined: this.#defined };
      say(both, word);
      this.now = Math.max(this.now, word.to);
      this.compute.trim(this.now);
      if (i % 5 === 0) for (const from of this.#open) ask(both, { from, to: this.now }, lag);
    }
  }

  /** Demands begin anew, and of the time that comes again only new words are true. */
  setBack(to: number): void {
    this.now = to;
    this.compute.clockSetBack(to);
    this.#open.splice(0, this.#open.length, to);
    this.#defined = new ByDefinition();
  }
}

const inOrder = (said: Word, now: number): Word => ({ ...said, from: now, to: now + said.to - said.from });
const late = (said: Word, now: number): Word => {
  const from = Math.max(0, now - said.from);
  return { ...said, from, to: Math.min(now, from + said.to - said.from) };
};

describe('L1–L3 what is condensed', () => {
  test('loses nothing that an open demand can ask, if words come in the order of time', () => {
    fc.assert(
      fc.property(life, newest, lagMs, (steps, kept, lag) =>
        new Life(kept).go(steps, inOrder, assertSame, lag),
      ),
      { numRuns: 500 },
    );
  });

  test('a word that comes late, about any part of it, excuses no less than it would have', () => {
    fc.assert(
      fc.property(life, life, newest, lagMs, (before, after, kept, lag) => {
        const both = new Life(kept);
        both.go(before, inOrder, assertSame, lag);
        both.go(after, late, assertNoLess, lag);
      }),
      { numRuns: 500 },
    );
  });

  test('stays condensed when late words have wiped out what was newer', () => {
    const compute = new Compute(() => [0], { most: 6, newest: 2 });
    for (let from = 0; from < 120; from += 20) compute.set(from, from + 10, 0, 'workers');
    compute.trim(110);
    // A block up to 70, of 40 ms without compute and 30 ms with it; and nothing after it.
    compute.set(70, 110, 1, 'compute');
    compute.set(1, 6, 0, 'store');
    compute.set(11, 16, 0, 'frozen');
    compute.set(21, 26, 0, 'step');
    compute.set(31, 36, 0.25, 'compute');
    compute.set(41, 46, 0.5, 'compute');
    compute.trim(110);
    // It takes the place of the densest: 5 ms of a half and 5 ms of one unit. The 5 ms of a quarter stay.
    compute.set(56, 66, 1, 'compute');
    assert.equal(compute.isWithin(0, 70, 11.25, 0), true);
    assert.equal(compute.isWithin(0, 70, 11, 0), false);
  });

  test('B5 a clock that is set back into it: what is owed from there on is excused no less', () => {
    fc.assert(
      fc.property(life, life, fc.nat(END), newest, lagMs, (before, after, backMs, kept, lag) => {
        const both = new Life(kept);
        both.go(before, inOrder, assertSame, lag);
        both.setBack(Math.max(0, both.now - backMs));
        both.go(after, inOrder, assertNoLess, lag);
      }),
      { numRuns: 500 },
    );
  });
});

describe('L1–L3 memory does not grow with the trace', () => {
  const words = 100_000;

  test('of many words with gaps between them', () => {
    const compute = new Compute(() => [0, 30_000]);
    let most = 0;
    for (let i = 0; i < words; i++) {
      compute.set(10 * i, 10 * i + 9, 0, 'workers');
      compute.trim(10 * i + 9);
      most = Math.max(most, compute.size);
    }
    assert.ok(most <= 16_384, `${most} stretches`);
    assert.equal(compute.lagOf(0, 10 * words), words);
    assert.equal(compute.lagOf(30_000, 10 * words), words - 3000);
  });

  test('of many words that follow at once there is one', () => {
    const compute = new Compute(() => [0]);
    for (let i = 0; i < words; i++) compute.set(10 * i, 10 * i + 10, 0, 'workers');
    assert.equal(compute.size, 1);
  });

  test('of many densities: neighbours become the lower one', () => {
    const compute = new Compute(() => [0], { most: 200, newest: 3 });
    let units = 0;
    for (let i = 0; i < 10_000; i++) {
      const density = 0.5 + i / 20_000;
      units += 10 * density;
      compute.set(10 * i, 10 * i + 10, density, 'compute');
      compute.trim(10 * i + 10);
      assert.ok(compute.size <= 200, `${compute.size} stretches`);
    }
    assert.ok(compute.isWithin(0, 100_000, units, 0));
    assert.equal(compute.isWithin(0, 100_000, 50_000 - 1, 0), false);
  });

  test('B5 of what a clock that is set back, again and again, has left ahead', () => {
    const compute = new Compute(() => [], { most: 200, newest: 50 });
    for (let landing = 1_000_000; landing > 0; landing -= 10_000) {
      compute.clockSetBack(landing);
      for (let at = landing; at < landing + 900; at += 2) {
        compute.set(at, at + 1, 0, 'workers');
        compute.trim(at + 1);
        assert.ok(compute.size <= 200, `${compute.size} stretches`);
      }
    }
  });
});
