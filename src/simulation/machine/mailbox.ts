/**
 * What operators have asked for, in the store (I1). Its owner gets the open requests when it opens the store, and again within two seconds
 * after each new one, until their answers are durable.
 */
import type { ControlAnswer, ControlRequest, OpenOptions } from '../../store/port.ts';
import type { Notify } from '../judges/judge.ts';
import type { Random } from '../scenario/random.ts';
import type { Timeline } from './timeline.ts';

const SEEN_WITHIN_MS = 2000;

export class Mailbox {
  readonly #timeline: Timeline;
  readonly #random: Random;
  /** Without a durable answer. */
  readonly #open = new Map<string, ControlRequest>();
  #deliver: (() => void) | undefined;
  #count = 0;

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline;
    this.#random = random;
  }

  ask(request: ControlRequest): void {
    this.#open.set(request.id, request);
    const chance = this.#random.fork('seen', this.#count++);
    const afterMs = chance.percent(30) ? 0 : chance.below(SEEN_WITHIN_MS + 1);
    this.#timeline.plan(afterMs, () => this.#deliver?.());
  }

  answered(answers: readonly ControlAnswer[]): void {
    for (const { id } of answers) this.#open.delete(id);
  }

  openedBy(onRequests: OpenOptions['onRequests'], notify: Notify, isAlive: () => boolean): void {
    this.#deliver = () => {
      if (!isAlive() || this.#open.size === 0 || onRequests === undefined) return;
      const requests = [...this.#open.values()];
      notify('requestsDelivered', requests);
      onRequests(requests);
    };
    this.#deliver();
  }

  closed(): void {
    this.#deliver = undefined;
  }
}
