import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InstantHeap } from '../../src/core/heap.ts';
import { fc } from '../property.ts';

describe('the heap of instants', () => {
  test('an empty one has nothing earliest', () => {
    const heap = new InstantHeap();
    assert.equal(heap.size, 0);
    assert.equal(heap.earliest, Number.POSITIVE_INFINITY);
  });

  test('whatever is pushed and popped, the earliest comes out, with its owner', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ push: fc.integer({ min: -50, max: 50 }) }) },
      { weight: 2, arbitrary: fc.constant({ pop: true }) },
      { weight: 1, arbitrary: fc.constant({ clear: true }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new InstantHeap();
        const model = new Map<number, number>();
        for (const [owner, what] of steps.entries()) {
          if ('push' in what) {
            heap.push(what.push, owner);
            model.set(owner, what.push);
          } else if ('clear' in what) {
            heap.clear();
            model.clear();
          } else if (model.size > 0) {
            model.delete(heap.owner);
            heap.pop();
          }
          const earliest = Math.min(...model.values());
          assert.equal(heap.size, model.size);
          assert.equal(heap.earliest, earliest);
          if (model.size > 0) assert.equal(model.get(heap.owner), earliest);
        }
      }),
    );
  });

  test('a hundred thousand instants come out sorted', () => {
    const heap = new InstantHeap();
    for (let owner = 0; owner < 100_000; owner++) heap.push((owner * 7919) % 100_003, owner);
    let last = Number.NEGATIVE_INFINITY;
    for (; heap.size > 0; heap.pop()) {
      assert.ok(heap.earliest >= last);
      assert.equal((heap.owner * 7919) % 100_003, heap.earliest);
      last = heap.earliest;
    }
  });
});
