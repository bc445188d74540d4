/**
 * One simulated process: the real scheduler, and the ports through which it touches the world. It counts every call of a port. It
 * can be made to die before the n-th call takes effect, or right after.
 *
 *     alive ──die()──▶ dead
 *
 * JavaScript cannot end a process in the middle of its code. So a dead process goes on to the end of its turn, without effect:
 * its ports answer and do nothing, its promises are never settled, its timers never ring, its trace goes nowhere. Seen from
 * outside, which is all that counts, it ended at that very call.
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
import type { ProcessState } from '../judges/judge.ts';
import type { Timeline } from './timeline.ts';

export interface ProcessPorts {
  readonly timeline: Timeline;
  readonly options: SchedulerOptions;
  readonly sizes?: Sizes | undefined;
  /** The disk as this process sees it. */
  readonly store: (isAlive: () => boolean) => Store;
  readonly trace: (record: WrittenRecord) => void;
  readonly clockRead: (now: number) => void;
  /** The scheduler compares its wall clock with the one that does not step. */
  readonly clocksCompared: () => void;
  /** The process has just died. */
  readonly died: () => void;
}

interface Doom {
  calls: number;
  readonly when: 'before' | 'after';
}

export class SimulatedProcess {
  readonly scheduler: Scheduler;
  readonly timeZone: string;
  state: ProcessState = 'idle';
  /** The scheduler has recorded the success of its last `initialize`, which may not have returned yet. */
  hasSucceeded = false;
  /** The last stop failed, so only this process knows what it could not write. */
  couldNotStop = false;
  /** Another list is on its way (I5). */
  isReloading = false;
  calls = 0;
  readonly #ports: ProcessPorts;
  #alive = true;
  #doom: Doom | undefined;

  constructor(ports: ProcessPorts) {
    this.#ports = ports;
    this.timeZone = ports.options.timeZone ?? 'UTC';
    const options = {
      logger: false as const,
      ...ports.options,
      clock: this.#clock(),
      store: this.#store(),
      trace: (record: WrittenRecord) => this.port(() => ports.trace(record), undefined),
    };
    this.scheduler = createSizedScheduler(options, ports.sizes ?? SIZES);
  }

  readonly isAlive = (): boolean => this.#alive;

  /** The scheduler is active, and `stop` has not been called. */
  get isActive(): boolean {
    return this.hasSucceeded && (this.state === 'initializing' || this.state === 'active');
  }

  /** It is to die at a call of a port, after so many more. */
  doom(calls: number, when: 'before' | 'after'): void {
    this.#doom = { calls, when };
  }

  pardon(): void {
    this.#doom = undefined;
  }

  /** It ends by itself. */
  leave(): void {
    this.#alive = false;
  }

  die(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#ports.died();
  }

  /** A call of a port: `effect` happens if the process lives, `ifDead` is the answer if not. */
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
      if (isLast) this.die(); // also if a callback throws
    }
  }

  #clock(): Clock {
    const { timeline, clockRead, clocksCompared } = this.#ports;
    const ifAlive = (callback: () => void) => () => {
      if (this.#alive) callback();
    };
    return {
      now: () =>
        this.port(() => {
          clockRead(timeline.now);
          return timeline.now;
        }, timeline.now),
      monotonic: () =>
        this.port(() => {
          clocksCompared();
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
