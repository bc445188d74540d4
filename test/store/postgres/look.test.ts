/** Looks at a PostgreSQL store again and again: each is what a first look would find, and reads only what has changed. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { newRecord, startOf, successOf } from '../../../src/store/conformance-kit.ts';
import { type Inspection, inspect } from '../../../src/store/inspect.ts';
import type { Batch, Store, StoreSession } from '../../../src/store/port.ts';
import type { QueryConfig } from '../../../src/store/postgres/driver.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { freshSchema, type Server, startServer } from './server.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const TASKS = 300;
const nameOf = (index: number): string => `task ${index}`;

/** A store with some tasks, its owner, and somebody who looks. */
class Watched {
  readonly schema = freshSchema();
  readonly session: StoreSession;
  readonly #looker: Store;
  /** How many rows of records the last look has read. */
  rows = 0;
  #last: Inspection | 'the beginning' = 'the beginning';

  private constructor(schema: string, session: StoreSession, looker: (counted: Watched) => Store) {
    this.schema = schema;
    this.session = session;
    this.#looker = looker(this);
  }

  static async begin(t: TestContext): Promise<Watched> {
    const schema = freshSchema();
    const session = await postgres(server.url, { schema }).open({ waitMs: 0 });
    t.after(() => session.close());
    await session.commit({ puts: Array.from({ length: TASKS }, (_, index) => newRecord(nameOf(index))) });
    const watched = new Watched(schema, session, (counted) => counted.#storeOf(schema));
    await watched.look();
    assert.equal(watched.rows, TASKS, 'the first look reads all');
    return watched;
  }

  /** A pool that counts the rows of records. */
  #storeOf(schema: string): Store {
    const count = async (answer: Promise<pg.QueryResult>): Promise<pg.QueryResult> => {
      const result = await answer;
      // A message of several statements has a list of results, none of them with records.
      if (Array.isArray(result)) return result[0];
      const { rows } = result;
      const isOfRecords = rows.length > 0 && Array.isArray(rows[0]) && rows[0].length > 20;
      if (isOfRecords) this.rows += rows.length;
      return result;
    };
    return postgres(
      {
        query: (config: QueryConfig) => count(server.pool.query(config)),
        async connect() {
          const client = await server.pool.connect();
          return {
            query: (config: QueryConfig) => count(client.query(config)),
            release: (destroy?: boolean) => client.release(destroy),
          };
        },
        end: async () => {},
      },
      { schema },
    );
  }

  /** Looks again; answers which records are other objects than before. Fails unless it is what a first look finds. */
  async look(): Promise<readonly string[]> {
    this.rows = 0;
    const former = this.#last;
    const found = await inspect(this.#looker, { since: former });
    const rows = this.rows;
    this.#last = found;
    const whole = await inspect(postgres(server.url, { schema: this.schema }));
    assert.deepEqual(found.records, whole.records);
    assert.deepEqual(found.damaged, whole.damaged);
    assert.deepEqual([found.requests, whole.requests], [[], []]);
    this.rows = rows;
    const kept = new Set(former === 'the beginning' ? [] : former.records);
    return found.records.filter((record) => !kept.has(record)).map(({ name }) => name);
  }

  /** What was written while another transaction of the server was open, such as a heartbeat, may come twice. */
  hasReadFew(most: number): void {
    assert.ok(this.rows <= most, `${this.rows} rows were read`);
  }
}

describe('a look at a PostgreSQL store after another', () => {
  test('reads what has changed since, and nothing else', async (t) => {
    const watched = await Watched.begin(t);
    const [a, b] = [nameOf(7), nameOf(TASKS - 1)];
    const changes: ReadonlyArray<readonly [batch: Batch, changed: readonly string[]]> = [
      [{}, []],
      [{ starts: [startOf(a)] }, [a]],
      [{ ends: [successOf(a, 1)] }, [a]],
      [{ pauses: [{ name: b, pausedAt: 7 }], starts: [startOf(a, 2)] }, [a, b]],
      [{}, []],
    ];
    for (const [batch, changed] of changes) {
      await watched.session.commit(batch);
      const found = await watched.look();
      for (const name of changed) assert.ok(found.includes(name), name);
      watched.hasReadFew(2);
    }
  });

  test('finds names that come and go, and configurations that change', async (t) => {
    const watched = await Watched.begin(t);
    const name = nameOf(3);
    const batches: readonly Batch[] = [
      { configures: [{ name, version: 1, cron: '9 9 * * *', retryDelayMs: 9, policy: null }] },
      { removes: [nameOf(1)] },
      { puts: [newRecord('another'), newRecord(name, { lastDurationMs: 5 })], removes: [nameOf(2)] },
      { removes: [nameOf(4)], puts: [newRecord(nameOf(4), { cron: '1 1 * * *' })] },
    ];
    for (const batch of batches) {
      await watched.session.commit(batch);
      await watched.look();
      await watched.look();
      watched.hasReadFew(3);
    }
  });

  test('finds what another program has deleted, inserted or changed', async (t) => {
    const watched = await Watched.begin(t);
    const state = `${watched.schema}.state`;
    for (const statement of [
      `DELETE FROM ${state} WHERE id = (SELECT max(id) FROM ${state})`,
      `WITH gone AS (DELETE FROM ${state} WHERE id = (SELECT max(id) FROM ${state}) RETURNING id)
       INSERT INTO ${state} (id, served_through) SELECT id + 1, 5 FROM gone`,
      `UPDATE ${state} SET failures = 3 WHERE id = (SELECT min(id) FROM ${state})`,
    ]) {
      await server.pool.query(statement);
      await watched.look();
      await watched.look();
      watched.hasReadFew(1);
    }
  });

  for (const within of ['the transaction', 'a savepoint'])
    test(`finds what was written in ${within} before a look, and committed after it`, async (t) => {
      const watched = await Watched.begin(t);
      const client = new pg.Client(server.url);
      await client.connect();
      t.after(() => client.end());
      const write = (index: number): Promise<unknown> =>
        client.query(
          `UPDATE ${watched.schema}.state SET failures = failures + 1
           WHERE id = (SELECT id FROM ${watched.schema}.name WHERE name = convert_to($1, 'UTF8'))`,
          [nameOf(index)],
        );
      await client.query('BEGIN');
      // The transaction has a number from here on, and its savepoint has a later one.
      await write(1);
      if (within === 'a savepoint') await client.query('SAVEPOINT later');
      await write(2);
      // Others come and go meanwhile.
      await watched.session.commit({ starts: [startOf(nameOf(9))] });
      await watched.look();
      await watched.session.commit({ ends: [successOf(nameOf(9), 1)] });
      await watched.look();
      await client.query('COMMIT');
      const found = await watched.look();
      assert.ok(found.includes(nameOf(1)) && found.includes(nameOf(2)), `${found}`);
      watched.hasReadFew(3);
    });
});
