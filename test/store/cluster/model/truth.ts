/**
 * One scheduler, written anew from the rules and in ignorance of instances and rows. A cluster must look like it (K1): whatever the
 * database grants happens here too, and if it may not happen here, the database was wrong.
 */
import type { EndChange, MoveChange, StartChange } from '../../../../src/store/port.ts';
import type { Truth } from './world.ts';

/** A1: whether a task that does not run is to be started. */
export const isPending = (
  { servedThrough, retryAt, isOrphaned }: Truth,
  dueAt: number,
  now: number,
): boolean => dueAt > servedThrough || (retryAt !== null && retryAt <= now) || isOrphaned;

/** Whether something of a task is not done yet. */
export const isOwed = (truth: Truth, dueAt: number): boolean =>
  truth.run !== null || truth.retryAt !== null || truth.isOrphaned || dueAt > truth.servedThrough;

export const firstComing = (servedThrough: number): Truth => ({
  servedThrough,
  retryAt: null,
  isOrphaned: false,
  run: null,
});

/** A claim. It discharges nothing before its end: if it comes to nothing, every reason stands (A4). */
export const started = (truth: Truth, { run: { runId, instanceId } }: StartChange): Truth => ({
  ...truth,
  isOrphaned: false,
  run: { runId, instanceId, wasOrphaned: truth.isOrphaned },
});

/** A3, A6. */
export const ended = ({ calledAt, outcome, pendingRetryUntil }: EndChange): Truth => ({
  servedThrough: calledAt,
  retryAt: outcome === 'success' ? null : pendingRetryUntil,
  isOrphaned: false,
  run: null,
});

/** H4: a due that is too old counts as served. An orphan mark stands. */
export const moved = (truth: Truth, { servedThrough, pendingRetryUntil }: MoveChange): Truth => ({
  ...truth,
  servedThrough,
  retryAt: pendingRetryUntil,
});

/** A4: it was never called. */
export const takenBack = (truth: Truth): Truth => ({
  ...truth,
  isOrphaned: truth.run?.wasOrphaned ?? truth.isOrphaned,
  run: null,
});

/** A crash of its instance. */
export const cutOff = (truth: Truth): Truth => ({ ...truth, isOrphaned: true, run: null });
