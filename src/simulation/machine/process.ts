/**
 * One simulated process: the real scheduler, and the ports through which it touches the world. Every call of a port is counted,
 * and the process can be made to die before the n-th takes effect, or right after.
 *
 *     alive ──die()──▶ dead
 *
 * A dead process is not torn out of the middle of its code: JavaScript has no such thing. What it still does in that turn has no
 * effect any more. Its ports answer and do nothing, its promises are never settled, its timers never ring, its trace goes nowhere.
 * From outside, which is all that counts, it ended at that very call.
 */
import {
  createSizedScheduler,
  type Scheduler,
  type SchedulerOptions,
  SIZES,
  type Sizes,
} from '../../scheduler/index.ts';
import type { Store, StoreSession } from '../../store/port.ts';
import type { Clock } from '../../time/clock.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Timeline } from './timeline.ts';

export interface ProcessPorts {
  readonly timeline: Timeline;
  readonly options: SchedulerOptions;
  readonly sizes?: Sizes | undefined;
  /** The disk as this process sees it. */
  readonly store: (isAlive: () => boolean) => Store;
  readonly trace: (record: WrittenRecord) => void;
  readonly looked: (now: number) => void;
  /** It has held its wall clock against one that does not step. */
  readonly compared: () => void;
  /** The process is dead, from this very instant. */
  readonly died: () => void;
}

interface Doom {
  calls: number;
  readonly when: 'before' | 'after';
}

export class SimulatedProcess {
  readonly scheduler: Scheduler;
  readonly timeZone: string;
  /** What `initialize` and `stop` have made of it, as its environment sees it. */
  state: 'nobody' | 'initializing' | 'active' | 'stopping' = 'nobody';
  /** Whether the code after `await initialize()` has had its turn (D6). */
  hasReturned = false;
  storeFailures = 0;
  /** Whether its last stop failed, so that it holds what nobody else does. */
  couldNotStop = false;
  calls = 0;
  readonly #ports: ProcessPorts;
  #alive = true;
  #doom: Doom | undefined;

  constructor(ports: ProcessPorts) {
    this.#ports = ports;
    this.timeZone = ports.options.timeZone ?? 'UTC';
    const options = {
      ...ports.options,
      clock: this.#clock(),
      store: this.#store(),
      trace: (record: WrittenRecord) => this.port(() => ports.trace(record), undefined),
    };
    this.scheduler = createSizedScheduler(options, ports.sizes ?? SIZES);
  }

  readonly isAlive = (): boolean => this.#alive;

  /** To die at a call of a port: after so many more. */
  doom(calls: number, when: 'before' | 'after'): void {
    this.#doom = { calls, when };
  }

  pardon(): void {
    this.#doom = undefined;
  }

  /** It exits by itself. */
  leave(): void {
    this.#alive = false;
  }

  die(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#ports.died();
  }

  /** A call of a port: what it does if the process lives, what it answers if not. */
  port<T>(effect: () => T, ifDead: T): T {
    if (!this.#alive) return ifDead;
    this.calls++;
    const doom = this.#doom;
    const isLast = doom !== undefined && doom.calls-- === 0;
    if (isLast && doom.when === 'before') {
      this.die();
      return ifDead;
    }
    try {
      return effect();
    } finally {
      if (isLast) this.die(); // a callback that throws has been called too
    }
  }

  #clock(): Clock {
    const { timeline, looked, compared } = this.#ports;
    const ifAlive = (callback: () => void) => () => {
      if (this.#alive) callback();
    };
    return {
      now: () =>
        this.port(() => {
          looked(timeline.now);
          return timeline.now;
        }, timeline.now),
      monotonic: () =>
        this.port(() => {
          compared();
          return timeline.passed;
        }, timeline.passed),
      setTimer: (callback, delayMs) =>
        this.port(() => timeline.plan(delayMs, ifAlive(callback)), { cancel() {} }),
      defer: (callback) => {
        this.port(() => timeline.plan(0, ifAlive(callback)), undefined);
      },
    };
  }

  #store(): Store {
    const store = this.#ports.store(this.isAlive);
    const never = <T>(): Promise<T> => new Promise(() => {});
    const session = (inner: StoreSession): StoreSession => ({
      read: (names) => this.port(() => inner.read(names), never()),
      commit: (batch) => this.port(() => inner.commit(batch), never()),
      close: () => this.port(() => inner.close(), never()),
    });
    return {
      location: store.location,
      open: (options) => this.port(() => store.open(options).then(session), never()),
    };
  }
}
