/** Whole records: inserted, or written over what is there. */
import type { TaskRecord } from '../../core/record.ts';
import { type Ask, arrayOf } from './driver.ts';
import { NONE } from './migrations.ts';
import { STATE_COLUMNS, stateValues } from './records.ts';
import type { Scope } from './run-statements.ts';

/** How many records one statement writes. */
const MOST = 5000;
const CONFIG = ['cron', 'retry_delay_ms', 'policy'];

/** What a record that is there already takes over of one that is put. */
type PutOver = 'all' | 'all of an idle one' | 'nothing';

/** `versionOf` answers the version of a record that is not there yet. One that is there is written once more (K2). */
export async function put(
  ask: Ask,
  scope: Scope,
  records: Iterable<TaskRecord>,
  over: PutOver,
  versionOf: (record: TaskRecord) => number,
): Promise<void> {
  const list = [...records];
  for (let from = 0; from < list.length; from += MOST)
    await putSome(ask, scope, list.slice(from, from + MOST), over, versionOf);
}

async function putSome(
  ask: Ask,
  scope: Scope,
  records: readonly TaskRecord[],
  over: PutOver,
  versionOf: (record: TaskRecord) => number,
): Promise<void> {
  const idOf = ({ name }: TaskRecord): number => scope.names.id(name);
  const running =
    over === 'all of an idle one' ? await idsThatRun(ask, scope, records.map(idOf)) : new Set<number>();
  const idle = records.filter((record) => !running.has(idOf(record)));
  const columns = [...CONFIG, 'first_seen_at'];
  await putTasks(ask, scope, idle, over === 'nothing' ? [] : columns);
  // Of a name that runs only the configuration changes, and when it came is no configuration.
  if (running.size > 0) {
    await putTasks(
      ask,
      scope,
      records.filter((record) => running.has(idOf(record))),
      CONFIG,
    );
    await ask(`UPDATE ${scope.schema}.state SET version = version + 1 WHERE id = ANY ($1::int[])`, [
      arrayOf(running),
    ]);
  }
  const rows = idle.map((record) => [idOf(record), ...stateValues(record, scope.labels), versionOf(record)]);
  const types = STATE_COLUMNS.map((name) =>
    name === 'last_error' ? 'text' : /label|instance|reason/.test(name) ? 'int' : 'bigint',
  );
  await insert(
    ask,
    `${scope.schema}.state`,
    [...STATE_COLUMNS, 'version'],
    [...types, 'bigint'],
    rows,
    over === 'nothing' ? [] : STATE_COLUMNS,
    ['version = s.version + 1'],
  );
}

function putTasks(
  ask: Ask,
  { schema, names }: Scope,
  records: readonly TaskRecord[],
  over: readonly string[],
): Promise<void> {
  const rows = records.map(({ name, cron, retryDelayMs, policy, firstSeenAt }) => [
    names.id(name),
    cron,
    retryDelayMs,
    policy,
    firstSeenAt,
  ]);
  return insert(
    ask,
    `${schema}.task`,
    [...CONFIG, 'first_seen_at'],
    ['text', 'bigint', 'text', 'bigint'],
    rows,
    over,
  );
}

/** Inserts rows; of one whose id is there already, the columns in `over` are written, and what `more` says. */
async function insert(
  ask: Ask,
  table: string,
  columns: readonly string[],
  types: readonly string[],
  rows: readonly unknown[],
  over: readonly string[],
  more: readonly string[] = [],
): Promise<void> {
  const values = ['int', ...types].map((type, place) => `(v->>${place})::${type}`);
  const update = `UPDATE SET ${[...over.map((name) => `${name} = excluded.${name}`), ...more].join()}`;
  await ask(
    `INSERT INTO ${table} AS s (id, ${columns.join()}) SELECT ${values.join()} FROM jsonb_array_elements($1::jsonb) AS v
     ON CONFLICT (id) DO ${over.length === 0 ? 'NOTHING' : update}`,
    [JSON.stringify(rows)],
  );
}

/** The rows are locked, so that none of them begins to run before the transaction is over. */
async function idsThatRun(ask: Ask, { schema }: Scope, ids: readonly number[]): Promise<Set<number>> {
  const rows = await ask(
    `SELECT id, run_label <> 0 AND run_cut_off_at = ${NONE} FROM ${schema}.state WHERE id = ANY ($1::int[])
     ORDER BY id FOR NO KEY UPDATE`,
    [arrayOf(ids)],
  );
  return new Set(rows.filter(([, runs]) => runs === 't').map(([id]) => Number(id)));
}
