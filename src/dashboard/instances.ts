/** The instances of a cluster: who they are, how long each is taken for alive, how far its clock is off if that is known, and what it runs. */
import type { Snapshot } from './snapshot.ts';

const MOST_INSTANCES = 200;

/** `host` is this one: only of instances here is the clock known, since the offset was measured here. */
export function instancesOf({ at, store, list }: Snapshot, host: string): object {
  const members = store?.members ?? [];
  const runs = new Map<string, number>();
  for (const { record, state } of list)
    if (record.run !== null && state === 'running')
      runs.set(record.run.instanceId, (runs.get(record.run.instanceId) ?? 0) + 1);
  return {
    at,
    isShared: store?.members !== undefined,
    count: members.length,
    instances: members.slice(0, MOST_INSTANCES).map((member) => ({
      id: member.instanceId,
      host: member.host,
      pid: member.pid,
      since: member.since,
      leaseLeftMs: member.leaseLeftMs,
      aheadMs: member.host === host ? (store?.aheadMs ?? null) : null,
      running: runs.get(member.instanceId) ?? 0,
    })),
  };
}
