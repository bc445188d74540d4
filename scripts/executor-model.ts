/**
 * The long form of the executor's proof: the same examination as in the tests, on instances too large for them.
 * Needs a minute or two, and less than a gigabyte of memory.
 */
import { machine } from '../bench/harness.ts';
import { summary } from '../test/executor/model/explorer.ts';
import { ever, subscriber, timer } from '../test/executor/model/mutant.ts';
import { check } from '../test/executor/model/shipped-check.ts';
import type { Instance } from '../test/executor/model/shipped-model.ts';

const instances: Readonly<Record<string, Instance>> = {
  '2 timers, 2 subscribers, 2 workers, 3 triggers each': {
    workers: 2,
    tasks: [timer(3), timer(3), subscriber(3), subscriber(3)],
  },
  '3 timers, 3 subscribers, 2 workers, 1 trigger each': {
    workers: 2,
    tasks: [timer(1), timer(1), timer(1), subscriber(1), subscriber(1), subscriber(1)],
  },
  '3 timers, 2 subscribers, 2 workers, 2 triggers each': {
    workers: 2,
    tasks: [timer(2), timer(2), timer(2), subscriber(2), subscriber(2)],
  },
  '4 timers, 3 subscribers, 3 workers, sources that never end': {
    workers: 3,
    tasks: [
      ...Array.from({ length: 4 }, () => timer(ever)),
      ...Array.from({ length: 3 }, () => subscriber(ever)),
    ],
  },
  '2 timers, 1 subscriber, 2 workers, 1 trigger each, 2 more tasks later, in new or released slots': {
    workers: 2,
    tasks: [timer(1), timer(1), subscriber(1)],
    arrivals: [subscriber(1), timer(1)],
  },
};

console.log(machine());
for (const [name, instance] of Object.entries(instances)) {
  const { graph, violation, elapsedMs } = check(instance);
  console.log(`${name}\n  ${summary(graph)}; with liveness ${Math.round(elapsedMs)} ms`);
  if (violation === undefined) continue;
  console.log([`  REFUTED: ${violation.property}`, ...violation.trace].join('\n'));
  process.exitCode = 1;
}
