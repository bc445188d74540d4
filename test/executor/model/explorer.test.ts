/** The checker is checked first: on systems so small that the answer can be told by hand. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../property.ts';
import { components } from './components.ts';
import { type Action, count, explore, neverEnabled, type Steps, type System } from './explorer.ts';
import { type FairnessClass, perProcess } from './fairness.ts';
import { refuteLeadsTo } from './liveness.ts';
import { range } from './range.ts';

/** States are small numbers; each action is a table from state to state. */
function tables(actions: Record<string, Record<number, number>>): System<number> {
  return {
    initial: () => 0,
    actions: Object.entries(actions).map(
      ([name, table]): Action<number> => ({ name, process: name, step: (state) => table[state] }),
    ),
    encode: String,
    decode: Number,
    render: String,
  };
}

const reach = (state: number) => ({
  name: `reach ${state}`,
  whenever: () => true,
  eventually: (at: number) => at === state,
});

const weak = (system: System<number>): FairnessClass[] => perProcess(system.actions);
const strong = (system: System<number>): FairnessClass[] => perProcess(system.actions, 'strong');

describe('the explorer', () => {
  test('counts states, steps and ends, and names the actions that never happen', () => {
    const graph = explore(tables({ up: { 0: 1, 1: 2 }, stay: { 1: 1 }, never: { 7: 0 } }));
    assert.equal(graph.keys.length, 3);
    assert.equal(graph.transitions, 3);
    assert.equal(graph.target.length, 2);
    assert.deepEqual(graph.terminals, [2]);
    assert.deepEqual(neverEnabled(graph), ['never(never)']);
    assert.equal(
      count(graph, (state) => state > 0),
      2,
    );
  });

  test('the trace to a broken invariant is a shortest one', () => {
    const system = tables({ one: { 0: 1, 1: 2, 2: 3, 3: 4 }, two: { 0: 2, 2: 4 } });
    const { violation } = explore(system, [{ name: 'below four', holds: (state) => state < 4 }]);
    assert.equal(violation?.property, 'below four');
    assert.deepEqual(violation?.trace, ['  0. start: 0', '  1. two(two)  2', '  2. two(two)  4']);
  });

  test('gives up at the limit instead of filling the memory', () => {
    const endless: System<number> = {
      ...tables({}),
      actions: [{ name: 'up', process: 'up', step: (state) => state + 1 }],
    };
    assert.throws(() => explore(endless, [], 100), /more than 100 states/);
  });
});

describe('liveness', () => {
  test('whoever is always able to leave does so, under weak fairness', () => {
    const system = tables({ spin: { 0: 1, 1: 0 }, leave: { 0: 2, 1: 2 } });
    const graph = explore(system);
    assert.equal(refuteLeadsTo(graph, reach(2), weak(system)), undefined);
    const unfair = refuteLeadsTo(graph, reach(2), []);
    assert.deepEqual(unfair?.trace, ['  0. start: 0', '     and there it stays, for ever']);
  });

  test('whoever is able now and then leaves only under strong fairness', () => {
    const system = tables({ spin: { 0: 1, 1: 0 }, leave: { 0: 2 } });
    const graph = explore(system);
    assert.equal(refuteLeadsTo(graph, reach(2), strong(system)), undefined);
    const lasso = refuteLeadsTo(graph, reach(2), weak(system));
    assert.equal(lasso?.property, 'reach 2');
    assert.deepEqual(lasso?.trace, [
      '  0. start: 0',
      '     and from there round and round, for ever:',
      '  1. spin(spin)  1',
      '  2. spin(spin)  0',
    ]);
  });

  test('strong fairness does not forbid to keep away from where the class is enabled', () => {
    const system = tables({ go: { 0: 1 }, spin: { 1: 2, 2: 1 }, back: { 1: 0 }, leave: { 0: 3 } });
    const graph = explore(system);
    const fairness = strong(system).filter(({ covers }) => !covers({ name: 'back', process: 'back' }));
    const lasso = refuteLeadsTo(graph, reach(3), fairness);
    assert.deepEqual(lasso?.trace.slice(0, 2), ['  0. start: 0', '  1. go(go)  1']);
  });

  test('a step that changes nothing is no progress, and an end without Q is for ever', () => {
    const system = tables({ up: { 0: 1 }, stay: { 1: 1 } });
    const stuck = refuteLeadsTo(explore(system), reach(9), weak(system));
    assert.deepEqual(stuck?.trace, ['  0. start: 0', '  1. up(up)  1', '     and there it stays, for ever']);
  });

  test('a cycle serves every class that is enabled all along it', () => {
    const system = tables({ a: { 0: 1, 1: 1 }, b: { 1: 2, 0: 0 }, c: { 2: 0 } });
    const lasso = refuteLeadsTo(explore(system), reach(9), strong(system));
    const actions = lasso?.trace.slice(2).map((line) => line.trim().split(/[ (]+/)[1]);
    assert.deepEqual(actions, ['a', 'b', 'c']);
  });
});

describe('strongly connected components', () => {
  /** The plain definition: each reaches the other. */
  function naive(
    size: number,
    edges: readonly (readonly [number, number])[],
    inside: Uint8Array,
  ): boolean[][] {
    const reaches = range(size).map((a) => range(size).map((b) => a === b && inside[a] === 1));
    for (const [a, b] of edges) reaches[a][b] ||= inside[a] === 1 && inside[b] === 1;
    for (const via of range(size)) {
      for (const row of reaches.filter((from) => from[via])) {
        for (const b of range(size)) row[b] ||= reaches[via][b];
      }
    }
    return range(size).map((a) => range(size).map((b) => reaches[a][b] && reaches[b][a]));
  }

  test('agree with the definition on arbitrary graphs', () => {
    const size = 8;
    const node = fc.nat(size - 1);
    const graphs = fc.tuple(fc.array(fc.tuple(node, node), { maxLength: 24 }), fc.nat(255));
    fc.assert(
      fc.property(graphs, ([edges, mask]) => {
        const sorted = edges.toSorted(([a], [b]) => a - b);
        const steps: Pick<Steps, 'firstStep' | 'target'> = {
          firstStep: Int32Array.from(range(size + 1), (at) => sorted.filter(([a]) => a < at).length),
          target: Int32Array.from(sorted, ([, b]) => b),
        };
        const inside = Uint8Array.from(range(size), (at) => (mask >> at) & 1);
        const { of } = components(steps, inside);
        const found = range(size).map((a) => range(size).map((b) => of[a] !== -1 && of[a] === of[b]));
        assert.deepEqual(found, naive(size, edges, inside));
      }),
    );
  });

  test('a line of a million states does not overflow the stack', () => {
    const size = 1_000_000;
    const steps = {
      firstStep: Int32Array.from({ length: size + 1 }, (_, at) => Math.min(at, size - 1)),
      target: Int32Array.from({ length: size - 1 }, (_, at) => at + 1),
    };
    assert.equal(components(steps, new Uint8Array(size).fill(1)).total, size);
  });
});
