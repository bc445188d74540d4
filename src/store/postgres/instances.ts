/** The instances of a cluster as somebody sees them who is none of them. */
import type { Instance } from '../port.ts';
import type { Ask, Row } from './driver.ts';
import { CLOCK } from './run-statements.ts';
import { bytesOfHex, textOf } from './texts.ts';

/** Who is there, and how far the clock of the database is from this host's. */
export interface Instances {
  readonly members: readonly Instance[];
  readonly aheadMs: number;
}

/** The instances whose lease is not over, the oldest first. The clock of the database is taken to be read in the middle of the round trip. */
export async function instancesOf(ask: Ask, schema: string, now: () => number): Promise<Instances> {
  const sentAt = now();
  const rows = await ask(
    `SELECT ${CLOCK}, l.label, m.pid, m.host, floor(extract(epoch FROM m.joined_at) * 1000)::bigint,
       floor(extract(epoch FROM m.lease_until - clock_timestamp()) * 1000)::bigint
     FROM (SELECT 1) AS one LEFT JOIN (${schema}.member m JOIN ${schema}.label l ON l.id = m.id)
       ON m.lease_until > clock_timestamp() ORDER BY m.joined_at, m.id`,
  );
  const aheadMs = Math.round(Number(rows[0][0]) - (sentAt + now()) / 2);
  return { members: rows.filter(([, label]) => label !== null).map(instanceOf), aheadMs };
}

const instanceOf = ([, label, pid, host, since, leaseLeftMs]: Row): Instance => ({
  instanceId: textOf(bytesOfHex(label ?? '')),
  pid: Number(pid),
  host: host ?? '',
  since: Number(since),
  // The lease may have ended between two looks at the clock.
  leaseLeftMs: Math.max(0, Number(leaseLeftMs)),
});
