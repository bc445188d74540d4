/** One process of a host: a scheduler, and how things are planned for it alone. */
import type { Scheduler } from '../../scheduler/index.ts';
import type { Clock } from '../../time/clock.ts';

export interface Process {
  readonly scheduler: Scheduler;
  isAlive: boolean;
  isActive: boolean;
}

/** Plans something for one process. */
export type PlanFor = (afterMs: number, run: () => void) => { cancel(): void };

/** The clock of a process. */
export const clockOf = (plan: PlanFor, now: () => number, monotonic: () => number): Clock => ({
  now,
  monotonic,
  setTimer: (callback, delayMs) => plan(delayMs, callback),
  defer: (callback) => void plan(0, callback),
});
