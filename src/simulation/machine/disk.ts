/**
 * The simulated durable store. The library's own memory store holds the records that have reached the platter. In front of it is
 * a log, in which a batch goes through these states:
 *
 *     called ──▶ in flight ──sync──▶ durable ──▶ answered
 *        │           │                  └─ the answer is lost: reported as failed, although it took effect
 *        │           └─ refused: nothing of it is kept
 *        └─ waits for those called before it
 *
 * When the process dies, each batch in flight is whole, lost or torn, independently of the others, since a disk reorders what was
 * not synced. Recovery reads the log from the front and stops at the first batch that is not whole. It recognises a torn batch by
 * its checksum. It does not believe what lies behind a hole, or a later write could survive an earlier one. So a crash keeps a
 * prefix of the calls, which is what the Store port promises.
 *
 * A session serves its requests one at a time and in order. The store belongs to one session. The operating system frees it when
 * the process dies. A close that stalls holds it until it is through.
 */
import { StoreClosedError, StoreFailedError, StoreLockedError } from '../../store/errors.ts';
import { memory } from '../../store/memory.ts';
import type { Batch, CommitResult, OpenOptions, StartChange, Store, StoreSession } from '../../store/port.ts';
import type { AnsweredRequest, Notify } from '../judges/judge.ts';
import type { Random } from '../scenario/random.ts';
import type { DiskMix, Trouble } from '../scenario/scenario.ts';
import type { Planned, Timeline } from './timeline.ts';

const LOCATION = 'simulated disk';
/** How often a session that waits for the lock looks again. */
export const LOCK_POLL_MS = 250;
/** How long a rival waits for the lock. */
const RIVAL_PATIENCE_MS = 2000;

export interface DiskCounts {
  refused: number;
  unanswered: number;
  stalled: number;
  torn: number;
  lost: number;
}

type Fate = 'served' | 'refused' | 'unanswered';

/** What another scheduler on the same store does right before a batch takes effect. */
interface Rivalry {
  /** The tasks that it has; their starts are not granted. */
  readonly ungranted: ReadonlySet<string>;
  /** What it has written about runs that it has taken over; their ends and unstarts are refused. */
  readonly overtaken?: Batch;
}

const NO_RIVALRY: Rivalry = { ungranted: new Set() };

export class Disk {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #mix: DiskMix;
  readonly #platter: Store = memory();
  readonly counts: DiskCounts = { refused: 0, unanswered: 0, stalled: 0, torn: 0, lost: 0 };
  #owner: DiskSession | undefined;
  /** By task: the last start. */
  readonly #started = new Map<string, StartChange>();
  /** A batch that is sent again meets the rivalry that it met the first time. */
  readonly #rivalries = new WeakMap<Batch, Rivalry>();
  #requests = 0;
  #crashes = 0;
  #trouble: { readonly kind: Trouble; readonly until: number } | undefined;
  #healed = false;

  constructor(timeline: Timeline, random: Random, mix: DiskMix) {
    this.#timeline = timeline;
    this.#random = random;
    this.#mix = mix;
  }

  /** The store as one process sees it. A process that is not alive gets no answers. */
  storeFor(notify: Notify, isAlive: () => boolean): Store {
    return {
      location: LOCATION,
      open: (options) => this.#open(options, notify, isAlive),
    };
  }

  /** What has reached the platter. */
  async records(): Promise<readonly unknown[]> {
    return (await this.#platter.inspect?.())?.records ?? [];
  }

  trouble(kind: Trouble, ms: number): void {
    this.#trouble = { kind, until: this.#timeline.passed + ms };
  }

  /** A rival takes the lock as soon as it is free, and frees it after a while. */
  hold(ms: number, patienceMs = RIVAL_PATIENCE_MS): void {
    if (this.#healed) return;
    this.#platter.open({ waitMs: 0 }).then(
      (session) => this.#timeline.plan(ms, () => void session.close()),
      () => {
        if (patienceMs > 0) this.#timeline.plan(LOCK_POLL_MS, () => this.hold(ms, patienceMs - LOCK_POLL_MS));
      },
    );
  }

  /** From here on every request is served. A request that stalls comes through. */
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
    const leftMs = (this.#trouble?.until ?? 0) - this.#timeline.passed;
    if (this.#trouble !== undefined && leftMs > 0) {
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

  rivalryOf(batch: Batch): Rivalry {
    const known = this.#rivalries.get(batch);
    if (known !== undefined) return known;
    const rivalry = this.#drawRivalry(batch);
    this.#rivalries.set(batch, rivalry);
    for (const start of batch.starts ?? [])
      if (!rivalry.ungranted.has(start.name)) this.#started.set(start.name, start);
    return rivalry;
  }

  /**
   * A rival that takes a run over ends it as the scheduler itself does, one millisecond earlier, so that nothing else is
   * different. If the run was never called, the rival has started a run of its own, and is dead by the next initialize.
   */
  #drawRivalry({ starts = [], ends = [], unstarts = [], moves = [] }: Batch): Rivalry {
    const { ungrantedPerMille = 0 } = this.#mix;
    if (ungrantedPerMille === 0 || this.#healed) return NO_RIVALRY;
    const granting = this.#random.fork('grant', this.#requests);
    const names = starts.map(({ name }) => name).filter(() => granting.below(1000) < ungrantedPerMille);
    const taking = this.#random.fork('take over', this.#requests);
    // If the clock was set back, a rival would notice it, too. What it would do then is not simulated.
    const isTaken = ({ name }: { readonly name: string }): boolean =>
      taking.below(1000) < ungrantedPerMille && !moves.some((move) => move.name === name);
    const overtaken = {
      ends: ends.filter(isTaken).map((end) => ({ ...end, endedAt: end.endedAt - 1 })),
      starts: unstarts.filter(isTaken).flatMap(({ name, runId }) => {
        const started = this.#started.get(name);
        const run = { runId: `rival of ${runId}`, instanceId: 'rival' };
        return started === undefined ? [] : [{ ...started, run: { ...started.run, ...run } }];
      }),
    };
    return { ungranted: new Set(names), overtaken };
  }

  release(session: DiskSession): void {
    if (this.#owner === session) this.#owner = undefined;
  }

  #open({ waitMs }: OpenOptions, notify: Notify, isAlive: () => boolean): Promise<StoreSession> {
    const { promise, resolve, reject } = Promise.withResolvers<StoreSession>();
    const askedAt = this.#timeline.passed;
    const deadline = askedAt + waitMs;
    const answered = (how: AnsweredRequest['how']): void =>
      notify('requestAnswered', { kind: 'open', askedAt, dueAt: this.#timeline.passed, how });
    // The lock is the inner store's own, so that it is tested, too.
    const attempt = (): void => {
      if (!isAlive()) return;
      this.#platter.open({ waitMs: 0 }).then(
        (inner) => {
          if (!isAlive()) return inner.close();
          this.#owner = new DiskSession(this, this.#timeline, inner, notify);
          answered('served');
          return resolve(this.#owner);
        },
        (error) => {
          if (this.#timeline.passed < deadline) return this.#timeline.plan(LOCK_POLL_MS, attempt);
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
  readonly serve: () => Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

class DiskSession implements StoreSession {
  readonly #disk: Disk;
  readonly #timeline: Timeline;
  readonly #inner: StoreSession;
  readonly #notify: Notify;
  readonly #waiting: Request[] = [];
  /** The request that is being served, until it has taken effect. */
  #serving: Request | undefined;
  #planned: Planned | undefined;
  #isServing = false;
  #state: 'open' | 'closed' | 'dead' = 'open';

  constructor(disk: Disk, timeline: Timeline, inner: StoreSession, notify: Notify) {
    this.#disk = disk;
    this.#timeline = timeline;
    this.#inner = inner;
    this.#notify = notify;
  }

  read(names?: readonly string[]): Promise<readonly unknown[]> {
    return this.#request('read', () => this.#inner.read(names));
  }

  commit(batch: Batch): Promise<CommitResult> {
    if (this.#state === 'open') this.#notify('batchSent', batch);
    return this.#request('commit', () => this.#keep(batch, this.#disk.rivalryOf(batch)), batch);
  }

  close(): Promise<void> {
    if (this.#state === 'closed') return Promise.resolve();
    const closed = this.#request('close', () => this.#inner.close());
    this.#state = 'closed';
    return closed;
  }

  /** Decides what is left of the batches in flight. No request is answered any more. */
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

  async #keep(batch: Batch, { ungranted, overtaken }: Rivalry = NO_RIVALRY): Promise<CommitResult> {
    if (overtaken !== undefined) {
      void this.#inner.commit(overtaken);
      this.#notify('batchDurable', overtaken, NO_RIVALRY.ungranted);
    }
    const starts = batch.starts?.filter(({ name }) => !ungranted.has(name)) ?? [];
    const result = this.#inner.commit(ungranted.size === 0 ? batch : { ...batch, starts });
    this.#notify('batchDurable', batch, ungranted);
    const { refused } = await result;
    return { refused: [...refused, ...[...ungranted].map((name) => ({ change: 'start' as const, name }))] };
  }

  #request<T>(kind: Request['kind'], serve: () => Promise<T>, batch?: Batch): Promise<T> {
    if (this.#state !== 'open') return Promise.reject(new StoreClosedError({ path: LOCATION }));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { passed: askedAt } = this.#timeline;
    this.#waiting.push({ kind, askedAt, serve, resolve, reject, ...(batch && { batch }) });
    this.#serveNext();
    // A request resolves to what its own `serve` gave.
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
    serve().then(
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

  /** The answer is an event of its own, so there is an instant at which a batch is durable and the scheduler does not know. */
  #answer({ kind, askedAt }: Request, answer: () => void, how: AnsweredRequest['how']): void {
    const { passed: dueAt } = this.#timeline;
    this.#planned = this.#timeline.plan(0, () => {
      this.#isServing = false;
      this.#notify('requestAnswered', { kind, askedAt, dueAt, how });
      answer();
      this.#serveNext();
    });
  }
}
