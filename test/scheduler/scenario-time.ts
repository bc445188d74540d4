/** Time that outlives schedulers: one `Time` a scenario, one `LifeClock` a life. */
import { MovedClock, turns } from './world.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** Time itself: shared by all lives of a scenario, and by the disks whose answers have to be waited for. */
export class Time {
  wall: number;
  passed = 0;
  alarms: Alarm[] = [];
  /** Every delay that was asked of the clock port. */
  readonly asked: number[] = [];
  #unanswered = 0;
  #answered: (() => void)[] = [];

  constructor(start: string) {
    this.wall = new Date(start).getTime();
  }

  pass(ms: number): void {
    this.wall += ms;
    this.passed += ms;
  }

  async watch<T>(answer: Promise<T>): Promise<T> {
    this.#unanswered++;
    try {
      return await answer;
    } finally {
      this.#unanswered--;
      for (const tell of this.#answered.splice(0)) tell();
    }
  }

  /** Until nothing is on its way to a disk and everything on this thread has had its turn. */
  async settle(): Promise<void> {
    for (;;) {
      await turns();
      if (this.#unanswered === 0) return;
      await new Promise<void>((resolve) => this.#answered.push(resolve));
    }
  }
}

/** The clock of one life. After `die`, nothing that this life planned ever happens. */
export class LifeClock extends MovedClock {
  readonly time: Time;
  #alive = true;

  constructor(time: Time) {
    super(new Date(time.wall).toISOString());
    this.time = time;
  }

  override now(): number {
    return this.time.wall;
  }

  override monotonic(): number {
    return this.time.passed;
  }

  override setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const { time } = this;
    time.asked.push(delayMs);
    const ring = (): void => {
      if (this.#alive) callback();
    };
    const alarm = { at: time.passed + delayMs, ring };
    time.alarms.push(alarm);
    return {
      cancel: () => {
        time.alarms = time.alarms.filter((other) => other !== alarm);
      },
    };
  }

  override defer(callback: () => void): void {
    setImmediate(() => {
      if (this.#alive) callback();
    });
  }

  override step(byMs: number): void {
    this.time.wall += byMs;
  }

  /** A callback holds the loop: time passes, and no timer can ring meanwhile. */
  burn(ms: number): void {
    const from = this.now();
    this.time.pass(ms);
    this.onFrozen?.(from, this.now());
  }

  /** Told of each time that the loop was held: what the watcher of a trace file would see. */
  onFrozen: ((from: number, to: number) => void) | undefined;

  override async advance(byMs: number): Promise<void> {
    const { time } = this;
    const until = time.passed + byMs;
    for (;;) {
      await time.settle();
      const next = time.alarms.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      time.pass(Math.max(0, next.at - time.passed));
      time.alarms = time.alarms.filter((alarm) => alarm !== next);
      next.ring();
    }
    time.pass(Math.max(0, until - time.passed));
    await time.settle();
  }

  die(): void {
    this.#alive = false;
  }
}
