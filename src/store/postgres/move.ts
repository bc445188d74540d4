/**
 * Moves all records and the history of a store into an empty schema of a PostgreSQL database.
 *
 *     the source is owned ──▶ one transaction of the target: make the schema ──▶ copy ──▶ read back and compare ──▶ COMMIT
 *                                                              │ anything fails, or it is interrupted
 *                                                              ▼
 *                                                    the target is as it was
 *
 * Why nothing is lost or doubled: no scheduler runs on the source while this owns it. None joins the target, since joining waits for the row
 * `meta`, which the transaction holds; a schema that this transaction makes is not seen by anybody else. What is committed was compared
 * with the source, record by record and run by run. The source stays as it is.
 *
 * A run that the source shows as unfinished is of a process that is dead, as the ownership proves (E6). In a cluster a current run belongs to an instance that
 * is present, so such a run is cut off in the copy, as the next `initialize` on the source would have done.
 */
import assert from 'node:assert/strict';
import type { PastRun } from '../../core/history.ts';
import type { TaskRecord } from '../../core/record.ts';
import { OUTCOMES, REASONS } from '../../core/rows.ts';
import { splitRunName } from '../../core/run-names.ts';
import { StoreFailedError, StoreMissingError } from '../errors.ts';
import type { Store } from '../port.ts';
import { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';
import type { Ask, Param, Pool } from './driver.ts';
import { PostgresOccupiedError } from './errors.ts';
import { migrateWithin } from './migrate.ts';
import { type Content, contentOf } from './move-source.ts';
import { KEEP_ALL, readPast } from './past.ts';
import { put } from './put-records.ts';
import { markEpoch } from './record-statements.ts';
import { labelsOf, numbersOf, recordsOf, selectRecords } from './records.ts';
import type { Scope } from './run-statements.ts';
import { quotedSchema, targetOf } from './target.ts';

/** Runs of the past per statement. */
const MOST = 2000;

/** How to move a store. */
export interface MoveOptions {
  /** The schema that it is moved into; `obbligato` by default. */
  readonly schema?: string;
  /** Called as it goes on. Each run is counted twice: when it is copied, and when it is compared. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends it; the target is as it was. */
  readonly signal?: AbortSignal;
}

/** What was moved. */
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly tasks: number;
  /** Runs of the past. */
  readonly runs: number;
  /** How many runs of a dead process were cut off. */
  readonly cutOff: number;
}

/**
 * Moves the records and the history of a store into a PostgreSQL database. It rejects if a scheduler runs on either, or the target has
 * anything; then, and if it is interrupted, the target is as it was. The source stays as it is: start no scheduler on it any more.
 */
export async function moveStore(
  from: Store,
  to: string | URL | Pool,
  options: MoveOptions = {},
): Promise<Moved> {
  const { schema = 'obbligato' } = options;
  const database = new Database(targetOf(to, schema));
  // Asked first: opening would make a store that is not there.
  if ((await from.inspect?.()) === undefined) throw new StoreMissingError({ path: from.location });
  const source = await from.open({ waitMs: 0, history: KEEP_ALL });
  try {
    const content = await contentOf(from, await source.read());
    const quoted = quotedSchema(schema);
    const path = database.location;
    await database.using(() =>
      database.transaction(async (ask) => {
        const copy = new Copy(ask, quoted, path, content, options);
        await copy.begin();
        await copy.write();
        await copy.compare().catch((error: unknown) => {
          if (!(error instanceof assert.AssertionError)) throw error;
          throw new StoreFailedError({ path, reason: `the copy differs from "${from.location}"` }, error);
        });
      }),
    );
    const { records, runs, cutOff } = content;
    return { from: from.location, to: path, tasks: records.length, runs, cutOff: cutOff.length };
  } finally {
    await source.close();
  }
}

class Copy {
  readonly #ask: Ask;
  readonly #scope: Scope;
  readonly #path: string;
  readonly #content: Content;
  readonly #options: MoveOptions;
  #done = 0;

  constructor(ask: Ask, schema: string, path: string, content: Content, options: MoveOptions) {
    this.#ask = ask;
    this.#path = path;
    this.#content = content;
    this.#options = options;
    const dictionaries = { names: new Dictionary(schema, 'name'), labels: new Dictionary(schema, 'label') };
    this.#scope = { schema, ...dictionaries, me: 0, isAlone: true, keepsHistory: true };
  }

  /** The schema is there, empty, and nobody joins. */
  async begin(): Promise<void> {
    const { schema } = this.#scope;
    const ask = this.#ask;
    await migrateWithin(ask, schema, this.#path);
    await ask(`SELECT epoch FROM ${schema}.meta FOR UPDATE`);
    const [[members, tasks, runs]] = await ask(
      `SELECT (SELECT count(*) FROM ${schema}.member), (SELECT count(*) FROM ${schema}.state), (SELECT count(*) FROM ${schema}.run)`,
    );
    const found = { members: Number(members), tasks: Number(tasks), runs: Number(runs) };
    if (found.members + found.tasks + found.runs > 0)
      throw new PostgresOccupiedError({ path: this.#path, ...found });
  }

  async write(): Promise<void> {
    const { names, labels } = this.#scope;
    const { records } = this.#content;
    await names.find(
      this.#ask,
      records.map(({ name }) => name),
      'make',
    );
    await labels.find(
      this.#ask,
      records.flatMap(({ work, run }) => labelsOf(work, run)),
      'make',
    );
    await put(this.#ask, this.#scope, records, 'all', ({ version }) => version);
    // What was forgotten there is not known here, but no claim of there comes here.
    const highest = records.reduce((most, { version }) => Math.max(most, version), 0);
    await this.#ask(`UPDATE ${this.#scope.schema}.meta SET forgotten_version = $1::bigint`, [highest]);
    await markEpoch(
      this.#ask,
      this.#scope,
      records.map(({ name }) => names.id(name)),
      1,
    );
    await this.#ask(`UPDATE ${this.#scope.schema}.meta SET epoch = 1`);
    this.#advance(records.length);
    await this.#writePast();
  }

  async #writePast(): Promise<void> {
    const { runs } = this.#content;
    // The history is read from its end, so the numbers are taken first: the last run gets the highest one.
    const sequence = `pg_get_serial_sequence('${this.#scope.schema.replaceAll("'", "''")}.run', 'seq')`;
    const [[last]] = await this.#ask(`SELECT max(nextval(${sequence})) FROM generate_series(1, $1::int)`, [
      runs,
    ]);
    let seq = Number(last);
    let some: PastRun[] = [];
    const write = async (): Promise<void> => {
      await this.#insertPast(some, seq);
      seq -= some.length;
      this.#advance(some.length);
      some = [];
    };
    for await (const run of this.#content.history()) {
      some.push(run);
      if (some.length === MOST) await write();
    }
    await write();
  }

  async #insertPast(runs: readonly PastRun[], lastSeq: number): Promise<void> {
    const { schema, names, labels } = this.#scope;
    await names.find(
      this.#ask,
      runs.map(({ task }) => task),
      'make',
    );
    await labels.find(
      this.#ask,
      runs.flatMap(({ runId, key, instanceId }) => [
        splitRunName(runId).instance,
        splitRunName(key).instance,
        instanceId,
      ]),
      'make',
    );
    const rows = runs.map((run, place): Param[] => [
      lastSeq - place,
      names.id(run.task),
      ...numbersOf(run.runId, labels),
      ...numbersOf(run.key, labels),
      labels.id(run.instanceId),
      REASONS.indexOf(run.reason),
      run.scheduledFor,
      run.attempt,
      run.calledAt,
      run.endedAt,
      OUTCOMES.indexOf(run.outcome),
      run.error && JSON.stringify(run.error),
    ]);
    const numbers = Array.from({ length: 13 }, (_, place) => `(v->>${place})::bigint`);
    await this.#ask(
      `INSERT INTO ${schema}.run (seq, task, run_label, run_count, key_label, key_count, run_instance, reason, scheduled_for, attempt,
       called_at, ended_at, outcome, error) OVERRIDING SYSTEM VALUE
       SELECT ${numbers.join()}, v->>13 FROM jsonb_array_elements($1::jsonb) AS v`,
      [JSON.stringify(rows)],
    );
  }

  /** Rejects unless the target has what the source has, as it reads it. */
  async compare(): Promise<void> {
    const { schema } = this.#scope;
    const dictionaries = { names: new Dictionary(schema, 'name'), labels: new Dictionary(schema, 'label') };
    const rows = await this.#ask(selectRecords(schema));
    const copied = new Map<string, TaskRecord>();
    for (const record of await recordsOf(this.#ask, rows, dictionaries)) copied.set(record.name, record);
    assert.equal(copied.size, this.#content.records.length, 'the number of records');
    for (const record of this.#content.records) assert.deepEqual(copied.get(record.name), record);
    const past = readPast(this.#ask, schema, dictionaries, {});
    for await (const run of this.#content.history()) {
      assert.deepEqual((await past.next()).value, run);
      this.#advance(1);
    }
    assert.equal((await past.next()).done, true, 'the number of runs');
  }

  #advance(by: number): void {
    const { signal, onProgress } = this.#options;
    signal?.throwIfAborted();
    this.#done += by;
    onProgress?.(this.#done, this.#content.records.length + 2 * this.#content.runs);
  }
}
