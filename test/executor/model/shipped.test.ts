/** The shipped transition function, through every interleaving of the given sizes; no state merged with another. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { summary } from './explorer.ts';
import { ever, subscriber, timer } from './mutant.ts';
import { check } from './shipped-check.ts';
import type { Instance } from './shipped-model.ts';

const two = [timer(2), timer(2), subscriber(2), subscriber(2)];
const endless = [timer(ever), timer(ever), subscriber(ever), subscriber(ever)];

const instances: readonly (readonly [string, Instance])[] = [
  ['2 timers, 2 subscribers, 2 workers, 2 triggers each', { workers: 2, tasks: two }],
  ['2 timers, 2 subscribers, 1 worker, 2 triggers each', { workers: 1, tasks: two }],
  ['2 timers, 2 subscribers, 3 workers, 2 triggers each', { workers: 3, tasks: two }],
  ['2 timers, 2 subscribers, unlimited workers, 2 triggers each', { workers: ever, tasks: two }],
  ['1 timer, 1 subscriber, 1 worker, 6 triggers each', { workers: 1, tasks: [timer(6), subscriber(6)] }],
  ['3 timers, 1 worker, 2 triggers each', { workers: 1, tasks: [timer(2), timer(2), timer(2)] }],
  [
    '3 subscribers, 2 workers, 3 triggers each',
    { workers: 2, tasks: [subscriber(3), subscriber(3), subscriber(3)] },
  ],
  ['2 timers, 2 subscribers, 2 workers, sources that never end', { workers: 2, tasks: endless }],
  ['2 timers, 2 subscribers, 1 worker, sources that never end', { workers: 1, tasks: endless }],
  [
    '3 timers, 3 subscribers, 2 workers, sources that never end',
    { workers: 2, tasks: [...endless, timer(ever), subscriber(ever)] },
  ],
  [
    '2 timers, 2 subscribers, 2 workers, 2 triggers each, a stop at any moment',
    { workers: 2, tasks: two, stops: 'any moment' },
  ],
  [
    '2 timers, 2 subscribers, 2 workers, endless, a stop at any moment',
    { workers: 2, tasks: endless, stops: 'any moment' },
  ],
  [
    '1 timer, 1 subscriber, 2 workers, 2 sources each, of 1 and 2 triggers',
    { workers: 2, tasks: [timer(1, 2), subscriber(2, 1)] },
  ],
  [
    '1 timer, 1 subscriber, 2 workers, 1 trigger each, 2 more tasks later, in new or released slots',
    { workers: 2, tasks: [timer(1), subscriber(1)], arrivals: [subscriber(2), timer(1)] },
  ],
];

describe('the shipped executor, every interleaving', () => {
  for (const [name, instance] of instances) {
    test(name, (t) => {
      const { graph, violation, elapsedMs } = check(instance);
      t.diagnostic(`${summary(graph)}; with liveness ${Math.round(elapsedMs)} ms`);
      assert.equal(violation, undefined, violation && [violation.property, ...violation.trace].join('\n'));
    });
  }
});
