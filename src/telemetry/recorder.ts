/** Turns the events of a scheduler into the values of metrics. */
import type { CommitMessage, SchedulerEvent } from '../scheduler/index.ts';
import { METRICS } from './catalogue.ts';
import type { Sink } from './counts.ts';
import type { TaskLabels } from './task-labels.ts';

export class Recorder {
  readonly #sink: Sink;
  readonly #labels: TaskLabels;
  readonly #forgotten: (task: string) => void;
  /** Whether there is a scheduler here. */
  hasHeard = false;
  #isUp = false;
  #isTroubled = false;

  /** `forgotten` is called for each task that is removed. */
  constructor(sink: Sink, labels: TaskLabels, forgotten: (task: string) => void = () => {}) {
    this.#sink = sink;
    this.#labels = labels;
    this.#forgotten = forgotten;
  }

  readonly hear = (event: SchedulerEvent): void => {
    if (!this.hasHeard) this.#begin();
    switch (event.type) {
      case 'TaskRunStarted':
      case 'TaskRetryStarted':
        this.#started(event);
        break;
      case 'TaskRunCompleted':
        this.#ended(event.task, 'success', event.durationMs);
        break;
      case 'TaskRunFailed':
        this.#ended(event.task, event.outcome.replaceAll(' ', '_'), event.durationMs);
        break;
      case 'TaskRunInterrupted':
        this.#ended(event.task, 'interrupted', event.durationMs);
        break;
      case 'TaskStartedLate':
        this.#late(event);
        break;
      case 'TaskDueSkipped':
        this.#sink.add(METRICS.skipped, [event.why, this.#labels.of(event.task)], 1);
        break;
      case 'TaskRetryPreempted':
        this.#sink.add(METRICS.preempted, [this.#labels.of(event.task)], 1);
        break;
      case 'TaskAbandoned':
        this.#sink.add(METRICS.abandoned, [this.#labels.of(event.task)], 1);
        break;
      default:
        this.#hearScheduler(event);
        break;
    }
  };

  /** How many tasks stand still because their records are gone. */
  #setAside = 0;

  /** Where there is a scheduler, a balance that has not moved is 0. Where there is none, it is absent: nothing is known to be down. */
  #begin(): void {
    this.hasHeard = true;
    for (const metric of [METRICS.active, METRICS.up, METRICS.trouble, METRICS.setAside, METRICS.troubles])
      this.#sink.add(metric, [], 0);
  }

  /** A batch of the scheduler's store is durable. */
  committed({ tookMs, changes }: CommitMessage): void {
    this.#sink.observe(METRICS.commitDuration, [], tookMs / 1000);
    this.#sink.observe(METRICS.batchSize, [], changes);
  }

  #hearScheduler(event: SchedulerEvent): void {
    switch (event.type) {
      case 'SchedulerInitializationCompleted':
        this.#setUp(true);
        // An initialize brings every task back (E7).
        this.#sink.add(METRICS.setAside, [], -this.#setAside);
        this.#setAside = 0;
        for (const task of event.removed) if (this.#labels.forget(task)) this.#forgotten(task);
        this.#sink.add(METRICS.initializations, ['success'], 1);
        break;
      case 'SchedulerInitializationFailed':
        this.#sink.add(METRICS.initializations, ['failure'], 1);
        break;
      case 'SchedulerStopRequested':
        this.#setUp(false);
        break;
      case 'SchedulerStopped':
        this.#setTroubled(false);
        break;
      case 'StoreTroubleStarted':
      case 'StoreLost':
        this.#setTroubled(true);
        break;
      case 'StoreTroubleEnded':
        this.#setTroubled(false);
        break;
      case 'TaskChangeRefused':
        this.#sink.add(METRICS.refused, [event.change], 1);
        break;
      case 'TaskSetAside':
        this.#setAside++;
        this.#sink.add(METRICS.setAside, [], 1);
        break;
      case 'ClockStepped':
        this.#sink.add(METRICS.clockSteps, [event.to > event.from ? 'forward' : 'backward'], 1);
        break;
      default:
        break;
    }
  }

  #started({
    task,
    reason,
    lateMs,
  }: Extract<SchedulerEvent, { type: 'TaskRunStarted' | 'TaskRetryStarted' }>): void {
    this.#sink.add(METRICS.starts, [reason, this.#labels.of(task)], 1);
    this.#sink.add(METRICS.active, [], 1);
    this.#sink.observe(METRICS.startDelay, [], lateMs / 1000);
  }

  #ended(task: string, outcome: string, durationMs: number): void {
    this.#sink.add(METRICS.ends, [outcome, this.#labels.of(task)], 1);
    this.#sink.add(METRICS.active, [], -1);
    // A clock that was set back during a run makes its length negative.
    this.#sink.observe(METRICS.duration, [outcome], Math.max(0, durationMs) / 1000);
  }

  #late(event: Extract<SchedulerEvent, { type: 'TaskStartedLate' }>): void {
    const { task, lateMs, unnoticedMs, queuedMs, storeMs } = event;
    this.#sink.add(METRICS.lateStarts, [this.#labels.of(task)], 1);
    const parts = { unnoticed: unnoticedMs, queue: queuedMs, store: storeMs };
    const call = lateMs - unnoticedMs - queuedMs - storeMs;
    for (const [cause, ms] of Object.entries({ ...parts, call }))
      this.#sink.add(METRICS.lateSeconds, [cause], Math.max(0, ms) / 1000);
  }

  #setUp(isUp: boolean): void {
    if (isUp !== this.#isUp) this.#sink.add(METRICS.up, [], isUp ? 1 : -1);
    this.#isUp = isUp;
  }

  #setTroubled(isTroubled: boolean): void {
    if (isTroubled === this.#isTroubled) return;
    this.#isTroubled = isTroubled;
    this.#sink.add(METRICS.trouble, [], isTroubled ? 1 : -1);
    if (isTroubled) this.#sink.add(METRICS.troubles, [], 1);
  }
}
