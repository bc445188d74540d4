/** The PlusCal module as written, its four defects one after the other, and the repaired module. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { count, explore, type Graph, neverEnabled, summary, traceTo, type Violation } from './explorer.ts';
import { type FairnessClass, perProcess } from './fairness.ts';
import { type LeadsTo, refuteLeadsTo } from './liveness.ts';
import { plusCalModule } from './plus-cal.ts';
import { allDone, has, type ModuleSize, type ModuleState, type Repair, taskName } from './plus-cal-state.ts';
import { range } from './range.ts';

const full = { timers: 2, subscribers: 2, workers: 2, loops: 1 };
const tiny = { timers: 1, subscribers: 1, workers: 1, loops: 1 };
const repaired = (...repairs: Repair[]): Pick<ModuleSize, 'repairs'> => ({ repairs: new Set(repairs) });
const wholly = repaired('X1', 'X2', 'X3');

/** `task ∈ wait_set ↝ task ∈ running`, the module's `starvation_free` for one task. */
const served = (size: ModuleSize, task: number): LeadsTo<ModuleState> => ({
  name: `${taskName(size, task)} ∈ wait_set ↝ ${taskName(size, task)} ∈ running`,
  whenever: ({ waitSet }) => has(waitSet, task),
  eventually: ({ running }) => has(running, task),
});
const termination: LeadsTo<ModuleState> = { name: 'Termination', whenever: () => true, eventually: allDone };

/** Whether any task starves, over timers and subscribers alike. */
function starved(
  size: ModuleSize,
  graph: Graph<ModuleState>,
  fairness: readonly FairnessClass[],
): Violation | undefined {
  for (const task of range(size.timers + size.subscribers)) {
    const violation = refuteLeadsTo(graph, served(size, task), fairness);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

const show = (t: TestContext, violation: Violation | undefined): void => {
  t.diagnostic(`refuted: ${violation?.property}`);
  for (const line of violation?.trace ?? []) t.diagnostic(line);
};

const weak = ({ system }: Graph<ModuleState>): FairnessClass[] => perProcess(system.actions);
const strong = ({ system }: Graph<ModuleState>): FairnessClass[] => perProcess(system.actions, 'strong');

describe('the PlusCal module as written', () => {
  const size: ModuleSize = { ...full, ...repaired() };
  const graph = explore(plusCalModule(size));

  test('has 11,392 states, none terminal, none with a timer queued or running', (t) => {
    t.diagnostic(summary(graph));
    const timer = (task: number): boolean => task < size.timers;
    assert.equal(graph.keys.length, 11_392);
    assert.equal(count(graph, allDone), 0);
    assert.deepEqual(graph.terminals, []);
    assert.equal(
      count(graph, ({ runQueue, running }) => runQueue.some(timer) || (running & 0b11) !== 0),
      0,
    );
    assert.ok(count(graph, ({ runQueue, running }) => runQueue.length > 0 && running !== 0) > 0);
  });

  test('can never end: the labels that end it are never reached', () => {
    assert.deepEqual(neverEnabled(graph), ['end_sched(scheduler)', 'end_worker(w1)', 'end_worker(w2)']);
  });

  test('satisfies its own starvation_free, which speaks of subscribers only', () => {
    for (const task of [2, 3]) {
      assert.equal(refuteLeadsTo(graph, served(size, task), strong(graph)), undefined);
    }
  });

  test('X1 a timer trigger is never served', (t) => {
    const smallest: ModuleSize = { ...tiny, ...repaired() };
    const small = explore(plusCalModule(smallest));
    const violation = refuteLeadsTo(small, served(smallest, 0), strong(small));
    show(t, violation);
    assert.equal(violation?.property, 't1 ∈ wait_set ↝ t1 ∈ running');
    assert.notEqual(refuteLeadsTo(graph, served(size, 0), strong(graph)), undefined);
  });
});

describe('the PlusCal module, repaired step by step', () => {
  test('X2 with X1 repaired, one trigger runs for ever', (t) => {
    const graph = explore(plusCalModule({ ...tiny, ...repaired('X1') }));
    t.diagnostic(summary(graph));
    const violation = refuteLeadsTo(graph, termination, strong(graph));
    show(t, violation);
    assert.equal(violation?.property, 'Termination');
    const cycle =
      violation?.trace.slice(violation.trace.findIndex((line) => line.includes('round')) + 1) ?? [];
    assert.ok(
      cycle.some((line) => line.includes('finish_task')) && !cycle.some((line) => line.includes('_timer')),
    );
    assert.equal(count(graph, allDone), 0);
  });

  test('X3 with X1 and X2 repaired, the first producer to finish speaks for all', (t) => {
    const size: ModuleSize = { ...tiny, subscribers: 2, ...repaired('X1', 'X2') };
    const graph = explore(plusCalModule(size));
    t.diagnostic(summary(graph));
    const { decode } = graph.system;
    const unserved = graph.terminals.filter((state) => decode(graph.keys[state]).waitSet !== 0);
    show(t, { property: 'every trigger is served at the end', trace: traceTo(graph, unserved[0]) });
    assert.ok(unserved.length > 0 && unserved.every((state) => allDone(decode(graph.keys[state]))));
  });

  for (const [finished, states] of [
    ['at the last flag', 119_192],
    ['at the last loop', 138_152],
  ] as const) {
    test(`X1 to X3 repaired, finished ${finished}: ends under weak fairness with every trigger served`, (t) => {
      const size: ModuleSize = { ...full, ...wholly, finished };
      const graph = explore(plusCalModule(size));
      t.diagnostic(summary(graph));
      assert.equal(graph.keys.length, states);
      assert.deepEqual(neverEnabled(graph), []);
      assert.ok(graph.terminals.length > 0);
      for (const state of graph.terminals) {
        const { waitSet, runQueue, running } = graph.system.decode(graph.keys[state]);
        assert.deepEqual({ waitSet, runQueue, running }, { waitSet: 0, runQueue: [], running: 0 });
      }
      assert.equal(count(graph, allDone), graph.terminals.length);
      assert.equal(refuteLeadsTo(graph, termination, weak(graph)), undefined);
      assert.equal(starved(size, graph, weak(graph)), undefined);
    });
  }
});

describe('X4 fairness, with sources that trigger for ever', () => {
  const ever = { ...wholly, loops: Number.POSITIVE_INFINITY };
  const contended: ModuleSize = { timers: 1, subscribers: 1, workers: 1, ...ever };

  test('first in, first out: nobody starves under weak fairness alone', (t) => {
    const size: ModuleSize = { ...full, ...ever };
    const graph = explore(plusCalModule(size));
    t.diagnostic(summary(graph));
    assert.equal(starved(size, graph, weak(graph)), undefined);
    assert.notEqual(starved(size, graph, []), undefined);
  });

  test('from the tail: starves, even with strong fairness for every process', (t) => {
    const size: ModuleSize = { ...contended, takes: 'last' };
    const graph = explore(plusCalModule(size));
    show(t, starved(size, graph, weak(graph)));
    assert.notEqual(starved(size, graph, weak(graph)), undefined);
    assert.notEqual(starved(size, graph, strong(graph)), undefined);
  });

  test('any of the queue: starves, and only strong fairness for each task hides it', (t) => {
    const size: ModuleSize = { ...contended, takes: 'any' };
    const graph = explore(plusCalModule(size));
    const perTask = (strength: FairnessClass['strength']): FairnessClass[] => [
      ...weak(graph),
      ...range(2).map((task) => ({
        strength,
        covers: ({ name }: { name: string }) => name === `start_worker ${taskName(size, task)}`,
      })),
    ];
    show(t, starved(size, graph, perTask('weak')));
    assert.notEqual(starved(size, graph, perTask('weak')), undefined);
    assert.notEqual(starved(size, graph, strong(graph)), undefined);
    assert.equal(starved(size, graph, perTask('strong')), undefined);
  });
});
