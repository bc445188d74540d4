/** What the PostgreSQL store says when it cannot work, what it makes in a database, and what it never says. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect as show } from 'node:util';
import { newRecord, startOf, withSession } from '../../../src/store/conformance-kit.ts';
import { inspect } from '../../../src/store/inspect.ts';
import type { Store } from '../../../src/store/port.ts';
import { Dictionary } from '../../../src/store/postgres/dictionary.ts';
import { type Ask, configOf, rowsOf } from '../../../src/store/postgres/driver.ts';
import { migrationSql, VERSION } from '../../../src/store/postgres/migrate.ts';
import { MIGRATIONS } from '../../../src/store/postgres/migrations.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { bytesOf, textOf } from '../../../src/store/postgres/texts.ts';
import { days, seconds } from '../../../src/time/duration.ts';
import { freshSchema, poolOn, type Server, startServer } from './server.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** How a store that cannot be opened says so. */
async function refusal(store: Store): Promise<Error> {
  try {
    await withSession(store, async () => {});
  } catch (error) {
    assert.ok(error instanceof Error);
    // G5: neither the message, nor any detail, nor any cause has the password.
    assert.ok(
      !show(error, { depth: 10, showHidden: true }).includes('secret-word'),
      show(error, { depth: 10 }),
    );
    return error;
  }
  throw new assert.AssertionError({ message: 'it was opened' });
}

test('G3 the lease is a duration, and a name that is none of ours is answered with ours', () => {
  const made = (options: object): unknown => postgres('postgres://db/app', options);
  assert.throws(() => made({ leaseMs: 6000 }), {
    name: 'TypeError',
    message: 'postgres has no option "leaseMs": write lease, which takes a duration such as seconds(5)',
  });
  assert.throws(() => made({ lease: '15s' }), /^TypeError: lease must be a duration, such as seconds\(5\)/);
  for (const lease of [999, days(2)])
    assert.throws(() => made({ lease }), /^RangeError: lease must be from a second to a day; got \d+ ms$/);
  assert.throws(() => made({ shema: 'x' }), /postgres has no option "shema": did you mean "schema"\?/);
  for (const lease of [1000, seconds(15), days(1)]) made({ lease });
});

describe('the schema', () => {
  test('is made when it is needed, once, also if many come at the same time', async () => {
    const schema = freshSchema();
    const stores = Array.from({ length: 8 }, () => postgres(server.url, { schema }));
    await Promise.all(
      stores.map((store) => store.open({ waitMs: 60_000 }).then((session) => session.close())),
    );
    const { rows } = await server.pool.query(`SELECT version FROM ${schema}.meta`);
    assert.deepEqual(rows, [{ version: VERSION }]);
  });

  test('is left alone with migrate: false, and the way out works', async () => {
    const schema = freshSchema();
    const store = postgres(server.url, { schema, migrate: false });
    const error = await refusal(store);
    assert.equal(error.name, 'PostgresNotMigratedError');
    assert.match(error.message, /migrationSql\(\)/);
    const { rows } = await server.pool.query('SELECT to_regnamespace($1) AS found', [schema]);
    assert.deepEqual(rows, [{ found: null }]);
    await server.pool.query(migrationSql({ schema }));
    await withSession(store, (session) => session.commit({ puts: [newRecord('a')] }));
  });

  test('is brought up to date from every earlier version, and keeps what it has', async () => {
    for (let version = 1; version < VERSION; version++) {
      const schema = freshSchema();
      const steps = MIGRATIONS.slice(0, version).map((step) => step.replaceAll('{schema}', schema));
      await server.pool.query(
        [`CREATE SCHEMA ${schema}`, ...steps, `UPDATE ${schema}.meta SET version = ${version}`].join(';'),
      );
      await server.pool.query(`UPDATE ${schema}.meta SET epoch = 7`);
      const store = postgres(server.url, { schema });
      await withSession(store, (session) => session.commit({ puts: [newRecord('a')] }));
      const { rows } = await server.pool.query(`SELECT version, epoch::int FROM ${schema}.meta`);
      assert.deepEqual(rows, [{ version: VERSION, epoch: 8 }]);
    }
  });

  test('E7 of a newer version is refused', async () => {
    const schema = freshSchema();
    await withSession(postgres(server.url, { schema }), async () => {});
    await server.pool.query(`UPDATE ${schema}.meta SET version = version + 1`);
    const error = await refusal(postgres(server.url, { schema }));
    assert.equal(error.name, 'StoreVersionError');
    const { version, newestVersion } = (await postgres(server.url, { schema }).inspect?.()) ?? {};
    assert.deepEqual([version, newestVersion], [VERSION + 1, VERSION]);
  });

  test('that is missing is named to who looks, with what makes it', async () => {
    const schema = freshSchema();
    await assert.rejects(
      async () => inspect(postgres(server.url, { schema })),
      (error: Error) => {
        assert.equal(error.name, 'StoreMissingError');
        assert.equal(Reflect.get(error, 'schema'), schema);
        assert.match(
          error.message,
          new RegExp(`has no schema "${schema}": nothing has run in it yet.* "obbligato run" makes it$`),
        );
        return true;
      },
    );
  });

  test('needs few privileges once it is there, and says which if they are missing', async () => {
    const schema = freshSchema();
    const user = `user_${schema}`;
    await withSession(postgres(server.url, { schema }), async () => {});
    await server.pool.query(`CREATE USER ${user} PASSWORD 'secret-word'`);
    const url = server.url.replace('postgres:secret-word', `${user}:secret-word`);
    const error = await refusal(postgres(url, { schema }));
    assert.equal(error.name, 'PostgresPrivilegeError');
    assert.match(error.message, /USAGE on the schema/);
    await server.pool.query(
      `GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${user};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
    );
    const store = postgres(url, { schema });
    await withSession(store, async (session) => {
      await session.commit({ puts: [newRecord('a')], starts: [startOf('a')] });
      assert.equal((await session.read()).length, 1);
    });
    assert.equal((await inspect(store)).records.length, 1);
    const another = await refusal(postgres(url, { schema: freshSchema() }));
    assert.equal(another.name, 'PostgresPrivilegeError');
  });
});

describe('a database that cannot be used', () => {
  test('that nobody serves', async () => {
    const error = await refusal(postgres('postgres://me:secret-word@127.0.0.1:1/there'));
    assert.equal(error.name, 'PostgresUnreachableError');
    assert.match(error.message, /postgres:\/\/me@127\.0\.0\.1:1\/there" cannot be reached \(.*ECONNREFUSED/);
  });

  test('that is not there, or knows another password', async () => {
    for (const url of [
      server.url.replace(/\/postgres$/, '/nowhere'),
      server.url.replace('secret', 'secret-word-'),
    ])
      assert.equal((await refusal(postgres(url))).name, 'PostgresUnreachableError');
  });

  test('G5 whose connection string makes no sense is not repeated', () => {
    for (const wrong of ['postgres://me:secret-word@[', 'me:secret-word@host', 7, {}, undefined])
      assert.throws(
        () => postgres(wrong as string),
        (error: Error) => error.name === 'StorePathError' && !show(error).includes('secret-word'),
      );
    assert.throws(() => postgres(server.url, { schema: '' }), TypeError);
    assert.throws(() => postgres(server.url, { schema: 'x'.repeat(64) }), TypeError);
  });

  test('whose encoding cannot hold every text', async () => {
    await server.pool.query(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
    const error = await refusal(postgres(server.url.replace(/\/postgres$/, '/latin')));
    assert.equal(error.name, 'PostgresUnfitError');
    assert.match(error.message, /its encoding is LATIN1/);
  });
});

describe('a pool of the user', () => {
  test('is used as it is, whatever parsers it has, and stays open', async () => {
    const schema = freshSchema();
    const pool = poolOn(server.url, { max: 2, types: { getTypeParser: () => () => 'nonsense' } });
    const store = postgres(pool, { schema });
    assert.ok(!store.location.includes('secret-word'));
    await withSession(store, async (session) => {
      await session.commit({ puts: [newRecord('a')] });
      assert.deepEqual(await session.read(), [newRecord('a')]);
    });
    assert.equal((await pool.query('SELECT 1 AS one')).rows.length, 1);
    await pool.end();
  });
});

test('no statement has a name, so that a pooler may hand each transaction to another connection', async () => {
  const schema = freshSchema();
  const pool = poolOn(server.url, { max: 2 });
  await withSession(postgres(pool, { schema }), async (session) => {
    await session.commit({ puts: [newRecord('a')], starts: [startOf('a')] });
    const { rows } = await pool.query('SELECT name FROM pg_prepared_statements');
    assert.deepEqual(rows, []);
  });
  await pool.end();
});

test('names are bytes and come back as they were, also half of a surrogate pair', () => {
  for (const name of [
    '',
    'a',
    'ü',
    '\ufeffx',
    '🎻',
    '\ud83c',
    'a\udfbbb\ud83c\ud83cc',
    '\ud7ff\ue000',
    '\udfbb\ud83c',
  ])
    assert.equal(textOf(bytesOf(name)), name);
  const halves = ['\ud83c', '\udfbb', '\ufffd', '🎻'].map((name) => bytesOf(name).toString('hex'));
  assert.equal(new Set(halves).size, 4);
});

test('texts are numbered in their order, and two who number the same ones in other orders do not deadlock', async () => {
  const schema = freshSchema();
  await withSession(postgres(server.url, { schema }), async () => {});
  const texts = Array.from({ length: 500 }, (_, index) => `text ${index}`);
  const ask: Ask = async (text, values = []) => rowsOf(await server.pool.query(configOf(text, values)));
  for (const round of ['a', 'b', 'c', 'd', 'e']) {
    const own = texts.map((text) => `${round} ${text}`);
    const orders = [own, own.toReversed(), own.toSorted(), [...own.slice(250), ...own.slice(0, 250)]];
    await Promise.all(orders.map((each) => new Dictionary(schema, 'name').find(ask, each, 'make')));
  }
  const first = new Dictionary(schema, 'name');
  await first.find(ask, texts, 'make');
  const ids = texts.map((text) => first.id(text));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(ids).size, texts.length);
});
