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

/**
 * What happens is appended to the journal, and the rows of the tasks follow later (`sqlite-fold.ts`). So a reader of a row must also
 * look at the entries after `folded_through`. One row of the journal is a part of a batch, with all its runs:
 *
 *     part     starts, ends, cutOffs, or resets (`journal-entry.ts`)
 *     runs     how many rows are in `data`
 *     at       the latest end in it, in milliseconds; the history is kept by it
 *     data     the rows, packed (`journal-codec.ts`)
 *     texts    a JSON text: the names that the numbers of the rows refer to, and the errors
 *
 * A number of a task is never given to another name, nor is a number of an entry used twice: `next_id` and `folded_through` see to
 * that. `forgotten` has the names of removed tasks while the journal may still have runs of theirs; `seq` is the last entry that can.
 *
 * Rows of version 1 did not say why they were started. Every run was due once.
 */
const version2 = `
  ALTER TABLE task ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE task ADD COLUMN failing_since INTEGER;
  ALTER TABLE task ADD COLUMN last_error TEXT;
  ALTER TABLE task ADD COLUMN last_duration_ms INTEGER;
  ALTER TABLE task ADD COLUMN run_reason TEXT;
  ALTER TABLE task ADD COLUMN run_cut_off_at INTEGER;
  UPDATE task SET run_reason = 'due'
    WHERE run_id IS NOT NULL OR run_instance_id IS NOT NULL OR run_started_at IS NOT NULL;
  CREATE TABLE journal (
    seq   INTEGER PRIMARY KEY,
    part  TEXT    NOT NULL,
    runs  INTEGER NOT NULL,
    at    INTEGER,
    data  BLOB    NOT NULL,
    texts TEXT    NOT NULL
  ) STRICT;
  CREATE TABLE forgotten (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL,
    seq  INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE progress (
    only           INTEGER PRIMARY KEY CHECK (only = 1),
    folded_through INTEGER NOT NULL,
    next_id        INTEGER NOT NULL
  ) STRICT;
  INSERT INTO progress SELECT 1, 0, max(coalesce(max(id), 0), 0) + 1 FROM task;
`;

/**
 * Policies of tasks, as JSON texts (H1). Pauses (I3). Requests of operators (I1), until they are answered and old:
 *
 *     kind, task, details   what is asked for; a name is a JSON text, the details are empty or "catch up"
 *     answer, answered_at   what became of it: a JSON text; both null while it waits
 *
 * `fact` has single facts about the store: in which zone the scheduler reads expressions, say.
 */
const version3 = `
  ALTER TABLE task ADD COLUMN policy TEXT;
  ALTER TABLE task ADD COLUMN paused_at INTEGER;
  CREATE TABLE request (
    seq         INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    kind        TEXT    NOT NULL,
    task        TEXT    NOT NULL,
    details     TEXT    NOT NULL,
    asked_at    INTEGER NOT NULL,
    answer      TEXT,
    answered_at INTEGER
  ) STRICT;
  CREATE INDEX request_open ON request (seq) WHERE answer IS NULL;
  CREATE TABLE fact (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
`;

/**
 * The version of each record (K2), and the highest one that a record had when it was forgotten. Entries of the journal that are older have no versions:
 * a row is narrower by one number then, and says nothing of the version of its task.
 */
const version4 = `
  ALTER TABLE task ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE progress ADD COLUMN forgotten_version INTEGER NOT NULL DEFAULT 0;
`;

/** Migration `n` (counted from 0) leads from version `n` to `n + 1`. */
export const MIGRATIONS: readonly string[] = [version1, version2, version3, version4];

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
