/** The heartbeat of a session: it renews the lease, reads the clock, sees who is there, declares the dead, and brings requests. */
import type { Retention } from '../../core/history.ts';
import { newsOf } from '../cluster/news.ts';
import { ServerClock } from '../cluster/server-clock.ts';
import type { StoreLostError } from '../errors.ts';
import type { News, OpenOptions, Sharing } from '../port.ts';
import type { Database } from './database.ts';
import { type Beat, beat, declareDead } from './members.ts';
import { prunePast } from './past.ts';
import { takeRequests } from './requests.ts';
import type { Scope } from './run-statements.ts';

/** Some beats may fail before a lease is over, and an operator's request is seen within this (I1). */
const LONGEST_BEAT_MS = 2000;
const BEATS_PER_LEASE = 5;
/** How often the history is looked at for what is too old or too much. */
const PRUNE_MS = 30_000;

export interface HeartbeatParts {
  readonly database: Database;
  readonly scope: Scope;
  readonly history: Retention | false;
  readonly listeners: Pick<OpenOptions, 'onTrouble' | 'onRequests'>;
  readonly sharing: Sharing | undefined;
  readonly leaseMs: number;
  /** The instance has no row any more. */
  lost(): StoreLostError;
}

export class Heartbeat {
  /** The epoch of the configurations that the instance goes by. */
  epoch: number | undefined;
  readonly clock: ServerClock;
  readonly #parts: HeartbeatParts;
  readonly #monotonic: () => number;
  #members: readonly string[] = [];
  #beating: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #prunedAt = 0;
  /** How many beats have failed, one after the other. */
  #failed = 0;

  constructor(parts: HeartbeatParts) {
    const { sharing } = parts;
    this.#parts = parts;
    this.#monotonic = () => sharing?.monotonic() ?? performance.now();
    this.clock = new ServerClock(this.#monotonic);
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

  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  #goOn(): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(
      () => {
        this.#beating = this.#beat().then(
          () => {
            this.#failed = 0;
          },
          (error: unknown) => this.#failedWith(error),
        );
        void this.#beating.then(() => this.#goOn());
      },
      Math.min(LONGEST_BEAT_MS, this.#parts.leaseMs / BEATS_PER_LEASE),
    ).unref();
  }

  /** One beat may fail with its connection; the next one takes another. Two are trouble, also if nothing is due for hours (E8). */
  #failedWith(error: unknown): void {
    const isTrouble = ++this.#failed === 2 && !this.#isOver;
    if (isTrouble && error instanceof Error) this.#parts.listeners.onTrouble?.(error);
  }

  async #beat(): Promise<void> {
    const { database, scope, listeners, sharing } = this.#parts;
    const sentAt = this.#monotonic();
    // A connection that has gone silent must not cost the lease: the next beat takes another one.
    const beaten = await beat(database.ask, scope, this.#parts.leaseMs / 3);
    if (beaten === undefined) {
      if (this.#isOver) return;
      this.#isOver = true;
      listeners.onTrouble?.(this.#parts.lost());
      return;
    }
    this.clock.read(beaten.at, sentAt, this.#monotonic());
    const dead = beaten.members.some(({ isLapsed }) => isLapsed) ? await declareDead(database, scope) : [];
    const news = this.#newsOf(beaten, dead);
    if (sharing !== undefined && Object.keys(news).length > 0 && !this.#isOver) sharing.onNews(news);
    if (beaten.requests > 0 && listeners.onRequests !== undefined && !this.#isOver) {
      const requests = await takeRequests(database.ask, scope);
      if (requests.length > 0) listeners.onRequests(requests);
    }
    await this.#prune(beaten.at);
  }

  #newsOf({ members, epoch, at }: Beat, dead: readonly string[]): News {
    const present = members.map(({ instanceId }) => instanceId).filter((id) => !dead.includes(id));
    const before = this.#members;
    this.#members = present;
    const isStale = this.epoch !== undefined && epoch !== this.epoch;
    const aheadMs = at - (this.#parts.sharing?.now() ?? at);
    return newsOf({ before, present, dead: dead.length, isStale, aheadMs });
  }

  async #prune(at: number): Promise<void> {
    const { database, scope, history } = this.#parts;
    if (history === false || at - this.#prunedAt < PRUNE_MS) return;
    const hasMore = await prunePast(database.ask, scope.schema, history);
    if (!hasMore) this.#prunedAt = at;
  }
}
