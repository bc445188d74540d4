/**
 * A scheduler in a world whose clock only moves when it is told to. Timers fire as the clock passes them; macrotasks and the
 * store are real. Nothing sleeps: a test moves the clock, then waits for the event it is about.
 */
import { EventEmitter, once } from 'node:events';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Registration, SchedulerOptions } from '../../src/scheduler/options.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import type { Clock } from '../../src/time/clock.ts';
import type { WrittenRecord } from '../../src/trace/record.ts';
import { follow, followStore } from './judged.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** `now` may be set to step the wall clock; `advance` lets time pass. */
export class MovedClock implements Clock {
  #wall: number;
  #passed = 0;
  #alarms: Alarm[] = [];

  constructor(start: string) {
    this.#wall = new Date(start).getTime();
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#passed;
  }

  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const alarm = { at: this.#passed + delayMs, ring: callback };
    this.#alarms.push(alarm);
    return {
      cancel: () => {
        this.#alarms = this.#alarms.filter((other) => other !== alarm);
      },
    };
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  /** Somebody sets the wall clock; no time passes. */
  step(byMs: number): void {
    this.#wall += byMs;
  }

  /** Time passes, alarm by alarm; after each, everything that waits on this thread has its turn. */
  async advance(byMs: number): Promise<void> {
    const until = this.#passed + byMs;
    for (;;) {
      await turns();
      const next = this.#alarms.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.#pass(Math.max(0, next.at - this.#passed));
      this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
      next.ring();
    }
    this.#pass(until - this.#passed);
    await turns();
  }

  #pass(ms: number): void {
    this.#wall += ms;
    this.#passed += ms;
  }
}

/** Lets every macrotask and microtask that is waiting have its turn, a few times over. */
export async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

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

/** A world at an instant; in memory, in UTC, unless told otherwise. */
export function createWorld(start: string, options: Partial<SchedulerOptions> = {}): World {
  const clock = options.clock instanceof MovedClock ? options.clock : new MovedClock(start);
  const events: SchedulerEvent[] = [];
  const trace: WrittenRecord[] = [];
  const emitter = new EventEmitter();
  // A store that is handed in may have a past of which there is no trace.
  if (options.store === undefined) follow(trace, trace);
  else followStore(options.store, trace);
  const scheduler = createScheduler({
    store: memory(),
    timeZone: 'UTC',
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
    new Promise<void>((resolve, reject) => {
      runs.push({
        succeed: resolve,
        fail: (error = new Error('failed on purpose')) => reject(error),
        context,
      });
    });
  return { callback, runs };
}
