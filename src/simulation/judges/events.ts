/**
 * Checks what a listener hears (G4) against what happens. A run's events carry what its callback is given and how it ended. A due
 * instant that overtakes a retry is announced before the start. Trouble and clock steps are announced as they are in the trace.
 *
 *     nothing ──(TaskRetryPreempted)──▶ TaskRunStarted, TaskRetryStarted ──▶ the callback is called ──▶ it ends ──▶ TaskRun…
 *
 * A world without a listener has no such judge.
 */
import { TaskTimeoutError } from '../../errors.ts';
import type { SchedulerEvent } from '../../scheduler/index.ts';
import type { Batch } from '../../store/port.ts';
import type { RunEvent, WrittenRecord } from '../../trace/record.ts';
import { Announcements } from './announcements.ts';
import { isSameRun, type Judge, type RunDetails, type WorldTime } from './judge.ts';
import type { Model } from './model.ts';
import type { Blame } from './violations.ts';

const isEnd = (record: WrittenRecord): record is Extract<WrittenRecord, { event: RunEvent }> =>
  record.event === 'RunSuccess' || record.event === 'RunFailure' || record.event === 'RunInterrupted';

type Of<Type extends SchedulerEvent['type']> = Extract<SchedulerEvent, { type: Type }>;

/** What a listener has heard and what has not been confirmed yet. */
interface Heard {
  started: Of<'TaskRunStarted' | 'TaskRetryStarted'> | undefined;
  preempted: Of<'TaskRetryPreempted'> | undefined;
  isInTrouble: boolean;
  isPolling: boolean;
  /** A clock step, and trouble of the store, until the trace has the same. */
  steppedBy: number | undefined;
  troubledMs: number | undefined;
  /** The instant of the last event of an active scheduler. */
  lastAt: number;
}

const nothing = (): Heard => ({
  started: undefined,
  preempted: undefined,
  isInTrouble: false,
  isPolling: false,
  steppedBy: undefined,
  troubledMs: undefined,
  lastAt: Number.NEGATIVE_INFINITY,
});

export class EventsJudge implements Judge {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #model: Pick<Model, 'edited' | 'isActive' | 'lastEndOf' | 'plan' | 'refusalsOf' | 'retryOf'>;
  readonly #announcements: Announcements;
  #heard = nothing();
  /** The tasks whose runs have ended without an event so far. */
  readonly #ended = new Set<string>();
  /** Changes that the store has refused, other than starts, as long as no event has said so. */
  readonly #refused = new Set<string>();

  constructor(
    time: WorldTime,
    blame: Blame,
    model: Pick<Model, 'edited' | 'isActive' | 'lastEndOf' | 'plan' | 'refusalsOf' | 'retryOf'>,
  ) {
    this.#time = time;
    this.#blame = blame;
    this.#model = model;
    this.#announcements = new Announcements(blame);
  }

  processDied(): void {
    this.#heard = nothing();
    this.#announcements.forget();
    this.#ended.clear();
    this.#refused.clear();
  }

  batchDurable(batch: Batch, ungranted: ReadonlySet<string>): void {
    const { ends = [], unstarts = [], moves = [] } = batch;
    const changes = { end: ends, unstart: unstarts, move: moves, start: [] };
    for (const { change, name } of this.#model.refusalsOf(batch, ungranted)) {
      if (change === 'configure' || change === 'pause') continue;
      const found = [...changes[change]].find((each) => each.name === name);
      const runId = found !== undefined && 'runId' in found ? found.runId : null;
      if (found !== undefined) this.#refused.add(`${change} of ${name}, run ${runId}`);
    }
  }

  eventHeard(event: SchedulerEvent): void {
    const heard = this.#heard;
    this.#comesInTime(event);
    this.#announcements.heard(event);
    switch (event.type) {
      case 'TaskRetryPreempted':
        heard.preempted = event;
        break;
      case 'TaskRunStarted':
      case 'TaskRetryStarted':
        heard.started = event;
        break;
      case 'TaskRunCompleted':
      case 'TaskRunFailed':
      case 'TaskRunInterrupted':
        this.#endHeard(event);
        break;
      case 'TaskChangeRefused':
        if (!this.#refused.delete(`${event.change} of ${event.task}, run ${event.runId}`))
          this.#blame(
            'G4',
            `TaskChangeRefused for the ${event.change} of ${event.task}, which was not refused, or came twice`,
          );
        break;
      case 'StoreTroubleStarted':
        if (heard.isInTrouble) this.#blame('G4', 'trouble began twice');
        heard.isInTrouble = true;
        break;
      case 'StoreTroubleEnded':
        if (!heard.isInTrouble) this.#blame('G4', 'trouble ended that had not begun');
        heard.isInTrouble = false;
        heard.troubledMs = event.sinceMs;
        break;
      case 'ClockStepped':
        heard.steppedBy = event.to - event.from;
        break;
      case 'PollingStarted':
        heard.isPolling = true;
        break;
      case 'SchedulerInitializationCompleted':
        this.#refused.clear(); // from batches of an earlier life whose stop failed
        this.#initializationHeard(event);
        break;
      case 'PollingStopped':
        heard.isPolling = false;
        break;
      case 'SchedulerStopped':
        this.#stopHeard(event.error === undefined ? 'stopped' : 'failed');
    }
  }

  /** The event of a start comes right before the call of the callback. */
  runStarted(task: string, run: RunDetails): void {
    const { started, preempted } = this.#heard;
    this.#heard.started = undefined;
    this.#heard.preempted = undefined;
    const type = run.reason === 'retry' ? 'TaskRetryStarted' : 'TaskRunStarted';
    const same = started?.type === type && started.task === task && isSameRun(started, run);
    if (!same)
      this.#blame(
        'G4',
        `${task} was given ${JSON.stringify(run)}, and the event was ${JSON.stringify(started)}`,
      );
    const { at = null, isMoved = false } = this.#model.retryOf(task) ?? {};
    const overtaken = run.reason === 'due' ? at : null;
    const announced = preempted?.task === task ? preempted.pendingRetryUntil : null;
    if ((overtaken === null) !== (announced === null) || (overtaken !== announced && !isMoved))
      this.#blame(
        'A8',
        `${task} waited for a retry at ${overtaken}, and ${announced} was announced as overtaken`,
      );
    if (this.#ended.delete(task)) this.#blame('G4', `the end of a run of ${task} had no event`);
  }

  /** A listener hears of a clock step and of trouble right before the trace has it. */
  recorded(record: WrittenRecord): void {
    const heard = this.#heard;
    if (isEnd(record)) this.#ended.add(record.task);
    this.#announcements.recorded(record);
    const mustBeHeard = (ms: number | undefined): boolean => this.#model.isActive || ms !== undefined;
    if (record.event === 'ClockStep' && mustBeHeard(heard.steppedBy)) {
      if (heard.steppedBy !== record.to - record.from)
        this.#blame('G4', `a step was recorded, and the event said ${heard.steppedBy} ms`);
      heard.steppedBy = undefined;
    } else if (record.event === 'StoreTrouble' && mustBeHeard(heard.troubledMs)) {
      if (heard.troubledMs !== record.to - record.from)
        this.#blame('G4', `trouble was recorded, and the event said ${heard.troubledMs} ms`);
      heard.troubledMs = undefined;
    }
  }

  #comesInTime({ type, at }: SchedulerEvent): void {
    const { now } = this.#time;
    if (at !== now) this.#blame('G4', `${type} says that it is ${at}, but it is ${now}`);
    if (!this.#model.isActive) return;
    const { lastAt } = this.#heard;
    if (type !== 'ClockStepped' && at < lastAt)
      this.#blame('B5', `${type} at ${at} comes after ${lastAt}, without a ClockStepped`);
    this.#heard.lastAt = at;
  }

  #endHeard(event: Of<'TaskRunCompleted' | 'TaskRunFailed' | 'TaskRunInterrupted'>): void {
    this.#ended.delete(event.task);
    const end = this.#model.lastEndOf(event.task);
    const failed = event.type === 'TaskRunFailed' ? event : undefined;
    const error = event.type === 'TaskRunCompleted' ? undefined : event.error;
    const outcome = event.type === 'TaskRunInterrupted' ? 'interrupted' : (failed?.outcome ?? 'success');
    const isError = end?.isTimedOut
      ? error instanceof TaskTimeoutError
      : end?.isAbandoned || end?.error === error;
    // Whether the limit of an interrupted run had come too, chance decides.
    const isErrorOf = isError || (outcome === 'interrupted' && error instanceof TaskTimeoutError);
    const same =
      end?.runId === event.runId &&
      end.durationMs === event.durationMs &&
      isErrorOf &&
      end.outcome === outcome &&
      end.retryAt === (failed?.pendingRetryUntil ?? null);
    if (!same)
      this.#blame(
        'G4',
        `${event.type} of ${event.task} (${event.runId}, ${event.durationMs} ms) is not how the run ended: ${JSON.stringify(end)}`,
      );
    this.#announcements.follow(end);
  }

  #initializationHeard(event: Of<'SchedulerInitializationCompleted'>): void {
    const { edited } = this.#model;
    const plan = edited ?? this.#model.plan;
    const fresh = edited?.added ?? this.#model.plan?.fresh ?? [];
    const records = edited === undefined ? [...(this.#model.plan?.records.values() ?? [])] : [];
    if (edited === undefined && this.#heard.isPolling !== records.length > 0)
      this.#blame('G4', 'polling begins if and only if there are tasks');
    const text = (names: Iterable<string>): string => [...names].sort().join();
    const said = [event.added, event.removed, event.overridden, event.orphaned].map(text).join(' | ');
    const expected = [
      fresh,
      plan?.removed ?? [],
      plan?.overridden ?? [],
      records.filter(({ run }) => run !== null).map(({ name }) => name),
    ]
      .map(text)
      .join(' | ');
    if (said !== expected)
      this.#blame(
        'G4',
        `initialize announced ${said} (added, removed, overridden, orphaned), not ${expected}`,
      );
  }

  /** Nothing may be left that a listener should have heard. A stop that failed may have missed the last answer of the store. */
  #stopHeard(stop: 'stopped' | 'failed'): void {
    if (stop === 'stopped')
      for (const refused of this.#refused)
        this.#blame('G4', `${refused}: the store refused it, and there was no event`);
    if (this.#heard.isPolling && this.#model.edited === undefined)
      this.#blame('G4', 'SchedulerStopped came before PollingStopped');
    for (const task of this.#ended) this.#blame('G4', `the end of a run of ${task} had no event`);
    if (this.#heard.steppedBy !== undefined) this.#blame('B5', 'a step was announced, and not recorded');
    this.processDied();
  }
}
