/**
 * A session of a cluster in memory, as the PostgreSQL store has it: an instance that has joined, and its heartbeat.
 *
 *     joined ──beat every 2 s──▶ joined ──close──▶ left
 *        │ a beat or a commit finds no row of this instance: somebody has declared it dead
 *        ▼
 *      lost: nothing is written any more (K4)
 *
 * Everything goes through a *link*: it brings a request to the database and the answer back, or loses either, or brings the request
 * later, when nobody waits for it any more. What is asked is asked one after the other; only the heartbeat goes its own way. Every
 * request has a number, so that one which comes too late does nothing.
 */
import type { Retention } from '../../core/history.ts';
import type { Committed, NotCommitted } from '../../store/cluster/decide.ts';
import { newsOf } from '../../store/cluster/news.ts';
import { ServerClock } from '../../store/cluster/server-clock.ts';
import { StoreClosedError, StoreLostError } from '../../store/errors.ts';
import type {
  Batch,
  CommitResult,
  News,
  OpenOptions,
  SharedSession,
  Sharing,
  StoreSession,
} from '../../store/port.ts';
import { SharedView } from '../../store/sharing/shared-view.ts';
import type { Clock, Timer } from '../../time/clock.ts';
import type { Beat, ClusterDatabase } from './database.ts';

const LONGEST_BEAT_MS = 2000;
const BEATS_PER_LEASE = 5;

/** What lies between an instance and its database. */
export interface Link {
  /** Timers, and a clock that nobody sets, of the host of this instance. */
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  /** Lets a request take effect, and brings back what it answers. */
  send<T>(request: () => T): Promise<T>;
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
  readonly #clock: ServerClock;
  #last: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #lost: StoreLostError | undefined;
  #members: readonly string[] = [];
  #timer: Timer | undefined;
  #sent = 0;
  #readEpoch = 0;
  #epoch = 0;
  #hasList = false;
  /** The heartbeat has found that the instance is absent. */
  #isOver = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#clock = new ServerClock(() => parts.link.clock.monotonic());
    if (parts.sharing !== undefined) this.sharing = this.#shared();
  }

  /** Resolves after the first heartbeat: from then on the time is known, and who else is there. */
  async begin(): Promise<void> {
    await this.#clock.begin(() => this.#beat());
    this.#goOn();
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
    const answer = await this.#inOrder((_, sent) => {
      const done = database.commit(instanceId, { ...copy, sent }, history);
      return { done, records: new Map(database.records) };
    });
    const { done, records } = answer;
    if ('why' in done) return this.#notDone(done);
    if (batch.list !== undefined || this.#knows(batch, done)) this.#epoch = done.epoch;
    if (batch.list !== undefined) this.#hasList = true;
    const refused = done.refused.map((refusal) => {
      const record = records.get(refusal.name);
      return this.sharing === undefined || record === undefined ? refusal : { ...refusal, record };
    });
    return batch.list === undefined ? { refused } : { refused, held: done.held, epoch: done.epoch };
  }

  /** An instance whose configurations were up to date before its own change of them is so after it. */
  #knows({ puts = [], configures = [], removes = [] }: Batch, { epoch }: Committed): boolean {
    return puts.length + configures.length + removes.length > 0 && epoch <= this.#epoch + 1;
  }

  #notDone({ why }: NotCommitted): 'stale' {
    if (why === 'fenced') throw this.#lose();
    // A request that comes too late has no one who waits for its answer.
    return 'stale';
  }

  #shared(): SharedSession {
    const members = (): readonly string[] => this.#members;
    const shared: SharedSession = {
      now: () => this.#clock.now(),
      get members() {
        return members();
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
    this.#timer?.cancel();
    // If this fails the lease runs out, and the others take over then.
    if (this.#lost === undefined) await link.send(() => database.leave(instanceId, history)).catch(() => {});
  }

  #goOn(): void {
    const { link, leaseMs } = this.#parts;
    if (this.#closed !== undefined || this.#isOver) return;
    this.#timer = link.clock.setTimer(
      () => {
        // A failure is no matter here: the next commit meets it too, and the next beat tries again.
        void this.#beat()
          .catch(() => {})
          .then(() => this.#goOn());
      },
      Math.min(LONGEST_BEAT_MS, leaseMs / BEATS_PER_LEASE),
    );
  }

  async #beat(): Promise<void> {
    const { database, link, instanceId, history, onTrouble, onRequests, sharing } = this.#parts;
    const sentAt = link.clock.monotonic();
    const beat = await link.send(() => database.beat(instanceId));
    if (this.#closed !== undefined || this.#isOver) return;
    if (beat === undefined) {
      // Also if a request has found it out before: only from here does the scheduler hear of it in any case.
      this.#isOver = true;
      onTrouble?.(this.#lose());
      return;
    }
    this.#clock.read(beat.at, sentAt, link.clock.monotonic());
    const dead = beat.members.some(({ isLapsed }) => isLapsed)
      ? await link.send(() => database.declareDead(instanceId, history))
      : [];
    const news = this.#newsOf(beat, dead);
    if (sharing !== undefined && Object.keys(news).length > 0 && this.#closed === undefined)
      sharing.onNews(news);
    const requests = await link.send(() => database.takeRequests(instanceId));
    if (requests.length > 0 && this.#closed === undefined) onRequests?.(requests);
  }

  #newsOf({ members, epoch, at }: Beat, dead: readonly string[]): News {
    const present = members.map(({ id }) => id).filter((id) => !dead.includes(id));
    const before = this.#members;
    this.#members = present;
    const isStale = this.#hasList && epoch !== this.#epoch;
    const aheadMs = at - (this.#parts.sharing?.now() ?? at);
    return newsOf({ before, present, dead: dead.length, isStale, aheadMs });
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
