/** What an end must leave in the record of its task, and an end as text. */
import type { TaskRecord } from '../../core/record.ts';
import type { EndChange } from '../../store/port.ts';
import { delayOf } from './policies.ts';

/** A6, A13, H2, I4 and J3. The record has the registration under which the run began. */
export function afterEnd(record: TaskRecord, outcome: EndChange['outcome'], now: number): TaskRecord {
  if (outcome === 'success')
    return { ...record, lastSuccessAt: now, failures: 0, failingSince: null, work: null, run: null };
  const { failures, failingSince, work, run, lastAttemptAt } = record;
  if (outcome === 'interrupted')
    return {
      ...record,
      work: work && { ...work, attempt: work.attempt - 1 },
      run: run && { ...run, startedAt: lastAttemptAt ?? now, reason: outcome, cutOffAt: now },
    };
  if (outcome === 'cancelled')
    return { ...record, lastFailureAt: now, pendingRetryUntil: null, work: null, run: null };
  const isOver = outcome === 'gave up';
  return {
    ...record,
    lastFailureAt: now,
    pendingRetryUntil: isOver ? null : now + delayOf(record),
    failures: failures + 1,
    failingSince: failingSince ?? now,
    run: null,
    work: isOver ? null : work,
  };
}

/** What an end changes in the record of its task. */
export type EndFacts = Omit<EndChange, 'instanceId' | 'error' | 'work'> & {
  readonly work: EndChange['work'] | null;
};

export const endText = (end: EndFacts): string => {
  const { name, runId, reason, calledAt, servedThrough, endedAt, outcome, pendingRetryUntil, work } = end;
  return (
    `${outcome} of ${name}, run ${runId} (${reason}), called ${calledAt}, ended ${endedAt}, cursor ${servedThrough ?? calledAt}, retry ${pendingRetryUntil}, ` +
    `failures ${end.failures} since ${end.failingSince}, work ${work?.key} ${work?.scheduledFor} ${work?.attempt}`
  );
};
