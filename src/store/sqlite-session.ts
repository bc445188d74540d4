/**
 * A session of a file, on the main thread: it packs batches, and unpacks pages of records.
 *
 * A scheduler's starts and ends name their tasks by number, and the store has numbers of its own. `enroll` brings them together: the
 * session remembers the numbers of the records that it has read or put, and asks the thread for those that it does not know.
 */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { RunNames } from '../core/run-names.ts';
import { unpackPage } from './page.ts';
import type { Batch, CommitResult, Many, StoreSession } from './port.ts';
import { type Channel, expected } from './sqlite-channel.ts';
import { KnownIds } from './sqlite-ids.ts';
import type { PageAnswer } from './sqlite-read.ts';
import type { Answer } from './sqlite-thread.ts';
import { type Enrolled, type Sheet, sheetsOf, transferOf } from './wire.ts';

/** Rows a message: few enough that the main thread packs a batch or unpacks a page in some milliseconds. */
const ROWS_PER_MESSAGE = 5000;
const ROWS_PER_PAGE = 2500;
/** A change that crosses as an object takes as long as so many rows of numbers. */
const ROWS_PER_OBJECT = 8;

export class SqliteSession implements StoreSession {
  readonly #channel: Channel;
  readonly #known = new KnownIds();
  #ids: Float64Array | undefined;
  #lists = new WeakMap<RunNames, { readonly list: number; sent: number }>();
  #lastList = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  async read(names?: readonly string[]): Promise<readonly unknown[]> {
    this.#channel.mustBeOpen();
    const records: unknown[] = [];
    if (names === undefined) {
      for await (const page of this.readPages()) for (const record of page) records.push(record);
      return records;
    }
    return this.#channel.using(() =>
      this.#channel.inTurn(async () => {
        for (let from = 0; from < names.length; from += ROWS_PER_PAGE) {
          const some = names.slice(from, from + ROWS_PER_PAGE);
          const { answer } = await this.#channel.ask({ kind: 'named', names: some }, 'page');
          unpackPage(answer.page, records);
        }
        return records;
      }),
    );
  }

  /** All records. It has the turn until the last page is in, or the walk ends early. */
  async *readPages(): AsyncGenerator<readonly unknown[]> {
    this.#channel.mustBeOpen();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const turn = this.#channel.using(() =>
      this.#channel.inTurn(() => {
        begin();
        return over;
      }),
    );
    try {
      await begun;
      yield* this.#pages();
    } finally {
      end();
      await turn;
    }
  }

  /** While a page is looked at, the thread reads the next one. */
  async *#pages(): AsyncGenerator<readonly unknown[]> {
    const ask = (after: number) => {
      const page = this.#channel.ask({ kind: 'page', after, limit: ROWS_PER_PAGE }, 'page');
      page.catch(() => {}); // It is awaited below, unless the walk ends before.
      return page;
    };
    let coming: ReturnType<typeof ask> | undefined = ask(Number.MIN_SAFE_INTEGER);
    while (coming !== undefined) {
      const { page, ids, next }: PageAnswer = (await coming).answer;
      coming = next === null ? undefined : ask(next);
      this.#known.add(page.names, ids);
      const records: unknown[] = [];
      unpackPage(page, records);
      yield records;
    }
  }

  async enroll(names: Many<string>): Promise<void> {
    this.#channel.mustBeOpen();
    this.#ids = await this.#known.take(names, async (unknown) => {
      const { ids } = await this.#channel.using(() =>
        this.#channel.inTurn(() => this.#channel.ask({ kind: 'ids', names: unknown }, 'ids')),
      );
      return ids;
    });
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#channel.mustBeOpen();
    return this.#channel.using(async () => {
      const { answer, put } = await this.#channel.inTurn(() => this.#postBatch(batch));
      const { refused, ids } = expected(await answer, 'durable', this.#channel.path);
      this.#known.forget(batch.removes ?? []);
      this.#known.add(put, ids);
      return { refused };
    });
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  /** Resolves when all of the batch is posted; `answer` when it is durable. Wrapped, so that awaiting the one is not awaiting both. */
  async #postBatch(batch: Batch): Promise<{ readonly answer: Promise<Answer>; readonly put: string[] }> {
    const { id, answer } = this.#channel.newRequest();
    const put: string[] = [];
    try {
      await this.#postSheets(id, batch, put);
    } catch (error) {
      // A batch that cannot be packed or posted (a hole in a list, say): what is there of it must not be mixed with the next one.
      this.#channel.abandon(id);
      this.#lists = new WeakMap();
      throw error;
    }
    return { answer, put };
  }

  async #postSheets(id: number, batch: Batch, put: string[]): Promise<void> {
    const enrolled: Enrolled = { ids: this.#ids, newNames: (names) => this.#newNames(names) };
    let sheets: Sheet[] = [];
    let rows = 0;
    for (const sheet of sheetsOf(batch, ROWS_PER_MESSAGE, enrolled)) {
      const size = sheet.kind === 'changes' ? sheet.count * ROWS_PER_OBJECT : sheet.count;
      if (rows > 0 && rows + size > ROWS_PER_MESSAGE) {
        this.#channel.post({ kind: 'write', id, sheets, last: false }, sheets.flatMap(transferOf));
        [sheets, rows] = [[], 0];
        await nextRound();
      }
      sheets.push(sheet);
      rows += size;
      if (sheet.kind === 'fresh') for (const name of sheet.names) put.push(name);
      else if (sheet.kind === 'changes' && sheet.part === 'puts')
        for (const { name } of sheet.changes) put.push(name);
    }
    this.#channel.post({ kind: 'write', id, sheets, last: true }, sheets.flatMap(transferOf));
  }

  #newNames(runNames: RunNames): { readonly list: number; readonly names: readonly string[] } {
    const known = this.#lists.get(runNames) ?? { list: ++this.#lastList, sent: 0 };
    this.#lists.set(runNames, known);
    const names = runNames.size === known.sent ? [] : runNames.from(known.sent);
    known.sent = runNames.size;
    return { list: known.list, names };
  }
}
