/** What is explored: the short form with every run of the suite, the long form by `npm run campaign -- cluster-model`. */
import { one, T, T_AND_U, T_CHANGED, two, U } from './mutant.ts';
import type { Bounds } from './world.ts';

const REJOINING = [{ lives: [T, T] }, { lives: [T] }];
const TWO_TASKS = [{ lives: [T_AND_U] }, { lives: [T_AND_U] }];

export const SHORT: Readonly<Record<string, Bounds>> = {
  '2 instances: 2 dues, 1 failure': two({ dues: 2, failures: 1 }),
  '2 instances: 1 due, 1 failure, instants that are equal': {
    ...two({ dues: 1, failures: 1 }),
    clock: 'coarse',
  },
  '2 instances that know old records: 2 dues, 1 failure': {
    ...two({ dues: 2, failures: 1 }),
    knowledge: 'kept',
  },
  '2 instances: 1 due, 1 pause or outage, 1 loss': two({ dues: 1, freezes: 1, losses: 1 }),
  '2 instances, one of them twice: 1 due, 1 crash': { slots: REJOINING, counts: { dues: 1, crashes: 1 } },
  '2 instances, one of them twice: 1 due, 1 stop': { slots: REJOINING, counts: { dues: 1, stops: 1 } },
  '1 instance: 2 dues, 1 pause, 1 request that is delayed': one({ dues: 2, freezes: 1, copies: 1 }),
  '2 instances, 2 tasks: 2 dues': { slots: TWO_TASKS, counts: { dues: 2 } },
  '2 instances, 2 tasks, a deploy that drops one and another that brings it back: 1 due': {
    slots: [
      { lives: [T_AND_U], reloads: [T] },
      { lives: [U, T_AND_U], comesLater: true },
    ],
    counts: { dues: 1 },
  },
  '2 instances, 2 tasks, lists that change and change back: 1 request that is delayed': {
    slots: [
      { lives: [T_AND_U], reloads: [T, T_AND_U] },
      { lives: [T], reloads: [T_AND_U] },
    ],
    counts: { copies: 1 },
  },
  '2 instances, an expression that changes, and old records: 1 due': {
    slots: [{ lives: [T], reloads: [T_CHANGED] }, { lives: [T] }],
    counts: { dues: 1 },
    knowledge: 'kept',
  },
  '2 instances, an expression that changes: 1 due, 1 due that is too old, 1 loss': {
    slots: [{ lives: [T], reloads: [T_CHANGED] }, { lives: [T] }],
    counts: { dues: 1, skips: 1, losses: 1 },
  },
  '3 instances: 1 due': { slots: [{ lives: [T] }, { lives: [T] }, { lives: [T] }], counts: { dues: 1 } },
};

export const LONG: Readonly<Record<string, Bounds>> = {
  '2 instances: 2 dues, 1 failure, 1 pause or outage': two({ dues: 2, failures: 1, freezes: 1 }),
  '2 instances: 1 due, 1 pause or outage, 1 request that is delayed': two({ dues: 1, freezes: 1, copies: 1 }),
  '2 instances, one of them twice: 2 dues, 1 stop, 1 request that is delayed': {
    slots: REJOINING,
    counts: { dues: 2, stops: 1, copies: 1 },
  },
  '2 instances, one of them twice: 1 due, 1 crash, 2 pauses or outages': {
    slots: REJOINING,
    counts: { dues: 1, crashes: 1, freezes: 2 },
  },
  '2 instances that know old records: 1 due, 1 pause or outage, 1 loss': {
    ...two({ dues: 1, freezes: 1, losses: 1 }),
    knowledge: 'kept',
  },
  '2 instances, 2 tasks, a deploy with changed lists: 1 due, 1 stop': {
    slots: [
      { lives: [T_AND_U], reloads: [T] },
      { lives: [U, T_AND_U], comesLater: true },
    ],
    counts: { dues: 1, stops: 1 },
  },
  '2 instances, an expression that changes, and old records: 2 dues, 2 dues that are too old, 1 request that is delayed':
    {
      slots: [{ lives: [T], reloads: [T_CHANGED] }, { lives: [T] }],
      counts: { dues: 2, skips: 2, copies: 1 },
      knowledge: 'kept',
    },
  '3 instances: 1 due, 1 pause or outage': {
    slots: [{ lives: [T] }, { lives: [T] }, { lives: [T] }],
    counts: { dues: 1, freezes: 1 },
  },
};
