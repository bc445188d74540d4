/** E7: schema versions, forward migration, and damaged rows handed over as they are. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { inspect, sqlite } from '../../src/store/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, versionOf } from '../../src/store/sqlite-schema.ts';
import { temporaryFolder } from './kit.ts';

const open = (path = ':memory:') => new (loadSqlite().DatabaseSync)(path);

describe('migration', () => {
  const first = "CREATE TABLE task (name TEXT) STRICT; INSERT INTO task VALUES ('kept')";
  const second = 'ALTER TABLE task ADD COLUMN colour TEXT';
  const third = "UPDATE task SET colour = 'red'";

  test('E7 an older file is brought up to date, step by step, each once', () => {
    const db = open();
    migrate(db, 'x', [first]);
    assert.equal(versionOf(db, 'x', [first, second, third]), 1);
    migrate(db, 'x', [first, second, third]);
    migrate(db, 'x', [first, second, third]);
    assert.equal(versionOf(db, 'x', [first, second, third]), 3);
    assert.deepEqual({ ...db.prepare('SELECT * FROM task').get() }, { name: 'kept', colour: 'red' });
    db.close();
  });

  test('E7 a migration that fails leaves the older version whole', () => {
    const db = open();
    migrate(db, 'x', [first]);
    assert.throws(() => migrate(db, 'x', [first, second, 'UPDATE missing SET x = 1']), /no such table/);
    assert.equal(db.isTransaction, false);
    assert.equal(versionOf(db, 'x'), 1);
    assert.deepEqual({ ...db.prepare('SELECT * FROM task').get() }, { name: 'kept' });
    db.close();
  });

  test('E7 a newer file is refused', () => {
    const db = open();
    migrate(db, 'x', [first, second]);
    assert.throws(() => migrate(db, 'x', [first]), { name: 'StoreVersionError', found: 2, supported: 1 });
    db.close();
  });

  test('E6 a file that another process is just making is either empty or a store, never something in between', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const maker = open(path);
    maker.exec('PRAGMA journal_mode = WAL');
    const looker = open(path);
    t.after(() => {
      maker.close();
      looker.close();
    });
    let looks = 0;
    const made = new Proxy(looker, {
      get(db, key) {
        const value: unknown = Reflect.get(db, key);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (key === 'prepare' && ++looks === 2) migrate(maker, path);
          return Reflect.apply(value, db, args);
        };
      },
    });
    assert.equal(versionOf(made, path), 0);
    assert.ok(looks >= 2);
    assert.equal(versionOf(looker, path), MIGRATIONS.length);
  });

  test('E7 a file of version 1 is looked at as it is, and copied before it is brought up to date', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'store.db');
    const db = open(path);
    migrate(db, path, MIGRATIONS.slice(0, 1));
    const columns = 'name, cron, retry_delay_ms, first_seen_at, served_through';
    db.exec(`
      INSERT INTO task (${columns}) VALUES ('"idle"', '0 6 * * *', 1000, 5, 6);
      INSERT INTO task (${columns}, work_key, work_scheduled_for, work_attempt, run_id, run_instance_id, run_started_at)
        VALUES ('"runs"', '0 6 * * *', 1000, 5, 6, 'k', 7, 2, 'r', 'i', 8);`);
    db.close();
    const config = { cron: '0 6 * * *', retryDelayMs: 1000, firstSeenAt: 5, servedThrough: 6 };
    const expected = [
      newRecord('idle', config),
      newRecord('runs', {
        ...config,
        work: { key: 'k', scheduledFor: 7, attempt: 2 },
        run: { runId: 'r', instanceId: 'i', startedAt: 8, reason: 'due', cutOffAt: null },
      }),
    ];
    const { version, newestVersion, records } = await inspect(path);
    assert.deepEqual(
      { version, newestVersion, records },
      { version: 1, newestVersion: 4, records: expected },
    );
    const session = await sqlite(path).open({ waitMs: 0 });
    assert.deepEqual(await session.read(), expected);
    await session.commit({ removes: ['idle'] });
    await session.close();
    assert.deepEqual((await inspect(path)).records, expected.slice(1));
    const copies = () => readdirSync(folder).filter((file) => /^store\.db\.backup-\d{8}T\d{6}Z$/.test(file));
    assert.equal(copies().length, 1);
    const copy = await inspect(join(folder, copies()[0]));
    assert.deepEqual([copy.version, copy.records], [1, expected]);
    await (await sqlite(path).open({ waitMs: 0 })).close();
    assert.equal(copies().length, 1, 'one copy is enough');
  });

  test('E7 a store on disk carries its mark and its version', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    await (await sqlite(path).open({ waitMs: 0 })).close();
    const db = open(path);
    assert.equal(db.prepare('PRAGMA application_id').get()?.application_id, APPLICATION_ID);
    assert.equal(versionOf(db, path), MIGRATIONS.length);
    assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
    db.close();
  });
});

describe('damaged rows', () => {
  /** The same table without its constraints, so that anything can be in it. */
  const lax = MIGRATIONS[0].replaceAll('NOT NULL', '').replace('STRICT', '').replaceAll('TEXT', 'BLOB');
  const insert = (path: string, columns: string, values: string): void => {
    const db = open(path);
    migrate(db, path, [lax]);
    db.exec(`INSERT INTO task (${columns}) VALUES (${values})`);
    db.close();
  };

  test('E7 come back as they are, for the scheduler to name', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    insert(path, 'name, cron, retry_delay_ms, first_seen_at', "'\"texts\"', 5, 'soon', x'00ff'");
    insert(path, 'name, served_through, work_attempt', '\'"partial"\', 1.5, 2');
    insert(path, 'name, served_through, run_instance_id', "'not JSON', 9223372036854775807, 'i'");
    insert(path, 'name, cron', "'[1]', NULL");
    insert(path, 'name, cron', "NULL, 'x'");
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('healthy')] });
    const empty = {
      cron: null,
      retryDelayMs: null,
      firstSeenAt: null,
      servedThrough: null,
      lastAttemptAt: null,
      lastSuccessAt: null,
      lastFailureAt: null,
      pendingRetryUntil: null,
      policy: null,
      pausedAt: null,
      failures: 0,
      failingSince: null,
      lastError: null,
      lastDurationMs: null,
      work: null,
      run: null,
      version: 1,
    };
    assert.deepEqual(await session.read(), [
      { ...empty, name: 'texts', cron: 5, retryDelayMs: 'soon', firstSeenAt: new Uint8Array([0, 255]) },
      { ...empty, name: 'partial', servedThrough: 1.5, work: { key: null, scheduledFor: null, attempt: 2 } },
      {
        ...empty,
        name: 'not JSON',
        storedName: 'not JSON',
        servedThrough: 9223372036854775807n,
        run: { runId: null, instanceId: 'i', startedAt: null, reason: 'due', cutOffAt: null },
      },
      { ...empty, name: '[1]', storedName: '[1]' },
      { ...empty, name: null, cron: 'x' },
      newRecord('healthy'),
    ]);
    await session.close();
    const { records, damaged } = await inspect(path);
    assert.deepEqual(records, [newRecord('healthy')]);
    assert.equal(damaged.length, 5);
  });

  test('E7 a strict table does not take a wrong type in the first place', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    const wrong = session.commit({ puts: [newRecord('a'), newRecord('b', { servedThrough: 1.5 })] });
    await assert.rejects(wrong, { name: 'StoreFailedError', message: /served_through/ });
    assert.deepEqual(await session.read(), []);
    await session.close();
  });
});
