/**
 * How long tasks may wait for their starts, and in which order. A start must be prompt while nothing outside the scheduler delays
 * it. All times are in `passed`, unless they say otherwise.
 */
import { firstDue } from './calendar.ts';
import type { WorldTime } from './judge.ts';
import type { LiveTask } from './live-task.ts';
import { policyOf } from './policies.ts';
import { recordText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Promptness {
  /** How long a start may take while nothing delays it. */
  readonly boundMs: number;
  readonly #time: WorldTime;
  readonly #blame: Blame;
  #calmFrom = 0;
  #steadyFrom = 0;

  constructor(time: WorldTime, blame: Blame, boundMs: number) {
    this.#time = time;
    this.#blame = blame;
    this.boundMs = boundMs;
  }

  /** Something outside the scheduler delays it, for at most this long from now. */
  disturbed(graceMs: number): void {
    this.#steadyFrom = Math.max(this.#steadyFrom, this.#time.passed + graceMs);
    this.#calmFrom = Math.max(this.#calmFrom, this.#steadyFrom);
  }

  /** No worker was free until now. From now on the tasks that waited must start soon, and in the order in which they came. */
  workerFreed(): void {
    this.#calmFrom = Math.max(this.#calmFrom, this.#time.passed);
  }

  /** Since when nothing has delayed a start. */
  get calmFrom(): number {
    return this.#calmFrom;
  }

  /** A task may not wait longer than the bound. */
  mustBePrompt(name: string, task: LiveTask, what: string, timeZone: string): void {
    const { passed } = this.#time;
    const earliest = Math.max(task.idleSince, this.#calmFrom);
    if (passed - earliest <= this.boundMs) return;
    const lateMs = passed - Math.max(this.#owedSince(task, timeZone), earliest);
    if (lateMs > this.boundMs)
      this.#blame('A2', `${name} was owed and ${what} for ${lateMs} ms: ${recordText(task.record)}`);
  }

  /**
   * With few workers, the tasks that wait must start in the order in which they came (X4), as far as the model can see that
   * order.
   */
  mustBeInOrder(name: string, task: LiveTask, all: ReadonlyMap<string, LiveTask>, timeZone: string): void {
    if (task.mayBeQueued) return;
    if (task.refusedAt !== undefined) return; // it may be back for its retry, or because the clock was set
    if (hasOldDue(task, timeZone, this.#time.now)) return; // it may have the place of a due that is too old by now (H4)
    const waitsSince = (each: LiveTask): number =>
      Math.max(this.#owedSince(each, timeZone), each.idleSince, this.#steadyFrom);
    const since = waitsSince(task);
    for (const [other, each] of all) {
      if (other === name || each.phase !== 'idle' || each.refusedAt !== undefined) continue;
      const waitedMs = since - waitsSince(each);
      if (waitedMs > this.boundMs)
        this.#blame('X4', `${name} was claimed, and ${other} had waited ${waitedMs} ms longer`);
    }
  }

  /** Since when a task that does not run is owed a start. That may lie ahead. */
  #owedSince(task: LiveTask, timeZone: string): number {
    const { now, passed } = this.#time;
    const { record, requestedSince = Number.POSITIVE_INFINITY } = task;
    if (record.pausedAt !== null) return requestedSince;
    return Math.min(passed - (now - owedAt(task, timeZone, now)), requestedSince);
  }
}

/** Whether a due of a task is not served and is too old to be served. */
const hasOldDue = ({ record }: LiveTask, timeZone: string, now: number): boolean =>
  firstDue(record, timeZone, record.servedThrough) <
  now - (policyOf(record.policy).startWithinMs ?? Number.POSITIVE_INFINITY);

/** From when on, by the wall clock, a task that is not paused is owed a start without being asked for it. Dues that are too old count no more (H4). */
function owedAt({ record, orphaned, refusedAt }: LiveTask, timeZone: string, now: number): number {
  const { startWithinMs = Infinity } = policyOf(record.policy);
  const due = (after: number): number => firstDue(record, timeZone, Math.max(after, now - startWithinMs - 1));
  if (refusedAt !== undefined) return due(Math.max(refusedAt, record.servedThrough));
  if (orphaned) return Number.NEGATIVE_INFINITY;
  return Math.min(due(record.servedThrough), record.pendingRetryUntil ?? Infinity);
}
