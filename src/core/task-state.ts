/**
 * What a task does, or waits for, by its record:
 *
 *     running   a run is unfinished, and the scheduler that began it lives
 *     paused    an operator has paused it: nothing but a request to run starts it (I3)
 *     cut off   a run is unfinished, and its scheduler has died: it starts again with the next one, or as soon as a worker is free
 *     interrupted  a stop of its scheduler has ended its run (A13): it starts again like one that was cut off
 *     owed      something was due after its cursor and has not been started
 *     retry     it failed, and waits for its retry delay to pass
 *     waiting   none of these
 *
 * The first that fits counts. A task that runs may be paused too: what runs goes on, and its record has `pausedAt`. A paused task whose
 * run was cut off does not start again before it is resumed, so it is paused.
 */
import { isInterrupted } from './interrupted-run.ts';
import type { TaskRecord } from './record.ts';

/** What a task does, or waits for. */
export type TaskState = 'running' | 'cut off' | 'interrupted' | 'paused' | 'owed' | 'retry' | 'waiting';

/** Whether somebody owns the store; `free` means that no scheduler lives. */
export type Owner = 'held' | 'free' | 'unknown';

/** The state of a record that is owed a start since `owedSince`; `null` if it is not. */
export function stateOfTask(record: TaskRecord, owner: Owner, owedSince: number | null): TaskState {
  const { run, pausedAt, pendingRetryUntil } = record;
  const isCutOff = isRunCutOff(record, owner);
  if (run !== null && !isCutOff) return 'running';
  if (pausedAt !== null) return 'paused';
  if (isCutOff) return isInterrupted(record) ? 'interrupted' : 'cut off';
  if (owedSince !== null) return 'owed';
  return pendingRetryUntil === null ? 'waiting' : 'retry';
}

/** Whether the unfinished run of a record is of a scheduler that has died, or was ended by its stop. */
export const isRunCutOff = ({ run }: TaskRecord, owner: Owner): boolean =>
  run !== null && (owner === 'free' || run.cutOffAt !== null);
