/** The executor does nothing that the repaired PlusCal module could not do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explore, summary } from './explorer.ts';
import { subscriber, timer } from './mutant.ts';
import { mutants } from './mutants.ts';
import { range } from './range.ts';
import { type RefinedSize, type Refinement, refine } from './refinement.ts';
import { shippedSystem } from './shipped.ts';
import type { Operations } from './shipped-model.ts';

function refineSize(
  size: RefinedSize,
  mutations: Partial<Operations> = {},
): Refinement & { summary: string } {
  const tasks = [
    ...range(size.timers).map(() => timer(size.loops)),
    ...range(size.subscribers).map(() => subscriber(size.loops)),
  ];
  const instance = { workers: size.workers, namedWorkers: size.workers, tasks };
  const graph = explore(shippedSystem(instance, { mutations, keeps: () => false }));
  return { ...refine(graph, size), summary: summary(graph) };
}

const sizes: readonly RefinedSize[] = [
  { timers: 1, subscribers: 1, workers: 1, loops: 3 },
  { timers: 1, subscribers: 1, workers: 2, loops: 2 },
  { timers: 2, subscribers: 2, workers: 2, loops: 1 },
  { timers: 2, subscribers: 2, workers: 1, loops: 2 },
  { timers: 2, subscribers: 2, workers: 2, loops: 2 },
];

describe('refinement of the repaired module', () => {
  for (const size of sizes) {
    const { timers, subscribers, workers, loops } = size;
    test(`${timers} × ${subscribers} × ${workers}, Loop… = ${loops}`, (t) => {
      const startedAt = performance.now();
      const { matched, images, violation, summary } = refineSize(size);
      t.diagnostic(summary);
      t.diagnostic(
        `${matched} steps matched, ${images} module states, ${Math.round(performance.now() - startedAt)} ms in all`,
      );
      assert.equal(violation, undefined, violation?.trace.join('\n'));
      assert.ok(matched > 0);
    });
  }

  for (const name of [
    'the pass does not consume the wait-set entry (X2)',
    'the pass puts subscribers before timers',
    'the queue is taken from its tail',
    'a trigger while running is dropped',
    'a trigger while queued asks for a run of its own',
    'the first source to end counts for all (X3)',
    'done although a trigger is remembered',
  ]) {
    test(`refuted for: ${name}`, (t) => {
      const mutant = mutants.find((one) => one.name === name);
      const { violation } = refineSize(
        { timers: 1, subscribers: 1, workers: 1, loops: 2 },
        mutant?.mutations,
      );
      for (const line of violation?.trace ?? []) t.diagnostic(line);
      assert.ok(violation !== undefined && violation.trace.length > 1);
    });
  }
});
