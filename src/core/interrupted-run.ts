/**
 * A run that a stop has interrupted stays in the record of its task (A13), as a run that was cut off, with the instants of its call and
 * its end. So the task is orphaned, and every store and every reader treats it as what a crash leaves. Its attempt does not count, so that the next
 * start has the same number. The record then says nothing about the instance, which may still be stopping.
 */
import type { EndChange } from './changes.ts';
import type { TaskRecord } from './record.ts';

type Ended = Pick<EndChange, 'runId' | 'instanceId' | 'work' | 'calledAt' | 'endedAt'>;

export const leftByStop = (end: Ended): Pick<TaskRecord, 'work' | 'run'> => ({
  work: { ...end.work, attempt: end.work.attempt - 1 },
  run: {
    runId: end.runId,
    instanceId: end.instanceId,
    startedAt: end.calledAt,
    reason: 'interrupted',
    cutOffAt: end.endedAt,
  },
});

/** Whether the last run of a task was interrupted, and it has not been started since. */
export const isInterrupted = ({ run }: Pick<TaskRecord, 'run'>): boolean => run?.reason === 'interrupted';
