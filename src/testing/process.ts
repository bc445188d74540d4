/**
 * A scheduler on a test clock, as a process that can be ended. Everything that can make its code run belongs to one life: its
 * timers and turns, the answers of its store, the ends of its callbacks. A crash comes when the scheduler is at rest. So when
 * its life is over, none of its code ever runs again: it does nothing, and its listeners hear nothing.
 *
 *     not begun ──initialize opens the store──▶ alive ──clock.crash()──▶ dead
 *
 * - *not begun*: nothing is open, so a crash does not touch it.
 * - *alive*: an ordinary scheduler, in any state of its own; also after a stop, since it remembers what a new process would
 *   not.
 * - *dead*: `stop` resolves, since there is nothing to stop; `initialize` is refused.
 */
import type { AttachedPorts, SchedulerPorts } from '../scheduler/index.ts';
import type { OpenOptions, Store, StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { Life, type Works, warn } from './work.ts';

/** What a process needs from its clock. */
export interface ProcessPorts {
  readonly works: Works;
  readonly patienceMs: number;
  clockOf(life: Life): Clock;
  /** Opens a store for a process, which begins with that: the next crash ends it. */
  open(life: Life, store: Store, options: OpenOptions): Promise<StoreSession>;
}

/** What a scheduler works with if it is to die with the clock's next crash. */
export function portsOf(
  { works, patienceMs, clockOf, open }: ProcessPorts,
  { store, onEvent }: SchedulerPorts,
): AttachedPorts {
  const life = new Life();
  const stops = new StopWatch(works, patienceMs, life);
  return {
    clock: clockOf(life),
    store: { location: store.location, open: (options) => open(life, store, options) },
    onEvent(event) {
      if (event.type === 'SchedulerStopRequested') stops.begun();
      if (event.type === 'SchedulerStopped') stops.ended();
      onEvent?.(event);
    },
    call: (task, callback) => works.call(`task "${task}"`, life, callback),
    died: life.signal,
  };
}

/** Warns if `stop` waits for a callback that waits for the test clock, since that clock does not move by itself. */
class StopWatch {
  readonly #works: Works;
  readonly #patienceMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(works: Works, patienceMs: number, life: Life) {
    this.#works = works;
    this.#patienceMs = patienceMs;
    life.signal.addEventListener('abort', () => this.ended());
  }

  begun(): void {
    this.#timer = setTimeout(() => {
      const { waiting } = this.#works;
      if (waiting.length > 0)
        warn(
          `stop() has waited for ${this.#patienceMs} ms of real time, and what it waits for waits for the test clock (${waiting.join(', ')}): ` +
            'let time pass meanwhile (const stopped = scheduler.stop(); await clock.advance(duration); await stopped)',
        );
    }, this.#patienceMs);
  }

  ended(): void {
    clearTimeout(this.#timer);
  }
}
