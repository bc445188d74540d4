/**
 * A clock may be more than a clock: the test clock keeps whole processes, which it can end. Such a clock is asked to make each
 * scheduler that is to live on it, so that every port of that scheduler goes through its hands.
 */
import type { Clock } from '../time/clock.ts';
import type { SettledOptions } from './options.ts';
import type { Scheduler } from './scheduler.ts';

/** Under which a clock offers that. A registered symbol, since a test runner may load the library twice. */
export const HOST: unique symbol = Symbol.for('obbligato.host');

/** Makes a scheduler from its options, or from others that it puts in their place. */
export type Host = (options: SettledOptions, create: (options: SettledOptions) => Scheduler) => Scheduler;

/** A clock that hosts schedulers. */
export interface HostingClock extends Clock {
  readonly [HOST]: Host;
}

export const isHosting = (clock: Clock | null | undefined): clock is HostingClock =>
  typeof clock === 'object' && clock !== null && HOST in clock;
