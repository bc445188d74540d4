/** The worlds that are explored: some in the suite, the others by `npm run campaign -- exploration`. */
import type { Report } from './explore.ts';
import { type Entry, even, every, type Instance, MINUTE_MS, odd, unbounded } from './instance.ts';

export interface Named {
  readonly name: string;
  readonly instance: Instance;
  /** As many states were found when it was last looked: only to tell how far it has come. */
  readonly expected: number;
}

const x: Readonly<Record<string, Entry>> = {
  every: ['x', every, MINUTE_MS],
  even: ['x', even, MINUTE_MS],
  odd: ['x', odd, MINUTE_MS],
  everyAtOnce: ['x', every, 0],
  oddAtOnce: ['x', odd, 0],
};
const y: Readonly<Record<string, Entry>> = {
  even: ['y', even, MINUTE_MS],
  evenAtOnce: ['y', even, 0],
  oddAtOnce: ['y', odd, 0],
};

export const small: Named = {
  name: '1 task; 3 lists; any number of initializations, crashes, stops and failures',
  instance: { lists: [[], [x.every], [x.even]], budgets: unbounded },
  expected: 17_168,
};

export const bounded: Named = {
  name: '2 tasks; 2 lists; 1 initialization, 1 crash, 1 stop, 1 failure',
  instance: {
    lists: [[x.every], [x.odd, y.evenAtOnce]],
    budgets: { initializations: 1, crashes: 1, stops: 1, failures: 1 },
  },
  expected: 105_922,
};

export const large: readonly Named[] = [
  small,
  {
    name: '1 task; 5 lists: removed, other expressions, other delays; any number of everything',
    instance: { lists: [[], [x.every], [x.even], [x.oddAtOnce], [x.everyAtOnce]], budgets: unbounded },
    expected: 61_264,
  },
  {
    name: '2 tasks; 2 lists; any number of everything',
    instance: { lists: [[x.every], [x.odd, y.evenAtOnce]], budgets: unbounded },
    expected: 678_947,
  },
  {
    name: '2 tasks; 3 lists; any number of everything',
    instance: { lists: [[], [x.every], [x.oddAtOnce, y.even]], budgets: unbounded },
    expected: 746_315,
  },
  {
    name: '2 tasks; 4 lists; any number of everything',
    instance: {
      lists: [[], [x.every], [x.oddAtOnce, y.even], [x.every, y.oddAtOnce]],
      budgets: unbounded,
    },
    expected: 3_024_918,
  },
];

/** For random walks, where size is no matter. */
export const walked: Instance = {
  lists: [[], [x.every], [x.even, y.oddAtOnce], [x.oddAtOnce, y.even], [y.even]],
  budgets: unbounded,
};

export function sizeInWords({ states, transitions, depth, scenes, parts, elapsedMs }: Report): string {
  const count = (value: number): string => value.toLocaleString('en');
  return `${count(states)} states, ${count(transitions)} transitions, ${depth} deep, ${count(scenes)} scenes, ${count(parts)} states of single names, ${(elapsedMs / 1000).toFixed(1)} s`;
}
