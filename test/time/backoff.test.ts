/** E8: how long the scheduler waits before it asks a store in trouble again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '../../src/time/backoff.ts';

const waitsOf = (count: number, spread: () => number): number[] => {
  const backoff = new Backoff({ firstMs: 50, longestMs: 10_000, spread });
  return Array.from({ length: count }, () => backoff.next());
};

test('E8 the waits double, up to the longest, and are short again after a reset', () => {
  const backoff = new Backoff({ firstMs: 50, longestMs: 10_000, spread: () => 0 });
  const waits = Array.from({ length: 10 }, () => backoff.next());
  assert.deepEqual(waits, [50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  backoff.reset();
  assert.equal(backoff.next(), 50);
});

test('E8 instances that were cut off together do not come back together: chance takes up to half of each wait away', () => {
  const exact = waitsOf(10, () => 0);
  for (const chance of [0, 0.25, 0.999])
    for (const [index, wait] of waitsOf(10, () => chance).entries()) {
      assert.ok(wait <= exact[index] && wait >= exact[index] / 2, `${wait} of ${exact[index]}`);
    }
  const many = Array.from({ length: 100 }, () => waitsOf(9, Math.random)[8]);
  assert.ok(new Set(many.map((wait) => Math.round(wait / 100))).size > 10, 'they differ');
});
