/**
 * What a listener hears (G4), held against what happens: each run is told of when it begins, by what its callback is given, and
 * when it ends, by how it ended; a due instant that overtakes a retry is told before; trouble and steps are told as in the trace.
 *
 *     nothing ──(TaskRetryPreempted)──▶ TaskRunStarted, TaskRetryStarted ──▶ the callback is called ──▶ it ends ──▶ TaskRun…
 */
import type { SchedulerEvent } from '../../scheduler/index.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Timeline } from '../machine/timeline.ts';
import type { Given } from './live-tasks.ts';
import type { ExpectedPlan } from './rules.ts';

type Started = Extract<SchedulerEvent, { type: 'TaskRunStarted' | 'TaskRetryStarted' }>;
type Ended = Extract<SchedulerEvent, { type: 'TaskRunCompleted' | 'TaskRunFailed' }>;

/** A run that has ended, as its callback and the model know it. */
export interface EndedRun {
  readonly runId: string;
  readonly durationMs: number;
  /** What it threw, and when it will be tried again, if it failed. */
  readonly failure?: { readonly error: Error; readonly retryAt: number | null };
}

export class HeardEvents {
  readonly #timeline: Timeline;
  readonly #blame: (rule: string, because: string) => void;
  readonly #listens: boolean;
  #started: Started | undefined;
  #preempted: { readonly task: string; readonly pendingRetryUntil: number } | undefined;
  /** By task: runs that have ended, which nobody has heard of. */
  readonly #ended = new Map<string, EndedRun>();
  #isInTrouble = false;
  /** What was last heard of the clock and of the store, until the trace tells the same. */
  #steppedBy: number | undefined;
  #troubledMs: number | undefined;
  #polls = false;
  /** The last instant that an active scheduler has told. */
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    timeline: Timeline,
    listener: 'listens' | 'nobody listens',
    blame: (rule: string, because: string) => void,
  ) {
    this.#timeline = timeline;
    this.#listens = listener === 'listens';
    this.#blame = blame;
  }

  died(): void {
    this.#started = undefined;
    this.#preempted = undefined;
    this.#ended.clear();
    this.#isInTrouble = false;
    this.#steppedBy = undefined;
    this.#troubledMs = undefined;
    this.#polls = false;
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }

  /** `plan` is what an initialization had to do, once it is through. */
  heard(event: SchedulerEvent, isActive: boolean, plan: ExpectedPlan | undefined): void {
    this.#atItsTime(event, isActive);
    switch (event.type) {
      case 'TaskRetryPreempted':
        this.#preempted = event;
        break;
      case 'TaskRunStarted':
      case 'TaskRetryStarted':
        this.#started = event;
        break;
      case 'TaskRunCompleted':
      case 'TaskRunFailed':
        this.#endHeard(event);
        break;
      case 'StoreTroubleStarted':
        if (this.#isInTrouble) this.#blame('G4', 'trouble began twice');
        this.#isInTrouble = true;
        break;
      case 'StoreTroubleEnded':
        if (!this.#isInTrouble) this.#blame('G4', 'trouble ended that had not begun');
        this.#isInTrouble = false;
        this.#troubledMs = event.sinceMs;
        break;
      case 'ClockStepped':
        this.#steppedBy = event.to - event.from;
        break;
      case 'PollingStarted':
        this.#polls = true;
        break;
      case 'SchedulerInitializationCompleted':
        this.#completed(event, plan);
        break;
      case 'PollingStopped':
        this.#polls = false;
        break;
      case 'SchedulerStopped':
        if (this.#polls) this.#blame('G4', 'a scheduler that polls was told to have stopped');
        this.#nothingUntold();
        this.died();
    }
  }

  /** The callback is called; `retryAt` is when it would have been tried again, if it waited for that. */
  called(name: string, given: Given, retryAt: number | null, retry: 'as it was' | 'moved'): void {
    if (!this.#listens) return;
    const heard = this.#started;
    const preempted = this.#preempted;
    this.#started = undefined;
    this.#preempted = undefined;
    const type = given.reason === 'retry' ? 'TaskRetryStarted' : 'TaskRunStarted';
    const same =
      heard?.type === type &&
      heard.task === name &&
      heard.runId === given.runId &&
      heard.key === given.key &&
      heard.attempt === given.attempt &&
      heard.reason === given.reason &&
      heard.scheduledFor === given.scheduledFor;
    if (!same)
      this.#blame('G4', `${name} was given ${JSON.stringify(given)}, and told as ${JSON.stringify(heard)}`);
    const owed = given.reason === 'due' ? retryAt : null;
    const told = preempted?.task === name ? preempted.pendingRetryUntil : null;
    if ((owed === null) !== (told === null) || (owed !== told && retry === 'as it was'))
      this.#blame('A8', `${name} waited for a retry at ${owed}, and ${told} was told as overtaken`);
    if (this.#ended.delete(name)) this.#blame('G4', `the end of a run of ${name} was not told`);
  }

  ended(name: string, run: EndedRun): void {
    if (this.#listens) this.#ended.set(name, run);
  }

  /** The trace tells of the clock and of the store what a listener has heard right before. */
  traced(record: WrittenRecord, isActive: boolean): void {
    if (!this.#listens) return;
    const isToBeHeard = (heard: number | undefined): boolean => isActive || heard !== undefined;
    if (record.event === 'ClockStep' && isToBeHeard(this.#steppedBy)) {
      if (this.#steppedBy !== record.to - record.from)
        this.#blame('G4', `a step was traced, and ${this.#steppedBy} ms were told`);
      this.#steppedBy = undefined;
    } else if (record.event === 'StoreTrouble' && isToBeHeard(this.#troubledMs)) {
      if (this.#troubledMs !== record.to - record.from)
        this.#blame('G4', `trouble was traced, and ${this.#troubledMs} ms were told`);
      this.#troubledMs = undefined;
    }
  }

  #atItsTime({ type, at }: SchedulerEvent, isActive: boolean): void {
    const { now } = this.#timeline;
    if (at !== now) this.#blame('G4', `${type} is told as of ${at}, but it is ${now}`);
    if (isActive && type !== 'ClockStepped' && at < this.#lastAt)
      this.#blame('B5', `${type} at ${at} comes after ${this.#lastAt}, and no step was told`);
    if (isActive) this.#lastAt = at;
  }

  #endHeard(event: Ended): void {
    const run = this.#ended.get(event.task);
    this.#ended.delete(event.task);
    const failed = event.type === 'TaskRunFailed' ? event : undefined;
    const same =
      run?.runId === event.runId &&
      run.durationMs === event.durationMs &&
      run.failure?.error === failed?.error &&
      run.failure?.retryAt === failed?.pendingRetryUntil;
    if (!same)
      this.#blame('G4', `${event.type} of ${event.task} (${event.runId}, ${event.durationMs} ms) is not so`);
  }

  #completed(
    event: Extract<SchedulerEvent, { type: 'SchedulerInitializationCompleted' }>,
    plan: ExpectedPlan | undefined,
  ): void {
    const records = [...(plan?.records.values() ?? [])];
    if (this.#polls !== records.length > 0)
      this.#blame('G4', 'polling begins if and only if there are tasks');
    const text = (names: Iterable<string>): string => [...names].sort().join();
    const told = [event.added, event.removed, event.overridden, event.orphaned].map(text).join(' | ');
    const owed = [
      plan?.fresh ?? [],
      plan?.batch.removes ?? [],
      plan?.batch.configures?.map(({ name }) => name) ?? [],
      records.filter(({ run }) => run !== null).map(({ name }) => name),
    ];
    if (told !== owed.map(text).join(' | '))
      this.#blame('G4', `initialize told ${told} (added, removed, overridden, orphaned), not ${owed}`);
  }

  #nothingUntold(): void {
    for (const name of this.#ended.keys()) this.#blame('G4', `the end of a run of ${name} was not told`);
    if (this.#steppedBy !== undefined) this.#blame('B5', 'a step was told, and not traced');
  }
}
