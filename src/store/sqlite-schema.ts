/**
 * What the file looks like inside, and how an older one becomes a newer one.
 *
 * A file is ours if its `application_id` says so; `user_version` counts the migrations it has had. An empty file is one that has
 * had none. Migrations are never changed once released, only added: each runs once, all missing ones in one transaction.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreForeignFileError, StoreVersionError } from './errors.ts';
import { rollBack } from './sqlite-load.ts';

/** "Obbl" in ASCII. */
export const APPLICATION_ID = 0x4f62626c;

/**
 * Rows are updated in place, so the row stays narrow and the name, which never changes, is looked up through its own index. Names
 * are JSON texts: as plain text some would be cut at a NUL, and lone surrogates would collide. Instants are milliseconds.
 */
const version1 = `
  CREATE TABLE task (
    id                  INTEGER PRIMARY KEY,
    name                TEXT    NOT NULL UNIQUE,
    cron                TEXT    NOT NULL,
    retry_delay_ms      INTEGER NOT NULL,
    first_seen_at       INTEGER NOT NULL,
    served_through      INTEGER NOT NULL,
    last_attempt_at     INTEGER,
    last_success_at     INTEGER,
    last_failure_at     INTEGER,
    pending_retry_until INTEGER,
    work_key            TEXT,
    work_scheduled_for  INTEGER,
    work_attempt        INTEGER,
    run_id              TEXT,
    run_instance_id     TEXT,
    run_started_at      INTEGER
  ) STRICT;
`;

/** Migration `n` (counted from 0) leads from version `n` to `n + 1`. */
export const MIGRATIONS: readonly string[] = [version1];

const pragma = (db: DatabaseSync, name: string): unknown => db.prepare(`PRAGMA ${name}`).get()?.[name];

interface Labels {
  readonly application: number;
  readonly version: number;
  readonly objects: number;
}

/** What a file says of itself, all of it as of one moment: another process may be making the store while it is looked at. */
function labelsOf(db: DatabaseSync): Labels {
  if (!db.isTransaction) {
    db.exec('BEGIN');
    try {
      return labelsOf(db);
    } finally {
      rollBack(db);
    }
  }
  return {
    application: Number(pragma(db, 'application_id')),
    version: Number(pragma(db, 'user_version')),
    objects: Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n),
  };
}

/**
 * The version of a file that is ours, 0 for an empty one. Only reads; throws if it is another program's or too new for us.
 */
export function versionOf(db: DatabaseSync, path: string, migrations = MIGRATIONS): number {
  const { application, version, objects } = labelsOf(db);
  if (application === APPLICATION_ID) {
    if (version > migrations.length)
      throw new StoreVersionError({ path, found: version, supported: migrations.length });
    return version;
  }
  if (application !== 0 || version !== 0 || objects !== 0) {
    throw new StoreForeignFileError({ path, reason: 'is a database of another program' });
  }
  return 0;
}

/** Brings a file to the newest version. All of it, or, if anything fails, nothing. */
export function migrate(db: DatabaseSync, path: string, migrations = MIGRATIONS): void {
  const version = versionOf(db, path, migrations);
  if (version === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.exec('COMMIT');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}
