/** A state as the decisions see it, and as a reader does. */
import type { TaskRecord } from '../../../../src/core/record.ts';
import type { Bounds, World } from './world.ts';

/**
 * A state without what no decision will ever see, so that there are fewer. When a run ended is seen only by the same end again, if no two
 * events have the same instant. A due instant that is served is seen only by an instance that knows an older record.
 */
export function forgetful(world: World, { clock = 'fine', knowledge = 'fresh' }: Bounds): World {
  const { cluster, dueAt, slots } = world;
  const isServed = (name: string, at: number): boolean =>
    at <= (cluster.records.get(name)?.servedThrough ?? 0);
  const lastDueAt =
    knowledge === 'kept'
      ? dueAt
      : new Map([...dueAt].map(([name, at]) => [name, isServed(name, at) ? 1 : at]));
  if (clock === 'coarse') return { ...world, dueAt: lastDueAt };
  const ends = slots.flatMap(({ flight, copy, runs }) => [
    ...(flight?.batch.ends ?? []),
    ...(copy?.batch.ends ?? []),
    ...[...runs.values()].flatMap((run) => (run.stage === 'ended' ? [run.end] : [])),
  ]);
  const seen = (at: number | null): number | null => (ends.some(({ endedAt }) => endedAt === at) ? at : null);
  const without = (record: TaskRecord): TaskRecord => ({
    ...record,
    lastSuccessAt: seen(record.lastSuccessAt),
    lastFailureAt: seen(record.lastFailureAt),
  });
  const all = (records: ReadonlyMap<string, TaskRecord>): Map<string, TaskRecord> =>
    new Map([...records].map(([name, record]) => [name, without(record)]));
  return {
    ...world,
    dueAt: lastDueAt,
    cluster: { ...cluster, records: all(cluster.records) },
    slots: slots.map((slot) =>
      slot.known === null ? slot : { ...slot, known: { ...slot.known, records: all(slot.known.records) } },
    ),
  };
}

/** `t: a1.1 now` runs; `t: a1.1 cut off`; `(due)` and the like are what is owed. */
export function render({ cluster, tasks, dueAt, slots, fault }: World): string {
  const texts: string[] = [];
  for (const [name, { run }] of cluster.records) {
    const truth = tasks.get(name);
    const owed = [
      truth && (dueAt.get(name) ?? 0) > truth.servedThrough ? 'due' : '',
      truth?.retryAt == null ? '' : 'retry',
    ].filter((text) => text !== '');
    const runs = run === null ? 'idle' : `${run.runId}${run.cutOffAt === null ? '' : ' cut off'}`;
    texts.push(`${name} ${[runs, ...owed].join(', ')}`);
  }
  const members = [...cluster.members.values()].map(({ id }) => id).sort();
  texts.push(`members {${members.join(' ')}}`);
  slots.forEach(({ phase, life, flight, runs }, index) => {
    if (phase === 'out') return;
    const doing = [...runs].map(([name, { stage }]) => `${name} ${stage}`);
    const flying = flight === null ? [] : [`batch ${flight.stage}`];
    texts.push(`${String.fromCharCode(97 + index)}${life} ${[phase, ...doing, ...flying].join(', ')}`);
  });
  return [...texts, ...(fault === '' ? [] : [`BROKEN: ${fault}`])].join('; ');
}
