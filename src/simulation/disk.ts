/**
 * The simulated durable store. Records live in the library's own memory store, which stands for what has reached the platter;
 * before it stands a log, in which a batch goes through these states:
 *
 *     called ──▶ in flight ──sync──▶ durable ──▶ answered
 *        │           │                  └─ the answer is lost: reported as failed, although it took effect
 *        │           └─ refused: nothing of it is kept
 *        └─ waits for those called before it
 *
 * When the process dies, whatever was in flight meets its fate page by page: it may be whole, lost, or torn, each batch by
 * itself, since a disk reorders what was not synced. Recovery reads the log from the front and stops at the first batch that is not
 * whole: a torn one is seen by its checksum, and what lies behind a hole is not believed, or a later write could survive an
 * earlier one. So a crash keeps a prefix of the calls, which is what the Store port promises.
 *
 * A session serves its requests one at a time and in order. The store belongs to one session; the operating system lets go of it
 * when the process dies, and it is held until a close that stalls is through.
 */
import { StoreClosedError, StoreFailedError, StoreLockedError } from '../store/errors.ts';
import { memory } from '../store/memory.ts';
import type { Batch, CommitResult, OpenOptions, Store, StoreSession } from '../store/port.ts';
import type { Answered } from './evidence.ts';
import type { Random } from './random.ts';
import type { DiskMix, Trouble } from './scenario.ts';
import type { Planned, Timeline } from './timeline.ts';

const LOCATION = 'simulated disk';
/** How often somebody who waits for the lock looks again. */
export const LOCK_POLL_MS = 250;
/** How long a rival waits for the lock. */
const RIVAL_PATIENCE_MS = 2000;

/** Who wants to know what becomes of batches. */
export interface DiskWatcher {
  commitCalled(batch: Batch): void;
  /** All of it, but for the starts of the tasks that were refused. */
  durable(batch: Batch, refused: readonly string[]): void;
  /** A request was not served as it should have been. */
  failed(): void;
  /** A request is answered, now. */
  answered(request: Answered): void;
}

export interface DiskCounts {
  refused: number;
  unanswered: number;
  stalled: number;
  torn: number;
  lost: number;
}

type Fate = 'served' | 'refused' | 'unanswered';

export class Disk {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #mix: DiskMix;
  readonly #platter: Store = memory();
  readonly counts: DiskCounts = { refused: 0, unanswered: 0, stalled: 0, torn: 0, lost: 0 };
  #owner: DiskSession | undefined;
  #requests = 0;
  #crashes = 0;
  #trouble: { readonly kind: Trouble; readonly until: number } | undefined;
  #healed = false;
  #wasTroubled = false;
  #troubledUntil = 0;

  constructor(timeline: Timeline, random: Random, mix: DiskMix) {
    this.#timeline = timeline;
    this.#random = random;
    this.#mix = mix;
  }

  /** The store as one process sees it. `isAlive` tells whether the process can still be answered. */
  storeFor(watcher: DiskWatcher, isAlive: () => boolean): Store {
    return {
      location: LOCATION,
      open: (options) => this.#open(options, watcher, isAlive),
    };
  }

  /** What has reached the platter. */
  async records(): Promise<readonly unknown[]> {
    return (await this.#platter.inspect?.())?.records ?? [];
  }

  trouble(kind: Trouble, ms: number): void {
    this.#wasTroubled = true;
    this.#trouble = { kind, until: this.#timeline.passed + ms };
    this.#troubledUntil = Math.max(this.#troubledUntil, this.#trouble.until);
  }

  /** Whether it ever was in trouble. */
  get wasTroubled(): boolean {
    return this.#wasTroubled;
  }

  get isTroubled(): boolean {
    return this.#trouble !== undefined && this.#timeline.passed < this.#trouble.until;
  }

  /** Until when it is in trouble, or was. */
  get troubledUntil(): number {
    return this.#troubledUntil;
  }

  /** Somebody of whom nothing else is known takes the lock, now or when it is free, and lets go of it after a while. */
  hold(ms: number, patienceMs = RIVAL_PATIENCE_MS): void {
    if (this.#healed) return;
    this.#platter.open({ waitMs: 0 }).then(
      (session) => this.#timeline.plan(ms, () => void session.close()),
      () => {
        if (patienceMs > 0) this.#timeline.plan(LOCK_POLL_MS, () => this.hold(ms, patienceMs - LOCK_POLL_MS));
      },
    );
  }

  /** From here on it only works. What stalls comes through. */
  heal(): void {
    this.#trouble = undefined;
    this.#healed = true;
  }

  /** The process that owns the store is dead. */
  crash(): void {
    const owner = this.#owner;
    this.#owner = undefined;
    owner?.die(this.#random.fork('crash', this.#crashes++));
  }

  /** How long the next request takes, and what becomes of it. */
  draw(kind: 'open' | 'read' | 'commit' | 'close'): { readonly afterMs: number; readonly fate: Fate } {
    const chance = this.#random.fork('request', this.#requests++);
    const { latencyMs, refusedPerMille, unansweredPerMille } = this.#mix;
    let afterMs = chance.percent(30) ? 0 : chance.below(latencyMs + 1);
    if (this.#healed) return { afterMs, fate: 'served' };
    if (this.#trouble !== undefined && this.isTroubled) {
      const leftMs = this.#trouble.until - this.#timeline.passed;
      switch (this.#trouble.kind) {
        case 'stalls':
          this.counts.stalled++;
          afterMs += leftMs;
          break;
        case 'refuses':
          return { afterMs, fate: 'refused' };
        case 'takes and denies':
          return { afterMs, fate: kind === 'commit' ? 'unanswered' : 'served' };
        case 'unreadable':
          if (kind === 'read') return { afterMs, fate: 'refused' };
      }
    }
    const roll = chance.below(1000);
    if (roll < refusedPerMille) return { afterMs, fate: 'refused' };
    if (roll < refusedPerMille + unansweredPerMille && kind === 'commit')
      return { afterMs, fate: 'unanswered' };
    return { afterMs, fate: 'served' };
  }

  /** The tasks of a batch whose starts are not granted. */
  refusedOf({ starts = [] }: Batch): readonly string[] {
    const { ungrantedPerMille = 0 } = this.#mix;
    if (ungrantedPerMille === 0 || this.#healed) return [];
    const chance = this.#random.fork('grant', this.#requests);
    return starts.map(({ name }) => name).filter(() => chance.below(1000) < ungrantedPerMille);
  }

  release(session: DiskSession): void {
    if (this.#owner === session) this.#owner = undefined;
  }

  #open({ waitMs }: OpenOptions, watcher: DiskWatcher, isAlive: () => boolean): Promise<StoreSession> {
    const { promise, resolve, reject } = Promise.withResolvers<StoreSession>();
    const askedAt = this.#timeline.passed;
    const deadline = askedAt + waitMs;
    const answered = (how: Answered['how']): void =>
      watcher.answered({ kind: 'open', askedAt, dueAt: this.#timeline.passed, how });
    // The lock is the inner store's own, so that it has to do its work here too.
    const attempt = (): void => {
      if (!isAlive()) return;
      this.#platter.open({ waitMs: 0 }).then(
        (inner) => {
          if (!isAlive()) return inner.close();
          this.#owner = new DiskSession(this, this.#timeline, inner, watcher);
          answered('served');
          return resolve(this.#owner);
        },
        (error) => {
          if (this.#timeline.passed < deadline) return this.#timeline.plan(LOCK_POLL_MS, attempt);
          watcher.failed();
          answered('failed');
          return reject(
            error instanceof StoreLockedError
              ? new StoreLockedError({ path: LOCATION, waitedMs: waitMs })
              : error,
          );
        },
      );
    };
    const { afterMs, fate } = this.draw('open');
    this.#timeline.plan(afterMs, () => {
      if (!isAlive()) return;
      if (fate === 'served') return attempt();
      this.counts.refused++;
      watcher.failed();
      answered('failed');
      reject(new StoreFailedError({ path: LOCATION, reason: 'it cannot be opened, on purpose' }));
    });
    return promise;
  }
}

interface Request {
  readonly kind: 'read' | 'commit' | 'close';
  readonly askedAt: number;
  readonly batch?: Batch;
  readonly serve: (fate: Fate) => Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

class DiskSession implements StoreSession {
  readonly #disk: Disk;
  readonly #timeline: Timeline;
  readonly #inner: StoreSession;
  readonly #watcher: DiskWatcher;
  readonly #waiting: Request[] = [];
  /** The request that is being served, until it has taken effect. */
  #serving: Request | undefined;
  #planned: Planned | undefined;
  #isServing = false;
  #state: 'open' | 'closed' | 'dead' = 'open';

  constructor(disk: Disk, timeline: Timeline, inner: StoreSession, watcher: DiskWatcher) {
    this.#disk = disk;
    this.#timeline = timeline;
    this.#inner = inner;
    this.#watcher = watcher;
  }

  read(names?: readonly string[]): Promise<readonly unknown[]> {
    return this.#request('read', () => this.#inner.read(names));
  }

  commit(batch: Batch): Promise<CommitResult> {
    if (this.#state === 'open') this.#watcher.commitCalled(batch);
    // A store that refuses and then loses its answer is left out: what it refused, nobody can read back.
    const serve = (fate: Fate): Promise<CommitResult> =>
      this.#keep(batch, fate === 'served' ? this.#disk.refusedOf(batch) : []);
    return this.#request('commit', serve, batch);
  }

  close(): Promise<void> {
    if (this.#state === 'closed') return Promise.resolve();
    const closed = this.#request('close', () => this.#inner.close());
    this.#state = 'closed';
    return closed;
  }

  /** What was in flight meets its fate; nobody is answered any more. */
  die(chance: Random): void {
    this.#planned?.cancel();
    this.#state = 'dead';
    const inFlight = [...(this.#serving === undefined ? [] : [this.#serving]), ...this.#waiting];
    this.#waiting.length = 0;
    let isWhole = true;
    for (const { batch } of inFlight) {
      if (batch === undefined) continue;
      const fate = chance.pick(['whole', 'lost', 'torn'] as const);
      if (fate === 'torn') this.#disk.counts.torn++;
      isWhole &&= fate === 'whole';
      if (isWhole) void this.#keep(batch).catch(() => {});
      else this.#disk.counts.lost++;
    }
    void this.#inner.close();
  }

  async #keep(batch: Batch, refused: readonly string[] = []): Promise<CommitResult> {
    const starts = batch.starts?.filter(({ name }) => !refused.includes(name)) ?? [];
    const result = this.#inner.commit(refused.length === 0 ? batch : { ...batch, starts });
    this.#watcher.durable(batch, refused);
    await result;
    return { refused };
  }

  #request<T>(kind: Request['kind'], serve: (fate: Fate) => Promise<T>, batch?: Batch): Promise<T> {
    if (this.#state !== 'open') return Promise.reject(new StoreClosedError({ path: LOCATION }));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { passed: askedAt } = this.#timeline;
    this.#waiting.push({ kind, askedAt, serve, resolve, reject, ...(batch && { batch }) });
    this.#serveNext();
    // What a request resolves to is what its own `serve` gave.
    return promise as Promise<T>;
  }

  #serveNext(): void {
    if (this.#isServing) return;
    const request = this.#waiting.shift();
    if (request === undefined) return;
    this.#isServing = true;
    this.#serving = request;
    const { afterMs, fate } = this.#disk.draw(request.kind);
    this.#planned = this.#timeline.plan(afterMs, () => this.#takeEffect(request, fate));
  }

  #takeEffect(request: Request, fate: Fate): void {
    this.#serving = undefined;
    const { kind, serve } = request;
    if (kind === 'close') this.#disk.release(this);
    if (fate === 'refused' && kind !== 'close') {
      this.#disk.counts.refused++;
      return void this.#answer(
        request,
        () => request.reject(new StoreFailedError({ path: LOCATION, reason: 'refused, on purpose' })),
        'failed',
      );
    }
    serve(fate).then(
      (answer) => {
        if (fate !== 'unanswered') return this.#answer(request, () => request.resolve(answer), 'served');
        this.#disk.counts.unanswered++;
        const error = new StoreFailedError({
          path: LOCATION,
          reason: 'it took effect, and says it did not, on purpose',
        });
        this.#answer(request, () => request.reject(error), 'failed');
      },
      (error: Error) => this.#answer(request, () => request.reject(error), 'failed'),
    );
  }

  /** The answer is an event of its own: there is an instant at which a batch is durable and nobody knows. */
  #answer({ kind, askedAt }: Request, tell: () => void, how: Answered['how']): void {
    const { passed: dueAt } = this.#timeline;
    this.#planned = this.#timeline.plan(0, () => {
      this.#isServing = false;
      if (how === 'failed') this.#watcher.failed();
      this.#watcher.answered({ kind, askedAt, dueAt, how });
      tell();
      this.#serveNext();
    });
  }
}
