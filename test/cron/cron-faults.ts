/** Faults planted into the cron engine that random expressions in real zones do not find, and the test that finds each. */
import type { PlantedFault } from '../faults/fault.ts';

export const CRON_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a day that does not count is passed over as if no clock changed before its end',
    in: 'onDays',
    find: 'Math.min((day + 1) * DAY_MS - offset, end) - 1',
    replace: '(day + 1) * DAY_MS - offset - 1',
    foundBy: [
      'cron/calendar.test.ts',
      'B2 the last day of a month is found after a night in which clocks change',
    ],
  },
  {
    name: 'names that differ in their last character are started next to each other',
    in: 'jitterOffset',
    find: 'mixed(hash)',
    replace: '(mixed.length * hash >>> 0)',
    foundBy: ['cron/calendar.test.ts', 'H5 neighbouring names lie far apart, whatever the jitter is'],
  },
  {
    name: 'a jump over time assumes that clocks differ by a day at most',
    in: 'SPREAD_MS',
    find: '2 * 86_400_000',
    replace: '86_400_000',
    foundBy: [
      'cron/schedule.test.ts',
      'B2 a clock that is set by nearly two days hides no due that is far away',
    ],
  },
  {
    name: 'a jump back over time assumes the same',
    in: 'SPREAD_MS',
    find: '2 * 86_400_000',
    replace: '86_400_000',
    foundBy: ['cron/schedule.test.ts', 'B2 nor one that is far back'],
  },
  {
    name: '29 February is looked for in seven years only',
    in: 'MAX_TURNS',
    find: 'MAX_TURNS = 8',
    replace: 'MAX_TURNS = 7',
    foundBy: [
      'cron/schedule.test.ts',
      'C3 the longest wait there is does not count as one: 29 February, 1896 to 1904, from every month',
    ],
  },
  {
    name: 'numbers beyond 99 wrap',
    in: 'numberAt',
    find: 'number * 10 + text.charCodeAt(position) - ZERO',
    replace: '(number * 10 + text.charCodeAt(position) - ZERO) % 100',
    foundBy: ['cron/grammar.test.ts', 'C1 refuses "100 * * * *", naming minute'],
  },
];
