/**
 * All records for somebody who looks again and again. The server goes through the rows of `state`, and hands out those that have changed since
 * the former look.
 *
 * Each version of a row has the number of the transaction that wrote it (`xmin`). A look remembers the lowest number of a transaction that was open when it
 * looked, its *horizon*. The next look takes the rows whose number is not below that horizon. None is missed: what a look did not see was written by a
 * transaction that was open then, or came later, or by a part of one (a savepoint), which has a higher number than the whole. Some rows come twice, and that is
 * no matter. Numbers go round after 2^32, and `age` counts them back from now.
 *
 * That tells nothing of rows that are gone, nor of other tables. Whoever changes configurations, or removes or adds names, makes a new epoch; a row that another
 * program has deleted is missing in the count. Then, and if it is another server or the horizon is too long ago for `age`, all is read.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { InspectOptions, StoreSnapshot } from '../port.ts';
import type { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';
import type { Ask, Row } from './driver.ts';
import { recordsOf, selectRecords } from './records.ts';

/** What a look has found, for the next one. */
export interface Look {
  readonly records: readonly TaskRecord[];
  /** Where in the records the task of a number is. */
  readonly places: ReadonlyMap<number, number>;
  readonly labels: Dictionary;
  readonly horizon: bigint;
  /** The epoch of the configurations, and since when the server runs. */
  readonly base: string;
  /** In which zone expressions are read (B2); `null` if no scheduler has written it yet. */
  readonly timeZone: string | null;
}

/** What each answer was made of; it lives as long as the answer. */
const looks = new WeakMap<StoreSnapshot, Look>();

export const rememberLook = (snapshot: StoreSnapshot, look: Look): void => void looks.set(snapshot, look);

const LONGEST = 2n ** 30n;
const NUMBERS = 2n ** 32n;

export function lookAgain(database: Database, schema: string, since: InspectOptions['since']): Promise<Look> {
  const former = typeof since === 'object' ? looks.get(since) : undefined;
  return database.transaction(async (ask) => {
    await ask('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // As JSON, since an older schema lacks the column of the zone.
    const [[horizon, epoch, since, count, timeZone]] = await ask(
      `SELECT pg_snapshot_xmin(pg_current_snapshot()), m.epoch, pg_postmaster_start_time(),
       (SELECT count(*) FROM ${schema}.state), to_jsonb(m)->>'time_zone' FROM ${schema}.meta m`,
    );
    const head = { horizon: BigInt(horizon ?? 0), base: `${epoch} ${since}`, timeZone };
    const isNear =
      former !== undefined && former.base === head.base && head.horizon - former.horizon < LONGEST;
    const changed = isNear ? await changedSince(ask, schema, former, Number(count)) : undefined;
    return { ...(changed ?? (await readAll(ask, schema))), ...head };
  });
}

type Records = Pick<Look, 'records' | 'places' | 'labels'>;

/** `undefined`: rows have come or gone. */
async function changedSince(
  ask: Ask,
  schema: string,
  { records, places, labels, horizon }: Look,
  count: number,
): Promise<Records | undefined> {
  if (records.length !== count) return undefined;
  // As an array, so that few changes are found by the key, whatever is expected of how many there are.
  const changed = `s.id = ANY (ARRAY(SELECT c.id FROM ${schema}.state c WHERE age(c.xmin) <= age($1::xid)))`;
  const rows = await ask(selectRecords(schema, changed), [String(horizon % NUMBERS)]);
  if (rows.length === 0) return { records, places, labels };
  const next = [...records];
  const read = await recordsOf(ask, rows, { names: new Dictionary(schema, 'name'), labels });
  for (const [index, record] of read.entries()) {
    const place = places.get(idOf(rows[index]));
    if (place === undefined) return undefined;
    next[place] = record;
  }
  return { records: next, places, labels };
}

async function readAll(ask: Ask, schema: string): Promise<Records> {
  const rows = await ask(`${selectRecords(schema)} ORDER BY s.id`);
  const dictionaries = { names: new Dictionary(schema, 'name'), labels: new Dictionary(schema, 'label') };
  return {
    records: await recordsOf(ask, rows, dictionaries),
    places: new Map(rows.map((row, place) => [idOf(row), place])),
    labels: dictionaries.labels,
  };
}

const idOf = ([id]: Row): number => Number(id);
