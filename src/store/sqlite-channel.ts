/**
 * The main thread's end of the line to a store's thread: it posts requests, and pairs answers with them.
 *
 *     open ──close()──▶ closing ──the thread has ended──▶ closed
 *       └──the thread died──▶ broken
 *
 * In `closing`, `closed` and `broken` every new request is refused; the requests made before `close` are still served, in their
 * order, and those pending when the thread dies are rejected: their outcome is unknown.
 *
 * *Turns.* The thread serves messages in the order of posting, so the order of calls is kept if a request that takes several
 * messages is not interrupted by another. A request holds the turn until its last message is out (a commit) or its last page is
 * in (a read). Between two messages the event loop goes round, so a batch of 100,000 changes never holds it for long.
 *
 * *Keeping the process alive.* The thread does so only while a request is pending. An idle session does not: the scheduler's own
 * timer says whether there is a reason to live on.
 */
import type { Transferable, Worker } from 'node:worker_threads';
import type { ControlRequest } from '../core/control.ts';
import { startThread } from '../thread.ts';
import { StoreClosedError, StoreFailedError } from './errors.ts';
import { revive } from './failure.ts';
import type { LookedAt } from './sqlite-look.ts';
import type { Answer, Request, ThreadOptions } from './sqlite-messages.ts';

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that has its file, and what it found. */
export interface Opened {
  readonly channel: Channel;
  readonly looked: LookedAt | undefined;
  readonly identity: string | undefined;
}

/** A request without its number. */
type Question<Of = Request> = Of extends Request ? Omit<Of, 'id'> : never;

export class Channel {
  readonly path: string;
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  /** Called when the thread has died unasked, and all that it held is let go. */
  onDeath: ((error: StoreFailedError) => void) | undefined;
  /** Called with open requests of operators. */
  onRequests: ((requests: readonly ControlRequest[]) => void) | undefined;
  #state: 'open' | 'closing' | 'closed' | 'broken' = 'open';
  #trouble: unknown;
  #closing: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #lastId = 0;
  #users = 0;

  private constructor(path: string, thread: Worker) {
    this.path = path;
    this.#thread = thread;
    thread.on('message', (answer: Answer) => this.#receive(answer));
    thread.on('error', (error) => this.#break(error));
    thread.on('messageerror', (error) => this.#break(error));
    this.#ended = new Promise((resolve) => {
      thread.on('exit', () => {
        this.#break(undefined);
        resolve();
        if (this.#state === 'broken') this.onDeath?.(this.#brokenError());
      });
    });
  }

  /** Starts the thread and waits until it has the file. `onThread` is for tests, which let the thread die. */
  static async open(options: ThreadOptions, onThread?: (thread: Worker) => void): Promise<Opened> {
    let thread: Worker;
    try {
      const { sqliteThreadCode } = await import('./sqlite-thread-code.ts');
      thread = startThread(sqliteThreadCode, 'store', options);
    } catch (error) {
      throw new StoreFailedError(
        { path: options.path, reason: `its thread cannot start: ${String(error)}` },
        error,
      );
    }
    onThread?.(thread);
    const channel = new Channel(options.path, thread);
    try {
      const answer = await channel.using(() => channel.#answer(0));
      const { looked, identity } = expected(answer, 'opened', options.path);
      return { channel, looked, identity };
    } catch (error) {
      // The thread has let go of everything before it answered, and ends by itself.
      thread.unref();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    await this.using(async () => {
      await this.inTurn(() => this.ask({ kind: 'close' }, 'done'));
      await this.#ended;
    });
  }

  /** The answer to a request of one message. */
  async ask<Kind extends Answer['kind']>(
    question: Question,
    kind: Kind,
  ): Promise<Extract<Answer, { readonly kind: Kind }>> {
    const request = this.newRequest();
    this.post({ ...question, id: request.id });
    return expected(await request.answer, kind, this.path);
  }

  /** For a request of several messages. The answer may be a rejection before the last one is out. */
  newRequest(): { readonly id: number; readonly answer: Promise<Answer> } {
    const id = ++this.#lastId;
    const answer = this.#answer(id);
    // The caller awaits it later; until then a rejection is not unhandled.
    answer.catch(() => {});
    return { id, answer };
  }

  /** The rest of a request will not be posted. */
  abandon(id: number): void {
    this.#pending.delete(id);
    this.post({ kind: 'abandon', id });
  }

  post(request: Request, transfer: readonly Transferable[] = []): void {
    this.#thread.postMessage(request, transfer);
  }

  /** One request after the other, whatever becomes of each. */
  inTurn<T>(job: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(job);
    this.#turn = done.catch(() => {});
    return done;
  }

  async using<T>(job: () => Promise<T>): Promise<T> {
    if (++this.#users === 1) this.#thread.ref();
    try {
      return await job();
    } finally {
      if (--this.#users === 0) this.#thread.unref();
    }
  }

  mustBeOpen(): void {
    if (this.#state === 'broken') throw this.#brokenError();
    if (this.#state !== 'open') throw new StoreClosedError({ path: this.path });
  }

  #answer(id: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'broken') reject(this.#brokenError());
      else this.#pending.set(id, { resolve, reject });
    });
  }

  #receive(answer: Answer): void {
    if (answer.kind === 'requests') {
      this.onRequests?.(answer.requests);
      return;
    }
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.kind === 'failed') pending?.reject(revive(answer.failure));
    else pending?.resolve(answer);
  }

  /** The thread has ended. That is as it should be after `close`; at any other time its questions have no answer any more. */
  #break(error: unknown): void {
    this.#trouble ??= error;
    if (this.#state === 'closing' && this.#pending.size === 0) this.#state = 'closed';
    else if (this.#state !== 'closed') this.#state = 'broken';
    for (const { reject } of this.#pending.values()) reject(this.#brokenError());
    this.#pending.clear();
  }

  #brokenError(): StoreFailedError {
    const why = this.#trouble instanceof Error ? `: ${this.#trouble.message}` : '';
    return new StoreFailedError({ path: this.path, reason: `its thread has died${why}` }, this.#trouble);
  }
}

export function expected<Kind extends Answer['kind']>(
  answer: Answer,
  kind: Kind,
  path: string,
): Extract<Answer, { readonly kind: Kind }> {
  if (!isOf(answer, kind)) throw new StoreFailedError({ path, reason: 'its thread answered something else' });
  return answer;
}

const isOf = <Kind extends Answer['kind']>(
  answer: Answer,
  kind: Kind,
): answer is Extract<Answer, { readonly kind: Kind }> => answer.kind === kind;
