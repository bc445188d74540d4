/**
 * A session: an instance that has joined, and its heartbeat.
 *
 *     joined ──beat every 2 s──▶ joined ──close──▶ left
 *        │ a beat or a commit finds no row of this instance: somebody has declared it dead
 *        ▼
 *      lost: nothing is written any more (K4)
 *
 * Everything that is asked is done one after the other, in the order of the calls. Only the heartbeat goes its own way, on a connection of
 * its own: a long commit must not cost the lease. A beat that fails is tried again at the next one. If the database is away for longer than
 * the lease, no other instance can declare this one dead meanwhile, and none may do so right after (`store/cluster/rows.ts`).
 */
import type { TaskRecord } from '../../core/record.ts';
import { Ends, Starts } from '../../core/rows.ts';
import { StoreClosedError, StoreLostError } from '../errors.ts';
import type { Batch, CommitResult, Many, SharedSession, StoreSession } from '../port.ts';
import type { Heartbeat } from '../sharing/heartbeat.ts';
import { SharedView } from '../sharing/shared-view.ts';
import { type CompletingStore, TransactionEnds } from '../sharing/transaction-ends.ts';
import { Absent, overlaps, refusedOf, writeRuns } from './commit.ts';
import { completeRun, outcomeOf } from './complete.ts';
import type { Database } from './database.ts';
import { type Ask, arrayOf } from './driver.ts';
import { type BeatingParts, heartbeatOf } from './heartbeat.ts';
import { leave } from './members.ts';
import { labelsIn, namesIn } from './mentioned.ts';
import { NONE } from './migrations.ts';
import { isPlan, type WrittenPlan, writePlan } from './plan.ts';
import { recordsOf, selectRecords } from './records.ts';
import type { Scope } from './run-statements.ts';

const PAGE = 10_000;

export interface SessionParts extends Omit<BeatingParts, 'lost'> {
  /** Lets go of the connections. */
  release(): Promise<void>;
}

export class PostgresSession implements StoreSession {
  readonly sharing?: SharedSession;
  readonly #parts: SessionParts;
  #scope: Scope;
  readonly #heartbeat: Heartbeat;
  #last: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #lost: StoreLostError | undefined;
  /** The epoch of the records that were read last, and of the configurations that this instance goes by. */
  #readEpoch = 0;
  /** The number of the last request. */
  #sent = 0;
  #epoch = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#scope = parts.scope;
    this.#heartbeat = heartbeatOf({ ...parts, lost: () => this.#lose() });
    if (parts.sharing !== undefined) this.sharing = this.#shared(this.#heartbeat);
  }

  /** Resolves after the first heartbeat: from then on the time is known, and who else is there. */
  begin(): Promise<void> {
    return this.#heartbeat.begin();
  }

  read(names?: readonly string[]): Promise<readonly unknown[]> {
    return this.#inOrder(async ({ ask }, scope) => {
      if (names === undefined) return this.#records(ask, 'true');
      await scope.names.find(ask, names, 'leave out');
      const ids = new Set(names.map((name) => scope.names.id(name)));
      return this.#records(ask, 's.id = ANY ($1::int[])', arrayOf(ids));
    });
  }

  async *readPages(): AsyncGenerator<readonly unknown[]> {
    this.#readEpoch = await this.#inOrder(async ({ ask }, { schema }) => {
      const [[epoch]] = await ask(`SELECT epoch FROM ${schema}.meta`);
      return Number(epoch);
    });
    for (let last = 0; ; ) {
      const page = await this.#inOrder(({ ask }) => this.#page(ask, last));
      if (page === undefined) return;
      yield page.records;
      last = page.end;
    }
  }

  async #page(ask: Ask, after: number): Promise<{ records: readonly TaskRecord[]; end: number } | undefined> {
    const { schema } = this.#scope;
    const [[highest]] = await ask(
      `SELECT max(id) FROM (SELECT id FROM ${schema}.state WHERE id > $1::int ORDER BY id LIMIT ${PAGE}) AS page`,
      [after],
    );
    if (highest === null) return undefined;
    const end = Number(highest);
    return { records: await this.#records(ask, `s.id > ${after} AND s.id <= ${end}`), end };
  }

  async #records(ask: Ask, where: string, ...values: readonly string[]): Promise<readonly TaskRecord[]> {
    const scope = this.#scope;
    return recordsOf(ask, await ask(selectRecords(scope.schema, where), values), scope);
  }

  timeZone(): Promise<string | undefined> {
    return this.#inOrder(async ({ ask }, { schema }) => {
      const [[timeZone]] = await ask(`SELECT time_zone FROM ${schema}.meta`);
      return timeZone ?? undefined;
    });
  }

  enroll(names: Many<string>, changed?: ReadonlyMap<number, string>): Promise<void> {
    const { enrolled: before } = this.#scope;
    return this.#inOrder(async ({ ask }, scope) => {
      if (changed === undefined || before === undefined) {
        await scope.names.find(ask, names, 'leave out');
        this.#scope = { ...scope, enrolled: Int32Array.from(names, (name) => scope.names.id(name)) };
        return;
      }
      // While the numbers are not known, each task is found by its name.
      this.#scope = { ...scope, enrolled: undefined };
      await scope.names.find(ask, [...changed.values()], 'leave out');
      const enrolled = new Int32Array(names.length);
      enrolled.set(before.subarray(0, names.length));
      for (const [task, name] of changed) enrolled[task] = scope.names.id(name);
      this.#scope = { ...scope, enrolled };
    }).catch((error: unknown) => {
      if (changed === undefined) throw error;
    });
  }

  commit(given: Batch): Promise<CommitResult> {
    return this.#inOrder(async (database, scope) => {
      const batch = listed(given);
      await this.#lookUp(batch);
      if (isPlan(batch) || overlaps(batch, scope)) {
        const written = await this.#writePlan(batch);
        if (written === 'stale') return { refused: [] };
        const { refused, firstVersion } = written;
        return { refused, firstVersion };
      }
      const request = { batch, epoch: this.#epoch, sent: ++this.#sent };
      const written = await writeRuns(database.ask, scope, request);
      return { refused: await refusedOf(database.ask, scope, batch, written) };
    });
  }

  async #lookUp(batch: Batch): Promise<void> {
    const { database } = this.#parts;
    const scope = this.#scope;
    await scope.names.find(database.ask, namesIn(batch, scope.enrolled), 'leave out');
    await scope.names.find(
      database.ask,
      Array.from(batch.puts ?? [], ({ name }) => name),
      'make',
    );
    await scope.labels.find(database.ask, labelsIn(batch), 'make');
  }

  async #writePlan(batch: Batch, list?: readonly string[]): Promise<WrittenPlan | 'stale'> {
    const { database } = this.#parts;
    const scope = this.#scope;
    const path = database.location;
    const request = { path, batch, sent: ++this.#sent };
    const planned =
      list === undefined ? { ...request, epoch: this.#epoch } : { ...request, epoch: this.#readEpoch, list };
    const written = await database.transaction((ask) => writePlan(ask, scope, planned));
    if (written !== 'stale') {
      this.#epoch = written.epoch;
      this.#heartbeat.epoch = written.epoch;
    }
    return written;
  }

  #shared(heartbeat: Heartbeat): SharedSession {
    const inOrder = <T>(work: (ask: Ask, scope: Scope) => Promise<T>): Promise<T> =>
      this.#inOrder(({ ask }, scope) => work(ask, scope));
    const now = (): number => heartbeat.clock.now();
    // On the connection of the user: nothing here waits for it.
    const complete: CompletingStore['complete'] = (client, end, began) =>
      completeRun(client, this.#scope, end, (id) =>
        began({ outcome: () => inOrder((ask, scope) => outcomeOf(ask, scope, end, id)) }),
      );
    const shared: SharedSession = {
      now,
      get members() {
        return heartbeat.members;
      },
      initialize: (batch, names) =>
        this.#inOrder(async ({ ask }, scope) => {
          await this.#lookUp(batch);
          await scope.names.find(ask, names, 'make');
          return this.#writePlan(batch, names);
        }),
      unserved: (dues) =>
        inOrder(async (ask, { names }) => {
          const sorted = dues.map(({ name, dueAt }) => [names.id(name), dueAt]).sort(([a], [b]) => a - b);
          return this.#records(
            ask,
            `s.id = ANY ($1::int[]) AND (s.run_label = 0 AND s.served_through < ($2::bigint[])[width_bucket(s.id, $1::int[])]
             OR s.run_cut_off_at <> ${NONE})`,
            arrayOf(sorted.map(([id]) => id)),
            arrayOf(sorted.map(([, dueAt]) => dueAt)),
          );
        }),
      leftBehind: () =>
        inOrder((ask) => this.#records(ask, `s.run_cut_off_at <> ${NONE} OR s.retry_until <> ${NONE}`)),
      view: (scheduler) => new SharedView(shared, (names) => this.read(names), scheduler),
      completions: (scheduler) => new TransactionEnds({ now, complete }, scheduler),
    };
    return shared;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { database, release } = this.#parts;
    await this.#last;
    await this.#heartbeat.stop();
    // If this fails the lease runs out, and the others take over then.
    if (this.#lost === undefined) await leave(database, this.#scope).catch(() => {});
    await release();
  }

  #inOrder<T>(work: (database: Database, scope: Scope) => Promise<T>): Promise<T> {
    const { database } = this.#parts;
    if (this.#closed !== undefined) return Promise.reject(new StoreClosedError({ path: database.location }));
    const done = this.#last.then(async () => {
      if (this.#lost !== undefined) throw this.#lost;
      try {
        return await work(database, this.#scope);
      } catch (error) {
        throw error instanceof Absent ? this.#lose() : error;
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  #lose(): StoreLostError {
    this.#lost ??= new StoreLostError({ path: this.#parts.database.location });
    return this.#lost;
  }
}

/** Starts and ends may be made as they are walked through, and they are walked through several times. A scheduler's rows stay what they are. */
const listed = (batch: Batch): Batch => ({
  ...batch,
  starts: batch.starts instanceof Starts ? batch.starts : [...(batch.starts ?? [])],
  ends: batch.ends instanceof Ends ? batch.ends : [...(batch.ends ?? [])],
});
