/**
 * One session of the simulated disk: it serves its requests one at a time and in order, and says what is left of them when the
 * process dies.
 */
import { StoreClosedError, StoreFailedError } from '../../store/errors.ts';
import type { Batch, CommitResult, ControlAnswer, StoreSession } from '../../store/port.ts';
import type { AnsweredRequest, Notify } from '../judges/judge.ts';
import type { Random } from '../scenario/random.ts';
import type { Planned, Timeline } from './timeline.ts';

export const LOCATION = 'simulated disk';

export interface DiskCounts {
  refused: number;
  unanswered: number;
  stalled: number;
  torn: number;
  lost: number;
}

/** What becomes of a request. */
export type Fate = 'served' | 'refused' | 'unanswered';

/** What another scheduler on the same store does right before a batch takes effect. */
export interface Rivalry {
  /** The tasks that it has; their starts are not granted. */
  readonly ungranted: ReadonlySet<string>;
  /** What it has written about runs that it has taken over; their ends and unstarts are refused. */
  readonly overtaken?: Batch;
}

export const NO_RIVALRY: Rivalry = { ungranted: new Set() };

/** What a session needs from its disk. */
export interface SessionPorts {
  readonly counts: DiskCounts;
  /** How long the next request takes, and what becomes of it. */
  draw(kind: AnsweredRequest['kind']): { readonly afterMs: number; readonly fate: Fate };
  rivalryOf(batch: Batch): Rivalry;
  /** These answers are durable. */
  answered(answers: readonly ControlAnswer[]): void;
  release(session: DiskSession): void;
}

interface Request {
  readonly kind: 'read' | 'commit' | 'close';
  readonly askedAt: number;
  readonly batch?: Batch;
  readonly serve: () => Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class DiskSession implements StoreSession {
  readonly #disk: SessionPorts;
  readonly #timeline: Timeline;
  readonly #inner: StoreSession;
  readonly #notify: Notify;
  readonly #waiting: Request[] = [];
  /** The request that is being served, until it has taken effect. */
  #serving: Request | undefined;
  #planned: Planned | undefined;
  #isServing = false;
  #state: 'open' | 'closed' | 'dead' = 'open';

  constructor(disk: SessionPorts, timeline: Timeline, inner: StoreSession, notify: Notify) {
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
    const starts = [...(batch.starts ?? [])].filter(({ name }) => !ungranted.has(name));
    const result = this.#inner.commit(ungranted.size === 0 ? batch : { ...batch, starts });
    this.#disk.answered(batch.answers ?? []);
    this.#notify('batchDurable', batch, ungranted);
    const { refused, ...written } = await result;
    return {
      ...written,
      refused: [...refused, ...[...ungranted].map((name) => ({ change: 'start' as const, name }))],
    };
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
