/**
 * The heartbeat of an instance that has joined a shared store: it renews the lease, reads the clock, sees who is there, declares the dead, and
 * brings requests. Every shared store has this one, also the one that worlds are simulated with, so that all of them say the same of a beat
 * that fails.
 *
 *     beating ──a beat finds no row of this instance: somebody has declared it dead──▶ over, and says so (K4)
 *        └──stop──▶ over
 *
 * A beat that fails is tried again at the next one. One may fail with its connection; two in a row are trouble, also if nothing is due for
 * hours, so the second one is reported (E8). What comes after it is the same trouble, which ends when the store takes something again.
 */
import type { ControlRequest } from '../../core/control.ts';
import type { Clock, Timer } from '../../time/clock.ts';
import { newsOf } from '../cluster/news.ts';
import { ServerClock } from '../cluster/server-clock.ts';
import type { StoreLostError } from '../errors.ts';
import type { News, OpenOptions, Sharing } from '../port.ts';

/** Some beats may fail before a lease is over, and an operator's request is seen within this (I1). */
const LONGEST_BEAT_MS = 2000;
const BEATS_PER_LEASE = 5;
/** How many failures in a row are trouble. */
const TROUBLE = 2;

/** What a beat brings back. */
export interface Beat {
  /** The clock of the store. */
  readonly at: number;
  readonly epoch: number;
  /** All members. */
  readonly members: ReadonlyArray<{ readonly instanceId: string; readonly isLapsed: boolean }>;
  /** How many requests are not answered. */
  readonly requests: number;
}

export interface HeartbeatParts {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly leaseMs: number;
  readonly listeners: Pick<OpenOptions, 'onTrouble' | 'onRequests'>;
  readonly sharing: Sharing | undefined;
  /** Renews the lease, and looks around. `undefined`: the instance is absent (K4). */
  beat(): Promise<Beat | undefined>;
  /** Declares dead whose lease is over, if this instance may; answers their ids. */
  declareDead(): Promise<readonly string[]>;
  /** Takes the requests that are this instance's to answer. */
  takeRequests(): Promise<readonly ControlRequest[]>;
  /** What the store does now and then. */
  upkeep?(at: number): Promise<void>;
  /** The instance has no row any more. */
  lost(): StoreLostError;
}

export class Heartbeat {
  /** The epoch of the configurations that the instance goes by; none before its first list. */
  epoch: number | undefined;
  readonly clock: ServerClock;
  readonly #parts: HeartbeatParts;
  #members: readonly string[] = [];
  #beating: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #isOver = false;
  /** How many beats have failed, one after the other. */
  #failed = 0;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.clock = new ServerClock(() => parts.clock.monotonic());
  }

  /** The instances that are present, in an order that all share. */
  get members(): readonly string[] {
    return this.#members;
  }

  /** Beats until the time is known, and goes on. */
  async begin(): Promise<void> {
    await this.clock.begin(() => this.#beat());
    this.#goOn();
  }

  /** Resolves when no beat is on its way any more. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#timer?.cancel();
    await this.#beating;
  }

  #goOn(): void {
    const { clock, leaseMs } = this.#parts;
    if (this.#isOver) return;
    this.#timer = clock.setTimer(
      () => {
        this.#beating = this.#beat().then(
          () => {
            this.#failed = 0;
          },
          (error: unknown) => this.#failedWith(error),
        );
        void this.#beating.then(() => this.#goOn());
      },
      Math.min(LONGEST_BEAT_MS, leaseMs / BEATS_PER_LEASE),
    );
  }

  #failedWith(error: unknown): void {
    const isTrouble = ++this.#failed === TROUBLE && !this.#isOver;
    if (isTrouble && error instanceof Error) this.#parts.listeners.onTrouble?.(error);
  }

  async #beat(): Promise<void> {
    const { clock, listeners, sharing } = this.#parts;
    const sentAt = clock.monotonic();
    const beat = await this.#parts.beat();
    if (this.#isOver) return;
    if (beat === undefined) {
      // Also if a request has found it out before: only from here does the scheduler hear of it in any case.
      this.#isOver = true;
      listeners.onTrouble?.(this.#parts.lost());
      return;
    }
    this.clock.read(beat.at, sentAt, clock.monotonic());
    const dead = beat.members.some(({ isLapsed }) => isLapsed) ? await this.#parts.declareDead() : [];
    const news = this.#newsOf(beat, dead);
    if (sharing !== undefined && Object.keys(news).length > 0 && !this.#isOver) sharing.onNews(news);
    if (beat.requests > 0 && listeners.onRequests !== undefined && !this.#isOver) {
      const requests = await this.#parts.takeRequests();
      if (requests.length > 0 && !this.#isOver) listeners.onRequests(requests);
    }
    await this.#parts.upkeep?.(beat.at);
  }

  #newsOf({ members, epoch, at }: Beat, dead: readonly string[]): News {
    const present = members.map(({ instanceId }) => instanceId).filter((id) => !dead.includes(id));
    const before = this.#members;
    this.#members = present;
    const isStale = this.epoch !== undefined && epoch !== this.epoch;
    const aheadMs = at - (this.#parts.sharing?.now() ?? at);
    return newsOf({ before, present, dead: dead.length, isStale, aheadMs });
  }
}
