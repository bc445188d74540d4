/**
 * The schema, as numbered steps. A step is never changed once it is released: a database has applied it. `{schema}` is the quoted name.
 *
 * Why the tables look like this (measured; docs/cluster.md has the figures):
 * - A start and an end each update one narrow row of `state`, and nothing but its key is indexed. With the room that `fillfactor` leaves on
 *   each page, such an update stays on its page and touches no index (HOT), so that the table does not grow.
 * - No column of `state` is ever NULL but the error: a row that grows would have to move. {@link NONE} stands for an instant that is not
 *   there, 0 for a label that is not there.
 * - Statistics of columns that change every minute are never true, and only mislead the planner: `state` is hardly ever analysed.
 * - Names are bytes: text cannot hold every name. They are found by their hash, because an index cannot hold a long one.
 */

/** Stands for an instant that is not there. No instant is as early: time begins at -8.64e15. */
export const NONE = -9_000_000_000_000_000;

const instant = `bigint NOT NULL DEFAULT ${NONE}`;

export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE {schema}.meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  epoch bigint NOT NULL DEFAULT 0
);
INSERT INTO {schema}.meta (version) VALUES (0);
CREATE TABLE {schema}.name (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name bytea NOT NULL
);
CREATE UNIQUE INDEX name_by_hash ON {schema}.name (sha256(name));
CREATE TABLE {schema}.label (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  label bytea NOT NULL
);
CREATE UNIQUE INDEX label_by_hash ON {schema}.label (sha256(label));
CREATE TABLE {schema}.task (
  id integer PRIMARY KEY,
  cron text NOT NULL,
  retry_delay_ms bigint NOT NULL,
  policy text,
  first_seen_at bigint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0
);
CREATE INDEX task_by_epoch ON {schema}.task (epoch);
CREATE TABLE {schema}.state (
  served_through bigint NOT NULL,
  last_attempt_at ${instant},
  last_success_at ${instant},
  last_failure_at ${instant},
  retry_until ${instant},
  failures bigint NOT NULL DEFAULT 0,
  failing_since ${instant},
  last_duration_ms ${instant},
  paused_at ${instant},
  key_count bigint NOT NULL DEFAULT 0,
  scheduled_for ${instant},
  attempt bigint NOT NULL DEFAULT 0,
  run_count bigint NOT NULL DEFAULT 0,
  run_started_at ${instant},
  run_cut_off_at ${instant},
  id integer PRIMARY KEY,
  key_label integer NOT NULL DEFAULT 0,
  run_label integer NOT NULL DEFAULT 0,
  run_instance integer NOT NULL DEFAULT 0,
  run_reason integer NOT NULL DEFAULT 0,
  last_error text
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 10);
CREATE TABLE {schema}.list (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest bytea NOT NULL UNIQUE
);
CREATE TABLE {schema}.list_task (list integer, task integer, PRIMARY KEY (list, task));
CREATE TABLE {schema}.member (
  id integer PRIMARY KEY,
  lease_ms integer NOT NULL,
  lease_until timestamptz NOT NULL,
  steady_since timestamptz NOT NULL,
  alone boolean NOT NULL,
  list integer NOT NULL DEFAULT 0,
  host text NOT NULL,
  pid integer NOT NULL,
  joined_at timestamptz NOT NULL
) WITH (fillfactor = 40);
CREATE TABLE {schema}.request (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  kind text NOT NULL,
  task bytea NOT NULL,
  asked_at bigint NOT NULL,
  catch_up boolean NOT NULL,
  taken_by integer NOT NULL DEFAULT 0,
  state text,
  answered_at bigint,
  answer text
);
CREATE INDEX request_open ON {schema}.request (seq) WHERE state IS NULL;
CREATE TABLE {schema}.run (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_count bigint NOT NULL,
  run_count bigint NOT NULL,
  attempt bigint NOT NULL,
  scheduled_for bigint NOT NULL,
  called_at bigint NOT NULL,
  ended_at bigint NOT NULL,
  task integer NOT NULL,
  key_label integer NOT NULL,
  run_label integer NOT NULL,
  run_instance integer NOT NULL,
  reason smallint NOT NULL,
  outcome smallint NOT NULL,
  error text
) WITH (autovacuum_vacuum_cost_delay = 0);
CREATE INDEX run_of_task ON {schema}.run (task, seq)`,
  // The number of the last request that was done for an instance (`store/cluster/decide.ts`).
  `ALTER TABLE {schema}.member ADD COLUMN last_sent bigint NOT NULL DEFAULT 0`,
  // The version of each record, and the highest one that a record had when it was forgotten (K2).
  `ALTER TABLE {schema}.state ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE {schema}.meta ADD COLUMN forgotten_version bigint NOT NULL DEFAULT 0`,
  // The zone in which the latest initialize reads expressions (B2); NULL until one of a version that knows this column.
  `ALTER TABLE {schema}.meta ADD COLUMN time_zone text`,
];
