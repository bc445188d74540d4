/** How runs end, and which dues are not served because of a policy: held against H2, H4, H6, H9 and I4. */
import type { EndChange } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import { lastDue } from './calendar.ts';
import { afterEnd } from './ends.ts';
import type { RunEnd, WorldTime } from './judge.ts';
import { checkAbandoned, checkSignal, outcomeOf } from './limits.ts';
import type { LastEnd, LiveRun, LiveTask } from './live-task.ts';
import { failedAs, policyOf } from './policies.ts';
import { isTooOld, newestDue } from './rules.ts';
import { recordText } from './texts.ts';
import type { Unwritten } from './unwritten.ts';
import type { Blame } from './violations.ts';

/** The rule that an outcome goes by. */
const RULES = {
  'gave up': 'H2',
  'timed out': 'H6',
  cancelled: 'I4',
  interrupted: 'A13',
  failure: 'A6',
  success: 'A6',
} as const;

export class LiveEnds {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #unwritten: Unwritten;
  readonly #timeZone: string;

  constructor(time: WorldTime, blame: Blame, unwritten: Unwritten, timeZone: string) {
    this.#time = time;
    this.#blame = blame;
    this.#unwritten = unwritten;
    this.#timeZone = timeZone;
  }

  /** The callback of a run has ended. */
  over(name: string, run: LiveRun, end: RunEnd): void {
    checkSignal(name, run, this.#time, this.#blame);
    run.over = end;
  }

  /** The scheduler has recorded the end of a run, and said how. */
  ended(task: LiveTask, run: LiveRun, said: EndChange['outcome']): LastEnd {
    const { now } = this.#time;
    const { record } = task;
    const { name, work, cron, retryDelayMs, policy } = record;
    const began = { ...record, ...run.began };
    const { outcome, isTimedOut } = this.#outcome(began, run, said);
    const { calledAt, over } = run;
    const durationMs = now - calledAt;
    const left = { ...afterEnd(began, outcome, now), lastDurationMs: Math.max(0, durationMs) };
    const servedThrough = this.#servedByEnd(task, run);
    task.record = { ...left, cron, retryDelayMs, policy, servedThrough };
    const { pendingRetryUntil, failures, failingSince } = task.record;
    const { runId = '', reason = 'due' } = record.run ?? {};
    const end = {
      name,
      runId,
      reason: reason === 'interrupted' ? 'orphaned' : reason,
      calledAt,
      servedThrough,
      endedAt: now,
      outcome,
      pendingRetryUntil,
      work,
    };
    this.#unwritten.end(name, { ...end, failures, failingSince });
    const facts = { runId: run.runId, durationMs, error: over?.error, outcome, isTimedOut };
    return { ...facts, isAbandoned: over === undefined, retryAt: pendingRetryUntil };
  }

  #outcome(
    began: LiveTask['record'],
    run: LiveRun,
    said: EndChange['outcome'],
  ): Pick<LastEnd, 'outcome' | 'isTimedOut'> {
    const { name } = began;
    if (run.over === undefined) checkAbandoned(name, run, this.#time, this.#blame);
    const { outcome: plain, isTimedOut } = outcomeOf(run, this.#time, said);
    const outcome = plain === 'success' || plain === 'interrupted' ? plain : failedAs(plain, began);
    if (outcome !== said) this.#blame(RULES[outcome], `a run of ${name} ended as ${said}, not as ${outcome}`);
    return { outcome, isTimedOut };
  }

  /**
   * Where the end puts the cursor: steps of the clock and a resume have moved it meanwhile, and what came due while the task ran may be served by the
   * end, as the registration says that the run began with (H9).
   */
  #servedByEnd(task: LiveTask, run: LiveRun): number {
    const { now } = this.#time;
    const served = task.cursorAtEnd ?? run.calledAt;
    task.cursorAtEnd = undefined;
    if (policyOf(run.began.policy).whileRunning !== 'skip') return served;
    const dueAt = lastDue({ ...task.record, ...run.began }, this.#timeZone, now);
    if (dueAt > served && run.toldSkip !== dueAt)
      this.#blame('H9', `nobody said that the due of ${task.record.name} at ${dueAt} is skipped`);
    return Math.max(served, now);
  }

  /** The scheduler says that it lets a due pass. That changes nothing. */
  skipped(task: LiveTask, { dueAt, why }: Extract<WrittenRecord, { event: 'DueSkipped' }>): void {
    const isRight = why === 'late' ? this.#isLate(task, dueAt) : this.#isDuringRun(task, dueAt);
    const { record, phase, run } = task;
    if (!isRight)
      this.#blame(
        why === 'late' ? 'H4' : 'H9',
        `${record.name}: ${dueAt} was skipped while ${phase}: ${recordText(record)}`,
      );
    if (why === 'late') task.toldTooOld = dueAt;
    else if (run !== undefined) run.toldSkip = dueAt;
  }

  #isLate(task: LiveTask, dueAt: number): boolean {
    const { now } = this.#time;
    const isNewest = newestDue(task, this.#timeZone, now) === dueAt;
    const isNews = task.toldTooOld !== dueAt;
    return task.phase === 'idle' && isNewest && isNews && isTooOld(task.record, dueAt, now);
  }

  #isDuringRun({ record, run, cursorAtEnd }: LiveTask, dueAt: number): boolean {
    return (
      run !== undefined &&
      policyOf(run.began.policy).whileRunning === 'skip' &&
      lastDue({ ...record, ...run.began }, this.#timeZone, this.#time.now) === dueAt &&
      dueAt > (cursorAtEnd ?? record.servedThrough)
    );
  }
}
