/**
 * A session of a cluster in memory, as the PostgreSQL store has it: an instance that has joined, and its heartbeat.
 *
 *     joined ──beat every 2 s──▶ joined ──close──▶ left
 *        │ a beat or a commit finds no row of this instance: somebody has declared it dead
 *        ▼
 *      lost: nothing is written any more (K4)
 *
 * Everything goes through a *link*: it brings a request to the database and the answer back, or loses either, or brings the request
 * later, when nobody waits for it any more. What is asked is asked one after the other; only the heartbeat goes its own way, and it is the
 * heartbeat of the PostgreSQL store. Every request has a number, so that one which comes too late does nothing.
 */
import type { Retention } from '../../core/history.ts';
import type { NotCommitted } from '../../store/cluster/decide.ts';
import { StoreClosedError, StoreLostError } from '../../store/errors.ts';
import type {
  Batch,
  CommitResult,
  OpenOptions,
  SharedSession,
  Sharing,
  StoreSession,
} from '../../store/port.ts';
import { Heartbeat } from '../../store/sharing/heartbeat.ts';
import { SharedView } from '../../store/sharing/shared-view.ts';
import type { Clock } from '../../time/clock.ts';
import type { ClusterDatabase } from './database.ts';

/** What lies between an instance and its database. */
export interface Link {
  /** Timers, and a clock that nobody sets, of the host of this instance. */
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  /** Lets a request take effect, and brings back what it answers. The heartbeat has a connection of its own. */
  send<T>(request: () => T, connection?: 'requests' | 'heartbeat'): Promise<T>;
}

export interface SessionParts extends Pick<OpenOptions, 'onTrouble' | 'onRequests'> {
  readonly location: string;
  readonly database: ClusterDatabase;
  readonly link: Link;
  readonly instanceId: string;
  readonly leaseMs: number;
  readonly history: Retention | false;
  readonly sharing: Sharing | undefined;
}

export class InstanceSession implements StoreSession {
  readonly sharing?: SharedSession;
  readonly #parts: SessionParts;
  readonly #heartbeat: Heartbeat;
  #last: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #lost: StoreLostError | undefined;
  #sent = 0;
  #readEpoch = 0;
  #epoch = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { database, link, instanceId, leaseMs, history, sharing } = parts;
    this.#heartbeat = new Heartbeat({
      clock: link.clock,
      leaseMs,
      listeners: parts,
      sharing,
      beat: () => link.send(() => database.beat(instanceId), 'heartbeat'),
      declareDead: () => link.send(() => database.declareDead(instanceId, history), 'heartbeat'),
      takeRequests: () => link.send(() => database.takeRequests(instanceId), 'heartbeat'),
      lost: () => this.#lose(),
    });
    if (sharing !== undefined) this.sharing = this.#shared(this.#heartbeat);
  }

  /** Resolves after the first heartbeat: from then on the time is known, and who else is there. */
  begin(): Promise<void> {
    return this.#heartbeat.begin();
  }

  read(names?: readonly string[]): Promise<readonly unknown[]> {
    return this.#inOrder(({ records, epoch }) => {
      if (names !== undefined) return [...new Set(names)].flatMap((name) => records.get(name) ?? []);
      this.#readEpoch = epoch;
      return [...records.values()];
    });
  }

  async commit(batch: Batch): Promise<CommitResult> {
    const answer = await this.#send({ ...batch, epoch: this.#epoch });
    return answer === 'stale' ? { refused: [] } : answer;
  }

  async #send(
    batch: Batch & { readonly epoch: number; readonly list?: ReadonlySet<string> },
  ): Promise<CommitResult | 'stale'> {
    const { database, instanceId, history } = this.#parts;
    const copy = unshared(batch);
    const done = await this.#inOrder((_, sent) => database.commit(instanceId, { ...copy, sent }, history));
    if ('why' in done) return this.#notDone(done);
    // An own list may have come since this batch was sent: what the batch knew says nothing new then.
    if (batch.list !== undefined || done.known !== batch.epoch) {
      this.#epoch = done.known;
      this.#heartbeat.epoch = done.known;
    }
    const { refused, firstVersion, held, epoch } = done;
    return { refused, firstVersion, ...(batch.list !== undefined && { held, epoch }) };
  }

  #notDone({ why }: NotCommitted): 'stale' {
    if (why === 'fenced') throw this.#lose();
    // A request that comes too late has no one who waits for its answer.
    return 'stale';
  }

  #shared(heartbeat: Heartbeat): SharedSession {
    const shared: SharedSession = {
      now: () => heartbeat.clock.now(),
      get members() {
        return heartbeat.members;
      },
      initialize: (batch, names) => this.#send({ ...batch, epoch: this.#readEpoch, list: new Set(names) }),
      unserved: (dues) =>
        this.#inOrder(({ records }) =>
          dues.flatMap(({ name, dueAt }) => {
            const record = records.get(name);
            if (record === undefined) return [];
            const { run, servedThrough } = record;
            return (run === null ? servedThrough < dueAt : run.cutOffAt !== null) ? [record] : [];
          }),
        ),
      leftBehind: () =>
        this.#inOrder(({ records }) =>
          Array.from(records.values()).filter(
            ({ run, pendingRetryUntil }) => (run?.cutOffAt ?? pendingRetryUntil) !== null,
          ),
        ),
      view: (scheduler) => new SharedView(shared, (names) => this.read(names), scheduler),
    };
    return shared;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { database, instanceId, history, link } = this.#parts;
    await this.#last;
    await this.#heartbeat.stop();
    // If this fails the lease runs out, and the others take over then.
    if (this.#lost === undefined) await link.send(() => database.leave(instanceId, history)).catch(() => {});
  }

  #inOrder<T>(work: (database: ClusterDatabase, sent: number) => T): Promise<T> {
    const { database, link, location } = this.#parts;
    if (this.#closed !== undefined) return Promise.reject(new StoreClosedError({ path: location }));
    const done = this.#last.then(() => {
      if (this.#lost !== undefined) throw this.#lost;
      const sent = ++this.#sent;
      return link.send(() => work(database, sent));
    });
    this.#last = done.catch(() => {});
    return done;
  }

  #lose(): StoreLostError {
    this.#lost ??= new StoreLostError({ path: this.#parts.location });
    return this.#lost;
  }
}

/** A batch belongs to its sender, who may change it while a copy of the request is still on its way. */
function unshared<Sent extends Batch>(batch: Sent): Sent {
  const { puts, ends, moves, starts } = batch;
  return {
    ...batch,
    ...(puts && { puts: [...puts] }),
    ...(ends && { ends: [...ends] }),
    ...(moves && { moves: [...moves] }),
    ...(starts && { starts: [...starts] }),
  };
}
