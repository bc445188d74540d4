/** Instances: how they join, renew, are declared dead and leave. `store/cluster/members.ts` decides the same, and a test compares them. */
import type { OwnedBy } from '../port.ts';
import type { Beat } from '../sharing/heartbeat.ts';
import type { Database } from './database.ts';
import { type Ask, arrayOf, type Row } from './driver.ts';
import { cutOffSql } from './record-statements.ts';
import { CLOCK, type Scope } from './run-statements.ts';

/** A member, as everybody sees it. */
export interface SeenMember extends OwnedBy {
  readonly instanceId: string;
  readonly isLapsed: boolean;
}

const IS_LAPSED = 'm.lease_until <= clock_timestamp()';

const memberSql = (schema: string): string =>
  `SELECT m.id, l.label, ${IS_LAPSED}, m.pid, m.host, floor(extract(epoch FROM m.joined_at) * 1000)::bigint
   FROM ${schema}.member m JOIN ${schema}.label l ON l.id = m.id`;

const memberOf = ([, label, isLapsed, pid, host, since]: Row): SeenMember => ({
  instanceId: Buffer.from((label ?? '').slice(2), 'hex').toString('utf8'),
  isLapsed: isLapsed === 't',
  pid: Number(pid),
  host: host ?? '',
  since: Number(since),
});

export async function membersOf(ask: Ask, schema: string): Promise<readonly SeenMember[]> {
  return (await ask(`${memberSql(schema)} ORDER BY m.joined_at, m.id`)).map(memberOf);
}

/** Joins, or answers who is in the way. */
export function join(
  database: Database,
  scope: Scope,
  { leaseMs, host, pid }: { readonly leaseMs: number; readonly host: string; readonly pid: number },
): Promise<OwnedBy | undefined> {
  const { schema, me, isAlone } = scope;
  return database.transaction(async (ask) => {
    // One after the other: two that want to be alone must see each other.
    await ask(`SELECT epoch FROM ${schema}.meta FOR UPDATE`);
    const inTheWay = await ask(`${memberSql(schema)} WHERE m.id <> $1::int AND (m.alone OR $2::boolean)`, [
      me,
      isAlone,
    ]);
    const others = inTheWay.map(memberOf);
    const leased = others.find(({ isLapsed }) => !isLapsed);
    if (leased !== undefined) return { pid: leased.pid, host: leased.host, since: leased.since };
    await depart(
      ask,
      scope,
      inTheWay.map(([id]) => Number(id)),
    );
    await ask(
      `INSERT INTO ${schema}.member (id, lease_ms, lease_until, steady_since, alone, host, pid, joined_at)
       SELECT $1::int, $2::int, at + $2::int * interval '1 ms', at, $3::boolean, $4::text, $5::int, at
       FROM (SELECT clock_timestamp() AS at) AS now ON CONFLICT (id) DO NOTHING`,
      [me, leaseMs, isAlone, host, pid],
    );
    return undefined;
  });
}

/** These are gone, and so are their runs. A claim that is on its way holds the row of its instance, and is waited for. */
async function depart(ask: Ask, scope: Scope, gone: readonly number[]): Promise<void> {
  if (gone.length === 0) return;
  await ask(`DELETE FROM ${scope.schema}.member WHERE id = ANY ($1::int[])`, [arrayOf(gone)]);
  await cutOffRuns(ask, scope, gone);
}

const cutOffRuns = (ask: Ask, scope: Scope, gone: readonly number[]): Promise<unknown> =>
  ask(cutOffSql(scope, 's.run_instance = ANY ($1::int[])', CLOCK), [arrayOf(gone)]);

/** Renews the lease, and looks around: one statement. `undefined`: the instance is absent (K4). */
export async function beat(ask: Ask, { schema, me }: Scope, withinMs?: number): Promise<Beat | undefined> {
  const rows = await ask(
    `WITH renewed AS (UPDATE ${schema}.member m SET
       steady_since = CASE WHEN ${IS_LAPSED} THEN clock_timestamp() ELSE m.steady_since END,
       lease_until = clock_timestamp() + m.lease_ms * interval '1 ms' WHERE m.id = $1::int RETURNING m.id)
     SELECT seen.*, ${CLOCK}, (SELECT epoch FROM ${schema}.meta),
       (SELECT count(*) FROM ${schema}.request WHERE state IS NULL), (SELECT count(*) FROM renewed)
     FROM (SELECT 1) AS one LEFT JOIN (${memberSql(schema)}) AS seen ON true`,
    [me],
    withinMs,
  );
  const [, , , , , , at, epoch, requests, isRenewed] = rows[0];
  if (Number(isRenewed) === 0) return undefined;
  // The statement sees its own row as it was before.
  const members = rows.map((row) => ({
    ...memberOf(row),
    isLapsed: row[2] === 't' && Number(row[0]) !== me,
  }));
  return { at: Number(at), epoch: Number(epoch), members, requests: Number(requests) };
}

/** How long a death waits for what is under way. */
const PATIENCE_MS = 200;

/**
 * Declares dead whose lease is over, if this member is steady; answers their ids. A user's transaction may hold a run of the dead (K8), and
 * the heartbeat must not wait for it: then nobody is declared dead this time, and the next beat tries again.
 */
export async function declareDead(database: Database, scope: Scope): Promise<readonly string[]> {
  try {
    return await declare(database, scope);
  } catch (error) {
    const isHeld = error instanceof Error && Object(error.cause).code === LOCK_NOT_AVAILABLE;
    if (isHeld) return [];
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

function declare(database: Database, scope: Scope): Promise<readonly string[]> {
  const { schema, me } = scope;
  return database.transaction(async (ask) => {
    await ask(`SET LOCAL lock_timeout = ${PATIENCE_MS}`);
    const dead = await ask(
      `DELETE FROM ${schema}.member m WHERE m.id <> $1::int AND ${IS_LAPSED} AND EXISTS (SELECT FROM ${schema}.member d
       WHERE d.id = $1::int AND d.lease_until > clock_timestamp()
       AND d.steady_since + greatest(d.lease_ms, m.lease_ms) * interval '1 ms' <= clock_timestamp()) RETURNING m.id`,
      [me],
    );
    const ids = dead.map(([id]) => Number(id));
    if (ids.length > 0) await cutOffRuns(ask, scope, ids);
    await scope.labels.findTexts(ask, ids);
    return ids.map((id) => scope.labels.text(id));
  });
}

export function leave(database: Database, scope: Scope): Promise<void> {
  return database.transaction((ask) => depart(ask, scope, [scope.me]));
}
