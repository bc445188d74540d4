/** Instances too large for the suite: `npm run campaign -- executor-model` explores them. */
import { ever, subscriber, timer } from './mutant.ts';
import type { Instance } from './shipped-model.ts';

export const LARGE: Readonly<Record<string, Instance>> = {
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
