/** What the store says of the instances that share it. A store that one scheduler owns says nothing, and has no such series. */
import type { Inspection } from '../index.ts';
import { METRICS, type Metric } from './catalogue.ts';
import type { Series } from './counts.ts';

export function clusterSeries({ members, aheadMs, records }: Inspection): Map<Metric, readonly Series[]> {
  const found = new Map<Metric, readonly Series[]>();
  if (members === undefined) return found;
  const runs = new Map(members.map(({ instanceId }) => [instanceId, 0]));
  for (const { run } of records) {
    const count = run === null || run.cutOffAt !== null ? undefined : runs.get(run.instanceId);
    if (run !== null && count !== undefined) runs.set(run.instanceId, count + 1);
  }
  found.set(METRICS.instances, [of([], members.length)]);
  found.set(
    METRICS.leaseLeft,
    members.map(({ instanceId, leaseLeftMs }) => of([instanceId], leaseLeftMs / 1000)),
  );
  found.set(
    METRICS.instanceRuns,
    [...runs].map(([instanceId, count]) => of([instanceId], count)),
  );
  if (aheadMs !== undefined) found.set(METRICS.clockOffset, [of([], aheadMs / 1000)]);
  return found;
}

const of = (values: readonly string[], point: number): Series => ({ values, point });
