/**
 * A scheduler on a test clock, as a process that can be ended. Everything that can set its code going is bound to one life: its
 * timers and turns, the answers of its store, the ends of its callbacks, its two methods. A crash comes when it is at rest, so when
 * that life is over none of its code ever runs again: it does nothing, and its listeners hear nothing.
 *
 *     not begun ──initialize──▶ alive ──clock.crash()──▶ dead
 *
 * - *not begun*: nothing is open, so a crash does not touch it.
 * - *alive*: as any scheduler, whatever its own state; also after a stop, since it remembers what a new process would not.
 * - *dead*: `stop` resolves, since nothing is left to be stopped; `initialize` is refused.
 */
import type { Host, Registration, Scheduler } from '../scheduler/index.ts';
import type { Store } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { Life, type Works, warn } from './work.ts';

/** What a process needs of its clock. */
export interface ProcessPorts {
  readonly works: Works;
  readonly patienceMs: number;
  clockOf(life: Life): Clock;
  storeOf(life: Life, store: Store): Store;
  /** It has begun: the next crash is its end. */
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

/** The same list, with each callback watched. Whatever is no registration stays as it is, for the scheduler to refuse. */
function watched(works: Works, life: Life, list: readonly Registration[]): readonly Registration[] {
  if (!Array.isArray(list)) return list;
  return Array.from(list, (entry: Registration): Registration => {
    if (!Array.isArray(entry) || entry.length !== 4 || typeof entry[2] !== 'function') return entry;
    const [name, cron, callback, retryDelay]: Registration = entry;
    // A proxy, since a callback may carry more than what it does.
    const followed = new Proxy(callback, {
      apply: (target, self, args) =>
        works.call(`task "${name}"`, life, () => Reflect.apply(target, self, args)),
    });
    return [name, cron, followed, retryDelay];
  });
}

/** A stop may wait for a callback that waits for this clock, which does not move by itself: that is told before somebody wonders. */
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
