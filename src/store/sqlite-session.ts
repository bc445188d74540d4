/**
 * The main thread's end of a session: it packs, posts, and pairs answers with questions.
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
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { StoreClosedError, StoreFailedError } from './errors.ts';
import { revive } from './failure.ts';
import { unpackPage } from './page.ts';
import type { Batch, CommitResult, StoreSession } from './port.ts';
import type { LookedAt } from './sqlite-look.ts';
import { type Answer, type Request, startThread, type ThreadOptions } from './sqlite-thread.ts';
import { type Sheet, sheetsOf } from './wire.ts';

/** Rows a message: few enough that the main thread packs a batch or unpacks a page in some milliseconds. */
const ROWS_PER_MESSAGE = 5000;
const ROWS_PER_PAGE = 2500;

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A request without its number. */
type Question<Of = Request> = Of extends Request ? Omit<Of, 'id'> : never;

export class SqliteSession implements StoreSession {
  readonly #path: string;
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #state: 'open' | 'closing' | 'closed' | 'broken' = 'open';
  #trouble: unknown;
  #closing: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #lastId = 0;
  #users = 0;

  private constructor(path: string, thread: Worker) {
    this.#path = path;
    this.#thread = thread;
    thread.on('message', (answer: Answer) => this.#receive(answer));
    thread.on('error', (error) => this.#break(error));
    thread.on('messageerror', (error) => this.#break(error));
    this.#ended = new Promise((resolve) => {
      thread.on('exit', () => {
        this.#break(undefined);
        resolve();
      });
    });
  }

  /** Starts the thread and waits until it has the file. `onThread` is for tests, which let the thread die. */
  static async open(
    options: ThreadOptions,
    onThread?: (thread: Worker) => void,
  ): Promise<{ readonly session: SqliteSession; readonly looked: LookedAt | undefined }> {
    let thread: Worker;
    try {
      thread = startThread(options);
    } catch (error) {
      throw new StoreFailedError(
        { path: options.path, reason: `its thread cannot start: ${String(error)}` },
        error,
      );
    }
    onThread?.(thread);
    const session = new SqliteSession(options.path, thread);
    try {
      const answer = await session.#using(() => session.#answer(0));
      return { session, looked: answer.kind === 'opened' ? answer.looked : undefined };
    } catch (error) {
      // The thread has let go of everything before it answered, and ends by itself.
      thread.unref();
      throw error;
    }
  }

  async read(names?: readonly string[]): Promise<readonly unknown[]> {
    this.#mustBeOpen();
    return this.#using(() =>
      this.#inTurn(() => (names === undefined ? this.#readAll() : this.#readNamed(names))),
    );
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#mustBeOpen();
    const answer = await this.#using(async () => (await this.#inTurn(() => this.#postBatch(batch))).answer);
    if (answer.kind !== 'durable') throw this.#oddAnswer();
    return { refused: answer.refused };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    await this.#using(async () => {
      await this.#inTurn(() => this.#ask({ kind: 'close' }));
      await this.#ended;
    });
  }

  async #readAll(): Promise<unknown[]> {
    const records: unknown[] = [];
    for (let after: number | null = Number.MIN_SAFE_INTEGER; after !== null; ) {
      const answer: Answer = await this.#ask({ kind: 'page', after, limit: ROWS_PER_PAGE });
      after = this.#takePage(answer, records);
    }
    return records;
  }

  async #readNamed(names: readonly string[]): Promise<unknown[]> {
    const records: unknown[] = [];
    for (let from = 0; from < names.length; from += ROWS_PER_PAGE) {
      const some = names.slice(from, from + ROWS_PER_PAGE);
      this.#takePage(await this.#ask({ kind: 'named', names: some }), records);
    }
    return records;
  }

  #takePage(answer: Answer, records: unknown[]): number | null {
    if (answer.kind !== 'page') throw this.#oddAnswer();
    unpackPage(answer.answer.page, records);
    return answer.answer.next;
  }

  /** Resolves when all of the batch is posted; `answer` when it is durable. Wrapped, so that awaiting the one is not awaiting both. */
  async #postBatch(batch: Batch): Promise<{ readonly answer: Promise<Answer> }> {
    const id = ++this.#lastId;
    const answer = this.#answer(id);
    // It may be rejected while the rest is still being posted; the caller that waits for it gets the error then.
    answer.catch(() => {});
    try {
      await this.#postSheets(id, batch);
    } catch (error) {
      // A batch that cannot be packed or posted (a hole in a list, say): what is there of it must not be mixed with the next one.
      this.#pending.delete(id);
      this.#post({ kind: 'abandon', id });
      throw error;
    }
    return { answer };
  }

  async #postSheets(id: number, batch: Batch): Promise<void> {
    let sheets: Sheet[] = [];
    let rows = 0;
    for (const sheet of sheetsOf(batch, ROWS_PER_MESSAGE)) {
      if (rows + sheet.count > ROWS_PER_MESSAGE) {
        this.#post({ kind: 'write', id, sheets, last: false });
        [sheets, rows] = [[], 0];
        await nextRound();
      }
      sheets.push(sheet);
      rows += sheet.count;
    }
    this.#post({ kind: 'write', id, sheets, last: true });
  }

  #ask(question: Question): Promise<Answer> {
    const id = ++this.#lastId;
    const answer = this.#answer(id);
    this.#post({ ...question, id });
    return answer;
  }

  #answer(id: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'broken') reject(this.#brokenError());
      else this.#pending.set(id, { resolve, reject });
    });
  }

  #post(request: Request): void {
    this.#thread.postMessage(request);
  }

  #receive(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.kind === 'failed') pending?.reject(revive(answer.failure));
    else pending?.resolve(answer);
  }

  /** One request after the other, whatever becomes of each. */
  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(job);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #using<T>(job: () => Promise<T>): Promise<T> {
    if (++this.#users === 1) this.#thread.ref();
    try {
      return await job();
    } finally {
      if (--this.#users === 0) this.#thread.unref();
    }
  }

  /** The thread has ended. That is as it should be after `close`; at any other time its questions have no answer any more. */
  #break(error: unknown): void {
    this.#trouble ??= error;
    if (this.#state === 'closing' && this.#pending.size === 0) this.#state = 'closed';
    else if (this.#state !== 'closed') this.#state = 'broken';
    for (const { reject } of this.#pending.values()) reject(this.#brokenError());
    this.#pending.clear();
  }

  #oddAnswer(): StoreFailedError {
    return new StoreFailedError({ path: this.#path, reason: 'its thread answered something else' });
  }

  #brokenError(): StoreFailedError {
    const why = this.#trouble instanceof Error ? `: ${this.#trouble.message}` : '';
    return new StoreFailedError(
      { path: this.#path, reason: `its thread has died${why}; open the store again` },
      this.#trouble,
    );
  }

  #mustBeOpen(): void {
    if (this.#state === 'broken') throw this.#brokenError();
    if (this.#state !== 'open') throw new StoreClosedError({ path: this.#path });
  }
}
