/** A store in memory that several schedulers share, as they share a PostgreSQL database. */
import type { ControlRequest } from '../../core/control.ts';
import { type HistoryQuery, type PastRun, RETENTION, type Retention } from '../../core/history.ts';
import type { Joining } from '../../store/cluster/members.ts';
import { StoreLockedError } from '../../store/errors.ts';
import type { AskedRequest, OpenOptions, Store, StoreSession, StoreSnapshot } from '../../store/port.ts';
import type { Clock } from '../../time/clock.ts';
import type { ClusterDatabase } from './database.ts';
import { InstanceSession, type Link } from './session.ts';

const LOCATION = 'memory cluster';
const POLL_MS = 100;

/** What each connection of a process needs to know of it. */
export interface ConnectOptions {
  readonly database: ClusterDatabase;
  readonly link: Link;
  readonly leaseMs: number;
  /** The id of a session that shares with nobody. */
  readonly aloneId?: () => string;
}

/** A link that brings everything at once. */
export const directLink = (clock: Clock): Link => ({
  clock,
  send: async (request) => request(),
});

/** The database as the store of one process. */
export const connect = (options: ConnectOptions): Store => new ClusterStore(options);

class ClusterStore implements Store {
  readonly location = LOCATION;
  readonly #options: ConnectOptions;

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  async open(options: OpenOptions): Promise<StoreSession> {
    const { database, link, leaseMs, aloneId = () => 'alone' } = this.#options;
    const { history = RETENTION, sharing, onTrouble, onRequests } = options;
    const instanceId = sharing?.instanceId ?? aloneId();
    await this.#join({ id: instanceId, leaseMs, isAlone: sharing === undefined }, options.waitMs, history);
    const parts = { database, link, instanceId, leaseMs, history, sharing, onTrouble, onRequests };
    const session = new InstanceSession({ location: LOCATION, ...parts });
    await session.begin();
    return session;
  }

  /** Joins as soon as nobody is in the way. */
  async #join(joining: Joining, waitMs: number, history: Retention | false): Promise<void> {
    const { database, link } = this.#options;
    const until = link.clock.monotonic() + waitMs;
    while ((await link.send(() => database.join(joining, history))).length > 0) {
      const leftMs = until - link.clock.monotonic();
      if (leftMs <= 0) throw new StoreLockedError({ path: LOCATION, waitedMs: waitMs });
      const { promise, resolve } = Promise.withResolvers<void>();
      link.clock.setTimer(resolve, Math.min(POLL_MS, leftMs));
      await promise;
    }
  }

  get #owner(): 'held' | 'free' {
    return this.#options.database.members.size > 0 ? 'held' : 'free';
  }

  inspect(): Promise<StoreSnapshot> {
    const { database, link } = this.#options;
    const snapshot = { location: LOCATION, version: 1 };
    return link.send(() => ({ ...snapshot, owner: this.#owner, records: [...database.records.values()] }));
  }

  ask(request: ControlRequest): Promise<AskedRequest> {
    const { database, link } = this.#options;
    return link.send(() => {
      database.ask(request);
      return {
        owner: this.#owner,
        answer: () => link.send(() => database.answerTo(request.id)),
        async close() {},
      };
    });
  }

  async *history(query: HistoryQuery): AsyncGenerator<PastRun> {
    const { database, link } = this.#options;
    yield* await link.send(() => [...database.past.select(query)]);
  }
}
