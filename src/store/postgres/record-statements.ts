/** What an initialize writes: whole records, configurations, runs that were cut off. Each is a statement of a transaction that holds `meta`. */

import type { GivenAnswer } from '../../core/control.ts';
import { OUTCOMES } from '../../core/rows.ts';
import { StoreRecordMissingError } from '../errors.ts';
import type { ConfigureChange, CutOffChange } from '../port.ts';
import { Columns, Params } from './columns.ts';
import { type Ask, arrayOf, type Row } from './driver.ts';
import { NONE } from './migrations.ts';
import { numbersOf } from './records.ts';
import { versionOr } from './run-rows.ts';
import type { Scope } from './run-statements.ts';

/** How many records one statement writes. */
const MOST = 5000;

const idsIn = (rows: readonly Row[]): number[] => rows.map(([id]) => Number(id));

/** Rejects if one of these has no record: a plan was made for it. */
async function mustExist(
  ask: Ask,
  path: string,
  { schema, names }: Scope,
  changes: ReadonlyArray<{ readonly name: string }>,
  change: 'cutOff' | 'configure',
): Promise<void> {
  const ids = changes.map(({ name }) => names.id(name));
  const found = new Set(
    idsIn(await ask(`SELECT id FROM ${schema}.state WHERE id = ANY ($1::int[])`, [arrayOf(ids)])),
  );
  const missing = changes.find(({ name }) => !found.has(names.id(name)));
  if (missing !== undefined) throw new StoreRecordMissingError({ path, taskName: missing.name, change });
}

/** J1: an unfinished run of a dead instance is in the history from then on, once. `where` picks rows of `state s`. */
export const cutOffSql = ({ schema, keepsHistory }: Scope, where: string, at: string): string => {
  const update = `UPDATE ${schema}.state s SET run_cut_off_at = ${at}, version = s.version + 1 WHERE ${where} AND s.run_label <> 0
    AND s.run_cut_off_at = ${NONE} RETURNING s.*`;
  if (!keepsHistory) return update;
  return `WITH s AS (${update}) INSERT INTO ${schema}.run (task, run_label, run_count, run_instance, reason, key_label, key_count,
    scheduled_for, attempt, called_at, ended_at, outcome)
    SELECT id, run_label, run_count, run_instance, run_reason, key_label, key_count, scheduled_for, attempt, run_started_at,
    run_cut_off_at, ${OUTCOMES.indexOf('cut off')} FROM s`;
};

export async function cutOff(
  ask: Ask,
  path: string,
  scope: Scope,
  changes: readonly CutOffChange[],
): Promise<void> {
  await mustExist(ask, path, scope, changes, 'cutOff');
  const params = new Params();
  const { labels, names } = scope;
  const rows = new Columns(params, changes, ({ name }) => names.id(name));
  const run = (place: 0 | 1): string => rows.of(({ runId }) => numbersOf(runId, labels)[place]);
  const isNamed = `s.id = ANY (${rows.all}) AND s.run_label = ${run(0)} AND s.run_count = ${run(1)}`;
  const sql = cutOffSql(
    scope,
    isNamed,
    rows.of(({ at }) => at),
  );
  await ask(sql, params.values);
}

/** What became of names that were to be removed. */
export interface Removed {
  /** How many records went. */
  readonly count: number;
  /** Names whose records stay. */
  readonly held: readonly string[];
}

/** Removes what nobody else has and nobody runs (K5). One that is alone removes everything it is asked to. */
export async function remove(
  ask: Ask,
  { schema, names, isAlone, me }: Scope,
  given: readonly string[],
): Promise<Removed> {
  const isFree = isAlone
    ? 'true'
    : `(s.run_label = 0 OR s.run_cut_off_at <> ${NONE}) AND NOT EXISTS (SELECT FROM ${schema}.list_task l
       JOIN ${schema}.member m ON m.list = l.list WHERE l.task = s.id AND m.id <> ${me})`;
  const all = arrayOf(given.map((name) => names.id(name)));
  const rows = await ask(
    `DELETE FROM ${schema}.state s WHERE s.id = ANY ($1::int[]) AND ${isFree} RETURNING s.id, s.version`,
    [all],
  );
  const gone = idsIn(rows);
  const highest = rows.reduce((most, [, version]) => Math.max(most, Number(version)), 0);
  await ask(`UPDATE ${schema}.meta SET forgotten_version = greatest(forgotten_version, $1::bigint)`, [
    highest,
  ]);
  await ask(`DELETE FROM ${schema}.task WHERE id = ANY ($1::int[])`, [arrayOf(gone)]);
  if (gone.length === given.length) return { count: gone.length, held: [] };
  const left = new Set(idsIn(await ask(`SELECT id FROM ${schema}.state WHERE id = ANY ($1::int[])`, [all])));
  return { count: gone.length, held: given.filter((name) => left.has(names.id(name))) };
}

/**
 * Answers which of these were not written: the record has another version than they name, or that configuration already. Where instances share the
 * store, lists come one after the other, each with the configurations of the one before (`epoch`). So no version is asked for there.
 */
export async function configure(
  ask: Ask,
  path: string,
  scope: Scope,
  changes: readonly ConfigureChange[],
): Promise<readonly ConfigureChange[]> {
  const { schema, names, isAlone } = scope;
  await mustExist(ask, path, scope, changes, 'configure');
  const written = new Set<number>();
  for (let from = 0; from < changes.length; from += MOST) {
    const params = new Params();
    const rows = new Columns(params, changes.slice(from, from + MOST), ({ name }) => names.id(name));
    const [cron, delay] = [rows.text((each) => each.cron), rows.of(({ retryDelayMs }) => retryDelayMs)];
    const policy = rows.text((each) => each.policy);
    const isSame = isAlone ? `s.version = ${rows.of(({ version }) => versionOr(version))}` : 'true';
    const found = await ask(
      `WITH configured AS (UPDATE ${schema}.task t SET cron = ${cron}, retry_delay_ms = ${delay}, policy = ${policy}
       FROM ${schema}.state s WHERE s.id = t.id AND s.id = ANY (${rows.all}) AND ${isSame}
       AND (t.cron, t.retry_delay_ms, t.policy) IS DISTINCT FROM (${cron}, ${delay}, ${policy}) RETURNING s.id)
       UPDATE ${schema}.state s SET version = s.version + 1 FROM configured c WHERE s.id = c.id RETURNING s.id`,
      params.values,
    );
    for (const id of idsIn(found)) written.add(id);
  }
  return changes.filter(({ name }) => !written.has(names.id(name)));
}

/** These tasks have the configuration of this epoch from now on. */
export const markEpoch = (
  ask: Ask,
  { schema }: Scope,
  ids: readonly number[],
  epoch: number,
): Promise<unknown> =>
  ask(`UPDATE ${schema}.task SET epoch = $2::bigint WHERE id = ANY ($1::int[])`, [arrayOf(ids), epoch]);

/** I1: answers to requests that are not answered. `started` is the query that has the ids of the starts which were granted, if there are any. */
export function answerCte(
  { schema, names }: Scope,
  params: Params,
  given: readonly GivenAnswer[],
  started: string | undefined,
): string {
  const answers = given.map(({ start, ...answer }) => ({
    ...answer,
    task: start === undefined ? undefined : names.id(start),
  }));
  const counts = started === undefined ? 'true' : `(a->'task' IS NULL OR (a->>'task')::int IN (${started}))`;
  return `answered AS (UPDATE ${schema}.request r SET state = a->>'state', answered_at = (a->>'at')::bigint, answer = a->>'text'
   FROM jsonb_array_elements(${params.add(JSON.stringify(answers), 'jsonb')}) AS a WHERE r.id = a->>'id' AND r.state IS NULL
   AND ${counts})`;
}
