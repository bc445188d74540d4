/**
 * A scheduler on the test clock, with its events and its trace. Nothing sleeps: a test moves the clock, then looks, or waits for the
 * event that it is about.
 */
import { EventEmitter, once } from 'node:events';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Registration, SchedulerOptions } from '../../src/scheduler/options.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/port.ts';
import { until } from '../../src/testing/index.ts';
import type { WrittenRecord } from '../../src/trace/record.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import { follow, followStore } from './judged.ts';

export { turns } from '../testing/moved-clock.ts';

/** The options of a scheduler, with a store and not the path of one. */
export type StageOptions = Partial<Omit<SchedulerOptions, 'store'>> & { readonly store?: Store };

export interface World {
  readonly clock: MovedClock;
  readonly scheduler: Scheduler;
  readonly events: SchedulerEvent[];
  readonly trace: WrittenRecord[];
  /** The names of the events so far, with the task where there is one. */
  told(): string[];
  /** Waits for the next event of a kind. */
  next<Name extends SchedulerEvent['type']>(type: Name): Promise<Extract<SchedulerEvent, { type: Name }>>;
}

/** A world at an instant; in memory, in UTC, unless the options say otherwise. With a `history`, its trace is the next life of it. */
export function createWorld(start: string, options: StageOptions = {}, history?: object): World {
  const clock = options.clock instanceof MovedClock ? options.clock : new MovedClock(start);
  const events: SchedulerEvent[] = [];
  const trace: WrittenRecord[] = [];
  const emitter = new EventEmitter();
  // A store that is handed in may have a past of which there is no trace.
  if (history !== undefined || options.store === undefined) follow(history ?? trace, trace);
  else followStore(options.store, trace);
  const scheduler = createScheduler({
    store: memory(),
    timeZone: 'UTC',
    logger: false,
    ...options,
    clock,
    trace: (record) => trace.push(record),
    onEvent: (event) => {
      events.push(event);
      emitter.emit(event.type, event);
    },
  });
  return {
    clock,
    scheduler,
    events,
    trace,
    told: () => events.map((event) => ('task' in event ? `${event.type} ${event.task}` : event.type)),
    next: async (type) => (await once(emitter, type))[0],
  };
}

/** A callback whose runs are ended by the test, one after the other. */
export function heldCallback(): {
  readonly callback: Registration[2];
  readonly runs: {
    succeed(): void;
    fail(error?: unknown): void;
    readonly context: Parameters<Registration[2]>[0];
  }[];
} {
  const runs: {
    succeed(): void;
    fail(error?: unknown): void;
    readonly context: Parameters<Registration[2]>[0];
  }[] = [];
  const callback: Registration[2] = (context) =>
    until(
      new Promise<void>((resolve, reject) => {
        runs.push({
          succeed: resolve,
          fail: (error = new Error('failed on purpose')) => reject(error),
          context,
        });
      }),
    );
  return { callback, runs };
}
