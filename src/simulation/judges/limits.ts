/**
 * How a run must have ended, by its policy (H2, H6, H9) and by what operators asked (I4). A callback sees whether its signal is
 * aborted, and why; that must be right, and how the run counts follows from it.
 */
import { TaskCancelledError, TaskTimeoutError } from '../../errors.ts';
import type { EndChange } from '../../store/port.ts';
import type { WorldTime } from './judge.ts';
import type { LiveRun } from './live-task.ts';
import { policyOf } from './policies.ts';
import type { Blame } from './violations.ts';

/** How long a run has taken: timers follow `passed`, and come late if the process could not compute. */
interface Elapsed {
  readonly most: number;
  /** Without the time in which no timer could come. */
  readonly least: number;
}

const elapsed = ({ calledPassed, calledBurnt }: LiveRun, { passed, burnt }: WorldTime): Elapsed => ({
  most: passed - calledPassed,
  least: passed - calledPassed - (burnt - calledBurnt),
});

/** Why the signal of a run was aborted, as its callback sees it. Asked only where something can abort it alone. */
function reasonOf({ context, began, isCancelled }: LiveRun): unknown {
  const { timeoutMs, whileRunning } = policyOf(began.policy);
  const isAsked = isCancelled || timeoutMs !== undefined || whileRunning === 'replace';
  return isAsked && context.signal.aborted ? context.signal.reason : undefined;
}

/** The callback of a run has ended, or is about to be given up: its signal must be what the rules say. */
export function checkSignal(task: string, run: LiveRun, time: WorldTime, blame: Blame): void {
  const { timeoutMs = Infinity, abandonAfterMs = Infinity } = policyOf(run.began.policy);
  const { most, least } = elapsed(run, time);
  const reason = reasonOf(run);
  if (reason instanceof TaskTimeoutError && most < timeoutMs)
    blame('H6', `${task} timed out after ${most} ms, and may take ${timeoutMs} ms`);
  if (reason === undefined && least > timeoutMs)
    blame('H6', `${task} took ${least} ms, may take ${timeoutMs} ms, and its signal was not aborted`);
  if (least > timeoutMs + abandonAfterMs)
    blame('H6', `${task} took ${least} ms, and was not given up after ${timeoutMs} + ${abandonAfterMs} ms`);
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
  const isUnclear = reason !== undefined && most >= timeoutMs && least <= timeoutMs;
  const hasThrown = over?.error !== undefined;
  const isSaid = said === 'timed out' || said === 'gave up' || (isCancelled && !hasThrown);
  const isTimedOut =
    over === undefined ||
    reason instanceof TaskTimeoutError ||
    (isUnclear ? isSaid && said !== 'success' : reason !== undefined && least > timeoutMs);
  if (!isTimedOut && !hasThrown) return { outcome: 'success', isTimedOut };
  return { outcome: isCancelled ? 'cancelled' : isTimedOut ? 'timed out' : 'failure', isTimedOut };
}
