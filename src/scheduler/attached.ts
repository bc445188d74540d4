/**
 * A clock that is moved by hand has to know more than a clock: whether the scheduler, its store or a callback is at work, since time
 * may not pass meanwhile. So a clock may have one more method, `attach`. Each scheduler calls it once, when it is made, and from then
 * on uses what comes back. The clock of the host has no such method.
 */
import type { Store } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { SchedulerEvent } from './events.ts';

/** What a scheduler works with: its clock, its store, and the listener of its events. */
export interface SchedulerPorts {
  readonly clock: Clock;
  readonly store: Store;
  readonly onEvent?: ((event: SchedulerEvent) => void) | undefined;
}

/** What a scheduler works with on a clock that it is attached to. */
export interface AttachedPorts extends SchedulerPorts {
  /** Calls a callback on behalf of the scheduler, and answers what it answered. */
  call(task: string, callback: () => unknown): unknown;
  /**
   * Aborted when the process that the scheduler stands for has died. From then on nothing that the scheduler asked for may come: no
   * timer, no answer of the store, no end of a callback. Its `stop` resolves, and `initialize` rejects with the reason of the signal.
   */
  readonly died: AbortSignal;
}

/** A clock that may want to know of the schedulers that are made on it. */
export interface SchedulerClock extends Clock {
  /** Called once by each scheduler that is made on this clock. */
  attach?(ports: SchedulerPorts): AttachedPorts;
}
