/**
 * A scheduler on a test clock, as a process that can be ended. Everything that can make its code run belongs to one life: its
 * timers and turns, the answers of its store, the ends of its callbacks, its two methods. A crash comes when the scheduler is at
 * rest. So when its life is over, none of its code ever runs again: it does nothing, and its listeners hear nothing.
 *
 *     not begun ──initialize──▶ alive ──clock.crash()──▶ dead
 *
 * - *not begun*: nothing is open, so a crash does not touch it.
 * - *alive*: an ordinary scheduler, in any state of its own; also after a stop, since it remembers what a new process would
 *   not.
 * - *dead*: `stop` resolves, since there is nothing to stop; `initialize` is refused.
 */
import type { Host, Registration, Scheduler } from '../scheduler/index.ts';
import type { Store } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { Life, type Works, warn } from './work.ts';

/** What a process needs from its clock. */
export interface ProcessPorts {
  readonly works: Works;
  readonly patienceMs: number;
  clockOf(life: Life): Clock;
  storeOf(life: Life, store: Store): Store;
  /** The process begins: the next crash ends it. */
  born(life: Life): void;
}

/** Makes a scheduler that dies with the clock's next crash. */
export const hostFor =
  (ports: ProcessPorts): Host =>
  (options, create) => {
    const life = new Life();
    const scheduler = create({
      ...options,
      clock: ports.clockOf(life),
      store: ports.storeOf(life, options.store),
    });
    return Object.freeze({
      initialize: (registrations: readonly Registration[]) => {
        if (!life.isAlive)
          return Promise.reject(
            new Error(
              'This scheduler died in clock.crash(): make a new one, as a process that starts again does',
            ),
          );
        ports.born(life);
        return scheduler.initialize(watched(ports.works, life, registrations));
      },
      stop: () => (life.isAlive ? stopped(ports, life, scheduler) : Promise.resolve()),
    });
  };

/** The same list, with each callback watched. An entry that is no registration stays as it is, and the scheduler refuses it. */
function watched(works: Works, life: Life, list: readonly Registration[]): readonly Registration[] {
  if (!Array.isArray(list)) return list;
  return Array.from(list, (entry: Registration): Registration => {
    if (!Array.isArray(entry) || entry.length !== 4 || typeof entry[2] !== 'function') return entry;
    const [name, cron, callback, retryDelay]: Registration = entry;
    // A proxy, since a callback may have properties.
    const followed = new Proxy(callback, {
      apply: (target, self, args) =>
        works.call(`task "${name}"`, life, () => Reflect.apply(target, self, args)),
    });
    return [name, cron, followed, retryDelay];
  });
}

/** Warns if `stop` waits for a callback that waits for this clock: the clock does not move by itself, so the test would hang. */
function stopped({ works, patienceMs }: ProcessPorts, life: Life, scheduler: Scheduler): Promise<void> {
  const timer = setTimeout(() => {
    const { waiting } = works;
    if (waiting.length > 0)
      warn(
        `stop() has waited for ${patienceMs} ms of real time, and what it waits for waits for the test clock (${waiting.join(', ')}): ` +
          'let time pass meanwhile (const stopped = scheduler.stop(); await clock.advance(duration); await stopped)',
      );
  }, patienceMs);
  return Promise.race([scheduler.stop(), life.over]).finally(() => clearTimeout(timer));
}
