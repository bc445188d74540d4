/**
 * The process of the database: it answers, or it has crashed and is down for a while. What it had granted when it crashed is durable,
 * whether or not the answer got through. What had not arrived is not done. Every connection breaks, and with it the answers on their way.
 */
import type { Timeline } from '../machine/timeline.ts';

export class Server {
  readonly #timeline: Timeline;
  #downUntil = 0;
  #crashes = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get isDown(): boolean {
    return this.#timeline.passed < this.#downUntil;
  }

  /** Who has seen another number has lost its connection. */
  get crashes(): number {
    return this.#crashes;
  }

  crash(ms: number): void {
    this.#crashes++;
    this.#downUntil = Math.max(this.#downUntil, this.#timeline.passed + ms);
  }
}
