/** When the main thread stood still: decided from looks alone, so every case can be played. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Look, StillnessJudge } from '../../src/trace/stillness.ts';

/** Frozen after 1,000 ms, with a look every 250: answers what is said at each look. */
function said(looks: readonly Partial<Look>[]): string[] {
  let look: Look = { beats: 0, moves: 0, wall: 10_000, monotonic: 0 };
  const judge = new StillnessJudge(look, 1000, 250);
  return looks.map((next) => {
    // Without another word the clocks go on together.
    const monotonic = next.monotonic ?? look.monotonic + 250;
    look = { ...look, wall: look.wall + monotonic - look.monotonic, monotonic, ...next };
    const still = judge.judge(look);
    return still === undefined ? '' : `${still.kind} ${still.from} ${still.to}`;
  });
}

describe('a main thread', () => {
  test('that beats, or writes, or both, is never still', () => {
    const looks = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? { beats: n + 1 } : { moves: n }));
    assert.deepEqual(new Set(said(looks)), new Set(['']));
  });

  test('that does neither for long enough is still from when it was last seen to move, until it does', () => {
    assert.deepEqual(said([{ beats: 1 }, {}, {}, {}, {}, {}, { beats: 2 }, {}]), [
      '',
      '',
      '',
      '',
      'begun 10250 11250',
      'grown 10250 11500',
      '',
      '',
    ]);
  });

  test('that is still twice is told of twice', () => {
    const still = [{}, {}, {}, {}];
    const words = said([...still, { moves: 1 }, ...still]).filter((word) => word !== '');
    assert.deepEqual(words, ['begun 10000 11000', 'begun 11250 12250']);
  });
});

describe('a gap between two looks', () => {
  test('in which nothing moved is a freeze', () => {
    assert.deepEqual(said([{ monotonic: 5000 }]), ['begun 10000 15000']);
  });

  test('after which the main thread was the first to move is one too', () => {
    assert.deepEqual(said([{ monotonic: 5000, beats: 1, moves: 900 }, { beats: 2 }]), [
      'begun 10000 15000',
      '',
    ]);
  });

  test('in which the main thread went on is none: only the looking was slow', () => {
    assert.deepEqual(said([{ monotonic: 5000, beats: 20 }]), ['']);
    assert.deepEqual(said([{ monotonic: 5000, beats: 2 }]), ['']);
  });

  test('that is hardly longer than it should be is none', () => {
    assert.deepEqual(said([{ monotonic: 1249, beats: 1 }]), ['']);
  });
});

describe('a wall clock that jumps', () => {
  test('while the other one stands still: the machine slept', () => {
    assert.deepEqual(said([{ wall: 99_000 }]), ['begun 10000 99000']);
    assert.deepEqual(said([{ wall: 99_000, beats: 1 }]), ['begun 10000 99000']);
  });

  test('back is no freeze; and a freeze during which it does has no length to claim', () => {
    assert.deepEqual(said([{ wall: 5000, beats: 1 }]), ['']);
    assert.deepEqual(said([{ wall: 5000, monotonic: 3000 }]), ['begun 10000 10000']);
  });
});
