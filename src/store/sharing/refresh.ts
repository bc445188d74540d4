/**
 * Reads what a shared store has of some tasks, before something is decided about them that other instances may have changed: an operator asks
 * for it (I1). While the store does not answer, it is asked again.
 */
import type { TaskRecord } from '../../core/record.ts';
import { readable } from '../../core/stored.ts';
import type { Clock, Timer } from '../../time/clock.ts';
import type { StoreSession } from '../port.ts';

const AGAIN_MS = 2000;

export class Refresh {
  readonly #read: StoreSession['read'];
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #isOver = false;

  constructor(read: StoreSession['read'], clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Hands over what the store has, and then resolves; neither if it is over before. */
  async read(names: readonly string[], refreshed: (record: TaskRecord) => void): Promise<void> {
    for (;;) {
      const values = await this.#read(names).catch(() => undefined);
      if (this.#isOver) return new Promise(() => {});
      if (values !== undefined) return values.flatMap((value) => readable(value) ?? []).forEach(refreshed);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = this.#clock.setTimer(resolve, AGAIN_MS);
      this.#timers.add(timer);
      await promise;
      this.#timers.delete(timer);
    }
  }

  stop(): void {
    this.#isOver = true;
    for (const timer of this.#timers) timer.cancel();
  }
}
