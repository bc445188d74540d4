/**
 * How a run must have ended, by its policy (H2, H6, H9), by what operators asked (I4), and by a stop (A13). A callback that has taken its signal sees
 * whether it is aborted, and why; that must be right, and how the run counts follows from it. No judge takes the signal of a callback that has not.
 */
import { TaskCancelledError, TaskTimeoutError } from '../../errors.ts';
import { StoreLostError } from '../../store/errors.ts';
import type { EndChange } from '../../store/port.ts';
import type { WorldTime } from './judge.ts';
import { elapsed, type LiveRun } from './live-task.ts';
import { policyOf } from './policies.ts';
import type { Blame } from './violations.ts';

/** Why the signal of a run was aborted, as its callback sees it. Asked only where something can abort it alone. */
function reasonOf({ seen, began, isCancelled }: LiveRun): unknown {
  const { timeoutMs, whileRunning } = policyOf(began.policy);
  const isAsked = isCancelled || timeoutMs !== undefined || whileRunning === 'replace';
  return isAsked && seen.signal?.aborted ? seen.signal.reason : undefined;
}

/** The callback of a run has ended, or is about to be given up: its signal must be what the rules say. */
export function checkSignal(task: string, run: LiveRun, time: WorldTime, blame: Blame): void {
  const { timeoutMs = Infinity, abandonAfterMs = Infinity } = policyOf(run.began.policy);
  const { most, least } = elapsed(run, time);
  if (least > timeoutMs + abandonAfterMs)
    blame('H6', `${task} took ${least} ms, and was not given up after ${timeoutMs} + ${abandonAfterMs} ms`);
  if (run.seen.signal === undefined) return;
  if (run.atStop !== undefined && !run.seen.signal.aborted)
    blame('D10', `${task} has asked for its signal after a stop, and it is not aborted`);
  const reason = reasonOf(run);
  if (reason instanceof TaskTimeoutError && most < timeoutMs)
    blame('H6', `${task} timed out after ${most} ms, and may take ${timeoutMs} ms`);
  if (reason === undefined && least > timeoutMs)
    blame('H6', `${task} took ${least} ms, may take ${timeoutMs} ms, and its signal was not aborted`);
  if (reason instanceof TaskCancelledError && !run.isCancelled)
    blame('I4', `${task} was cancelled, and nobody had asked for it`);
  if (run.isCancelled && reason === undefined)
    blame('I4', `${task} was to be cancelled, and its signal was not aborted`);
}

/** A run has ended for the scheduler, and not for its callback: only a policy may do that (H6). */
export function checkAbandoned(task: string, run: LiveRun, time: WorldTime, blame: Blame): void {
  const { timeoutMs = Infinity, abandonAfterMs = Infinity } = policyOf(run.began.policy);
  const { most } = elapsed(run, time);
  if (most < timeoutMs + abandonAfterMs)
    blame('H6', `${task} ended after ${most} ms, and its callback had not ended`);
}

/** How a run counts. What the scheduler `said` decides only where chance decides whether the limit came first. */
export function outcomeOf(
  run: LiveRun,
  time: WorldTime,
  said: EndChange['outcome'],
): { readonly outcome: EndChange['outcome']; readonly isTimedOut: boolean } {
  const { timeoutMs = Infinity } = policyOf(run.began.policy);
  const { most, least } = elapsed(run, time);
  const { over, isCancelled } = run;
  const reason = reasonOf(run);
  const mayBeLimit = reason !== undefined || run.seen.signal === undefined;
  const isUnclear = mayBeLimit && most >= timeoutMs && least <= timeoutMs;
  const hasThrown = over?.error !== undefined;
  const isSaid =
    said === 'timed out' || said === 'gave up' || (!hasThrown && (isCancelled || said === 'interrupted'));
  const isTimedOut =
    over === undefined ||
    reason instanceof TaskTimeoutError ||
    (isUnclear ? isSaid && said !== 'success' : mayBeLimit && least > timeoutMs);
  if (!isTimedOut && !hasThrown) return { outcome: 'success', isTimedOut };
  if (isCancelled) return { outcome: 'cancelled', isTimedOut };
  if (isInterrupted(run, said)) return { outcome: 'interrupted', isTimedOut };
  return { outcome: isTimedOut ? 'timed out' : 'failure', isTimedOut };
}

/**
 * A13: a stop came while it ran, its callback had taken the signal, and no limit had come before the stop. What the scheduler `said` decides only where
 * chance decides which of them came first.
 */
function isInterrupted({ seen, began, atStop }: LiveRun, said: EndChange['outcome']): boolean {
  const { timeoutMs = Infinity } = policyOf(began.policy);
  if (seen.signal === undefined || atStop === undefined) return false;
  // The store was lost before, and the run with it.
  if (seen.signal.reason instanceof StoreLostError) return false;
  if (seen.signal.reason instanceof TaskTimeoutError) return false;
  return atStop.most < timeoutMs || (atStop.least <= timeoutMs && said === 'interrupted');
}
