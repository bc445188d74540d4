/**
 * A session of a file, on the main thread: it packs batches, and unpacks pages of records.
 *
 * A scheduler's starts and ends name their tasks by number, and the store has numbers of its own. `enroll` brings them together: the
 * session remembers the numbers of the records that it has read or put, and asks the thread for those that it does not know.
 */
import { setImmediate as nextRound } from 'node:timers/promises';
import { END_WIDTH } from '../core/rows.ts';
import type { RunNames } from '../core/run-names.ts';
import { unpackPage } from './page-records.ts';
import type { Batch, CommitResult, Many, Refusal, StoreSession } from './port.ts';
import { type Channel, expected } from './sqlite-channel.ts';
import { KnownIds } from './sqlite-ids.ts';
import type { Answer } from './sqlite-messages.ts';
import type { PageAnswer } from './sqlite-read.ts';
import { withRecords } from './sqlite-refused.ts';
import type { NumberedRefusal } from './sqlite-write.ts';
import { type Enrolled, type Sheet, sheetsOf, transferOf } from './wire.ts';

/** Rows a message: few enough that the main thread packs a batch or unpacks a page in some milliseconds. */
const ROWS_PER_MESSAGE = 5000;
const ROWS_PER_PAGE = 2500;
/** A change that crosses as an object takes as long as so many rows of numbers. */
const ROWS_PER_OBJECT = 8;

/** What a session speaks through. The channel may be another one at each look: a thread that died was replaced. */
export interface Line {
  /** Throws while there is none. */
  readonly channel: Channel;
  /** What whoever opened the file must hear of. */
  readonly warning?: string | undefined;
  close(): Promise<void>;
}

export class SqliteSession implements StoreSession {
  readonly #line: Line;
  readonly #known = new KnownIds();
  /** The numbers of the tasks that are enrolled. */
  #ids: Float64Array | undefined;
  #enrolled: Many<string> = [];
  /** Enrolled tasks whose numbers in the store are found before the next batch, by their numbers in the scheduler. */
  readonly #newcomers = new Map<number, string>();
  /** What the thread of a channel knows of lists of names. */
  readonly #lists = new WeakMap<Channel, WeakMap<RunNames, { readonly list: number; sent: number }>>();
  #lastList = 0;
  /**
   * Memory that both threads see, for the rows of batches to come. Memory that is handed over instead would be made anew for each batch, and
   * megabytes per second of it make the garbage collector of the other thread mark everything.
   */
  readonly #spareCells: Float64Array[] = [];

  constructor(line: Line) {
    this.#line = line;
  }

  get warning(): string | undefined {
    return this.#line.warning;
  }

  async read(names?: readonly string[]): Promise<readonly unknown[]> {
    const records: unknown[] = [];
    if (names === undefined) {
      for await (const page of this.readPages()) for (const record of page) records.push(record);
      return records;
    }
    const channel = this.#openChannel();
    return channel.using(() =>
      channel.inTurn(async () => {
        // Without a name too: the answer says that the store is there.
        for (let from = 0; from === 0 || from < names.length; from += ROWS_PER_PAGE) {
          const some = names.slice(from, from + ROWS_PER_PAGE);
          const { answer } = await channel.ask({ kind: 'named', names: some }, 'page');
          unpackPage(answer.page, records);
        }
        return records;
      }),
    );
  }

  /** All records. It has the turn until the last page is in, or the walk ends early. */
  async *readPages(ownName: (name: string) => string = (name) => name): AsyncGenerator<readonly unknown[]> {
    const channel = this.#openChannel();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const turn = channel.using(() =>
      channel.inTurn(() => {
        begin();
        return over;
      }),
    );
    try {
      await begun;
      yield* this.#pages(channel, ownName);
    } finally {
      end();
      await turn;
    }
  }

  /** While a page is looked at, the thread reads the next one. */
  async *#pages(channel: Channel, ownName: (name: string) => string): AsyncGenerator<readonly unknown[]> {
    const ask = (after: number) => {
      const page = channel.ask({ kind: 'page', after, limit: ROWS_PER_PAGE }, 'page');
      page.catch(() => {}); // It is awaited below, unless the walk ends before.
      return page;
    };
    let coming: ReturnType<typeof ask> | undefined = ask(Number.MIN_SAFE_INTEGER);
    while (coming !== undefined) {
      const { page, ids, next }: PageAnswer = (await coming).answer;
      coming = next === null ? undefined : ask(next);
      const names = page.names.map((name) => name && ownName(name));
      this.#known.add(names, ids);
      const records: unknown[] = [];
      unpackPage({ ...page, names }, records);
      yield records;
    }
  }

  /** The thread does not know the name of a number whose record is gone. */
  #named({ id, ...refusal }: NumberedRefusal): Refusal {
    if (refusal.name !== '') return refusal;
    const place = this.#ids?.indexOf(id) ?? -1;
    return { ...refusal, name: [...this.#enrolled][place] ?? '' };
  }

  async timeZone(): Promise<string | undefined> {
    const channel = this.#openChannel();
    const ask = () => channel.ask({ kind: 'timeZone' }, 'timeZone');
    return (await channel.using(() => channel.inTurn(ask))).timeZone;
  }

  async enroll(names: Many<string>, changed?: ReadonlyMap<number, string>): Promise<void> {
    this.#enrolled = names;
    if (changed === undefined || this.#ids === undefined) this.#ids = await this.#idsOf(names);
    else for (const [task, name] of changed) this.#newcomers.set(task, name);
  }

  #idsOf(names: Many<string>): Promise<Float64Array> {
    const channel = this.#openChannel();
    return this.#known.take(names, async (unknown) => {
      const { ids } = await channel.using(() =>
        channel.inTurn(() => channel.ask({ kind: 'ids', names: unknown }, 'ids')),
      );
      return ids;
    });
  }

  async #findNewcomers(): Promise<void> {
    const [tasks, names] = [[...this.#newcomers.keys()], [...this.#newcomers.values()]];
    const found = await this.#idsOf(names);
    this.#newcomers.clear();
    const before = this.#ids ?? new Float64Array();
    const count = tasks.reduce((most, task) => Math.max(most, task + 1), before.length);
    if (count > before.length) {
      this.#ids = new Float64Array(Math.max(count, 2 * before.length));
      this.#ids.set(before);
    }
    for (const [place, task] of tasks.entries()) if (this.#ids) this.#ids[task] = found[place];
  }

  async commit(batch: Batch): Promise<CommitResult> {
    const channel = this.#openChannel();
    return channel.using(async () => {
      if (this.#newcomers.size > 0) await this.#findNewcomers();
      const { answer, put, cells } = await channel.inTurn(() => this.#postBatch(channel, batch));
      const { refused, ids, records, firstVersion } = expected(await answer, 'durable', channel.path);
      // The thread has read them. After a failure nobody knows, and they are left to the garbage collector.
      this.#spareCells.push(...cells);
      this.#known.forget(batch.removes ?? []);
      this.#known.add(put, ids);
      const named = refused.map((refusal) => this.#named(refusal));
      return {
        refused: records === undefined ? named : withRecords(named, records),
        ...(firstVersion !== undefined && { firstVersion }),
      };
    });
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  #openChannel(): Channel {
    const { channel } = this.#line;
    channel.mustBeOpen();
    return channel;
  }

  /** Resolves when all of the batch is posted; `answer` when it is durable. Wrapped, so that awaiting the one is not awaiting both. */
  async #postBatch(
    channel: Channel,
    batch: Batch,
  ): Promise<{ readonly answer: Promise<Answer>; readonly put: string[]; readonly cells: Float64Array[] }> {
    const { id, answer } = channel.newRequest();
    const put: string[] = [];
    const cells: Float64Array[] = [];
    try {
      await this.#postSheets(channel, id, batch, put, cells);
    } catch (error) {
      // A batch that cannot be packed or posted (a hole in a list, say): what is there of it must not be mixed with the next one.
      channel.abandon(id);
      this.#lists.delete(channel);
      throw error;
    }
    return { answer, put, cells };
  }

  async #postSheets(
    channel: Channel,
    id: number,
    batch: Batch,
    put: string[],
    used: Float64Array[],
  ): Promise<void> {
    const enrolled: Enrolled = {
      ids: this.#ids,
      sharedCells: () => this.#cells(used),
      newNames: (names) => this.#newNames(channel, names),
    };
    let sheets: Sheet[] = [];
    let rows = 0;
    for (const sheet of sheetsOf(batch, ROWS_PER_MESSAGE, enrolled)) {
      const size = sheet.kind === 'changes' ? sheet.count * ROWS_PER_OBJECT : sheet.count;
      if (rows > 0 && rows + size > ROWS_PER_MESSAGE) {
        channel.post({ kind: 'write', id, sheets, last: false }, sheets.flatMap(transferOf));
        [sheets, rows] = [[], 0];
        await nextRound();
      }
      sheets.push(sheet);
      rows += size;
      if (sheet.kind === 'fresh') for (const name of sheet.names) put.push(name);
      else if (sheet.kind === 'changes' && sheet.part === 'puts')
        for (const { name } of sheet.changes) put.push(name);
    }
    channel.post({ kind: 'write', id, sheets, last: true }, sheets.flatMap(transferOf));
  }

  #cells(used: Float64Array[]): Float64Array {
    const bytes = ROWS_PER_MESSAGE * END_WIDTH * Float64Array.BYTES_PER_ELEMENT;
    const cells = this.#spareCells.pop() ?? new Float64Array(new SharedArrayBuffer(bytes));
    used.push(cells);
    return cells;
  }

  #newNames(
    channel: Channel,
    runNames: RunNames,
  ): { readonly list: number; readonly names: readonly string[] } {
    const lists = this.#lists.get(channel) ?? new WeakMap();
    this.#lists.set(channel, lists);
    const known = lists.get(runNames) ?? { list: ++this.#lastList, sent: 0 };
    lists.set(runNames, known);
    const names = runNames.size === known.sent ? [] : runNames.from(known.sent);
    known.sent = runNames.size;
    return { list: known.list, names };
  }
}
