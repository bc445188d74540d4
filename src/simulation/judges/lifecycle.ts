/**
 * Checks how `initialize` and `stop` behave, seen from outside: what they refuse (D3, D4), that they fail only for a reason (S5,
 * D7), how long they wait for a store (E6, D7), that no callback runs before `initialize` has returned (D6), that `stop` aborts
 * every signal (D10).
 */
import { SchedulerAlreadyActiveError } from '../../errors.ts';
import { StoreLockedError } from '../../store/errors.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AnsweredRequest, Judge, ProcessState, RunDetails, SeenContext, WorldTime } from './judge.ts';
import type { Blame } from './violations.ts';

/** How long a scheduler may wait for a lock before it asks again whether a stop has come. */
const LOCK_SLICE_MS = 1000;
const SLACK_MS = 100;

/** All times are in `passed`. */
export class LifecycleJudge implements Judge {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #scenario: Scenario;
  readonly #lockPollMs: number;
  #initializingSince = 0;
  #initializedAt = 0;
  #hasReturned = false;
  /** How many requests the disk has not served since `initialize` was called. */
  #storeFailures = 0;
  /** Until when the disk is or was in trouble; -Infinity if it never was. */
  #troubledUntil = Number.NEGATIVE_INFINITY;
  /** Since when the scheduler has been stopping, and in how much time nothing could compute before that. */
  #stopping: { readonly since: number; readonly burnt: number } | undefined;
  /** The event loop was held during the last stop. Then the time of the stop may be up before the store's answer is heard. */
  #wasHeld = false;
  readonly #running = new Map<string, SeenContext>();
  #lastEndAt = 0;

  /** `lockPollMs` is how often the disk looks whether the lock is free. */
  constructor(time: WorldTime, blame: Blame, scenario: Scenario, lockPollMs: number) {
    this.#time = time;
    this.#blame = blame;
    this.#scenario = scenario;
    this.#lockPollMs = lockPollMs;
  }

  initializeCalled(): void {
    this.#initializingSince = this.#time.passed;
    this.#hasReturned = false;
    this.#storeFailures = 0;
    this.#stopping = undefined;
  }

  initializeReturned(error: Error | undefined): void {
    this.#hasReturned = error === undefined;
    this.#initializedAt = this.#time.passed;
    if (error === undefined) return;
    if (error instanceof StoreLockedError) this.#lockWasWaitedFor();
    if (this.#storeFailures === 0)
      this.#blame('S5', `initialize failed without a reason: ${error.name} ${error.message}`);
  }

  /** A stop waits for a list that is on its way (D7). */
  reloadReturned(): void {
    this.#initializedAt = this.#time.passed;
  }

  wrongInitializeReturned(state: ProcessState, error: Error | undefined): void {
    const isList = state === 'idle' || (this.#scenario.reload === true && state !== 'stopping');
    if (error === undefined)
      this.#blame(state === 'idle' ? 'D3' : 'D4', 'initialize succeeded and should not have');
    else if (!isList && !isAlreadyActive(error, state === 'active' ? 'running' : state))
      this.#blame('D4', `initialize while ${state} was rejected with ${error.name}: ${error.message}`);
  }

  stopCalled(): void {
    const { passed: since, burnt } = this.#time;
    this.#stopping = { since, burnt };
  }

  stopBegun(): void {
    for (const [task, { signal }] of this.#running)
      if (signal?.aborted === false) this.#blame('D10', `the signal of ${task} was not aborted by stop`);
  }

  stopReturned(error: Error | undefined): void {
    this.#stopWasPrompt();
    const hadTrouble = this.#storeFailures > 0 || this.#troubledUntil >= 0 || this.#wasHeld;
    if (error !== undefined && !hadTrouble)
      this.#blame('D7', `stop failed without a reason: ${error.message}`);
  }

  processDied(): void {
    this.#stopping = undefined;
    this.#storeFailures = 0;
    this.#running.clear();
  }

  intruderServed(): void {
    this.#blame('E6', 'a second scheduler wrote to the store');
  }

  requestAnswered({ how }: AnsweredRequest): void {
    if (how === 'failed') this.#storeFailures++;
  }

  storeTroubled(ms: number): void {
    this.#troubledUntil = Math.max(this.#troubledUntil, this.#time.passed + ms);
  }

  runStarted(task: string, _run: RunDetails, seen: SeenContext): void {
    this.#running.set(task, seen);
    if (!this.#hasReturned) this.#blame('D6', `${task} was called before initialize had returned`);
  }

  /** A run has ended for the scheduler, which need not wait for its callback (H6). */
  recorded({ event, ...record }: WrittenRecord): void {
    if (
      (event !== 'RunSuccess' && event !== 'RunFailure' && event !== 'RunInterrupted') ||
      !('task' in record) ||
      record.task === undefined
    )
      return;
    this.#running.delete(record.task);
    this.#lastEndAt = this.#time.passed;
  }

  /** After the last run has ended, a stop may take so long for its last write, and once more to close the store (D7). */
  #stopWasPrompt(): void {
    const stopping = this.#stopping;
    if (stopping === undefined) return;
    this.#stopping = undefined;
    const { passed, burnt } = this.#time;
    const { finalWriteMs } = this.#scenario;
    this.#wasHeld = burnt > stopping.burnt;
    const from = Math.max(stopping.since, this.#initializedAt, this.#lastEndAt);
    const tookMs = passed - from - (burnt - stopping.burnt);
    if (tookMs > 2 * finalWriteMs + SLACK_MS)
      this.#blame('D7', `stop took ${tookMs} ms after the last end, and may try for ${finalWriteMs} ms`);
  }

  /** `initialize` waits for a store in use as long as its options say (E6), unless a stop comes (D7). */
  #lockWasWaitedFor(): void {
    const { lockWaitMs = 0, disk } = this.#scenario;
    const { passed, burnt } = this.#time;
    const waitedMs = passed - this.#initializingSince;
    const stopping = this.#stopping;
    if (stopping === undefined) {
      if (waitedMs < lockWaitMs) this.#blame('E6', `initialize waited only ${waitedMs} ms for the store`);
      return;
    }
    const tookMs = passed - stopping.since - (burnt - stopping.burnt);
    const isCalm = this.#troubledUntil < this.#initializingSince;
    if (isCalm && tookMs > LOCK_SLICE_MS + this.#lockPollMs + 2 * disk.latencyMs + SLACK_MS)
      this.#blame('D7', `initialize waited ${tookMs} ms for the store after stop`);
  }
}

const isAlreadyActive = (error: Error, state: string): boolean =>
  error instanceof SchedulerAlreadyActiveError && error.details.currentState === state;
