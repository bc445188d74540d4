/** What metrics come from: the events and the durable batches of a scheduler in this process, its store, and the process itself. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Clock, type SchedulerEvent, type Store, sqlite } from '../index.ts';
import {
  COMMIT_CHANNEL,
  type CommitMessage,
  EVENT_NAMES,
  type EventMessage,
  eventChannel,
} from '../scheduler/index.ts';
import { hostClock } from '../time/host-clock.ts';
import { version } from '../version.ts';
import { METRICS } from './catalogue.ts';
import type { Series, Sink } from './counts.ts';
import { LoopDelay } from './loop-delay.ts';
import { Recorder } from './recorder.ts';
import { type Findings, Surveyor } from './survey.ts';
import { MOST_TASKS, TaskLabels } from './task-labels.ts';

/** What `metrics` takes, all of it optional. */
export interface MetricsOptions {
  /** The store of the scheduler, or the path of its file: for gauges of tasks. Without it there are none. */
  readonly store?: Store | string | URL;
  /** The zone of the scheduler; by default the one that the store says, or the host's if no scheduler of this version has run on it. */
  readonly timeZone?: string;
  /**
   * How many tasks get series of their own, or which; 1,000 by default. The others share the label `(others)`, with the sum of their counters and
   * the worst of what is overdue and failing.
   */
  readonly tasks?: number | readonly string[];
  /**
   * Hears the scheduler of that store in this process by itself, through `node:diagnostics_channel`; `onEvent` does nothing then. It needs `store`.
   * Schedulers on stores of the same location, such as two in memory, are heard as one.
   */
  readonly listen?: boolean;
  /** Where it takes its time from; the host's clock by default. A test hands in its own. */
  readonly clock?: Clock;
}

export class Sources {
  readonly #recorder: Recorder;
  readonly #labels: TaskLabels;
  readonly #surveyor: Surveyor | undefined;
  readonly #loopDelay = new LoopDelay();
  readonly #hearCommit: (message: unknown) => void;
  /** Undefined if events are handed over. */
  readonly #hearEvent: ((message: unknown) => void) | undefined;

  /** Values of events go to the sink. `forgotten` is called for each removed task that had series of its own. */
  constructor(options: MetricsOptions, sink: Sink, forgotten?: (task: string) => void) {
    const { clock = hostClock, timeZone, tasks = MOST_TASKS } = options;
    checkTasks(tasks);
    const labels = new TaskLabels(tasks);
    this.#labels = labels;
    const store = storeOf(options.store);
    this.#recorder = new Recorder(sink, labels, forgotten);
    this.#surveyor = store && new Surveyor({ store, timeZone, clock, labels });
    this.#hearCommit = (message) => {
      const commit = message as CommitMessage; // the channel is ours
      if (store === undefined || commit.store === store.location) this.#recorder.committed(commit);
    };
    subscribe(COMMIT_CHANNEL, this.#hearCommit);
    this.#hearEvent = options.listen === true ? this.#listener(store) : undefined;
    if (this.#hearEvent !== undefined)
      for (const type of EVENT_NAMES) subscribe(eventChannel(type), this.#hearEvent);
  }

  readonly hear = (event: SchedulerEvent): void => {
    if (this.#hearEvent === undefined) this.#recorder.hear(event);
  };

  #listener(store: Store | undefined): (message: unknown) => void {
    if (store === undefined)
      throw new TypeError('listen needs the store of the scheduler that is listened to');
    return (message) => {
      const event = message as EventMessage; // the channels are ours
      if (event.store === store.location) this.#recorder.hear(event);
    };
  }

  /** The tasks that have series of their own; undefined where no scheduler was heard: nothing is counted there. */
  get heardTasks(): readonly string[] | undefined {
    return this.#recorder.hasHeard ? this.#labels.all : undefined;
  }

  /** What the store and the process say now. */
  async findings(): Promise<Findings> {
    const found: Findings = (await this.#surveyor?.findings()) ?? new Map();
    return new Map([...found, [METRICS.loopDelay, this.#loopDelay.series()], [METRICS.build, buildInfo()]]);
  }

  close(): void {
    unsubscribe(COMMIT_CHANNEL, this.#hearCommit);
    if (this.#hearEvent !== undefined)
      for (const type of EVENT_NAMES) unsubscribe(eventChannel(type), this.#hearEvent);
    this.#loopDelay.close();
  }
}

const storeOf = (given: MetricsOptions['store']): Store | undefined =>
  typeof given === 'string' || given instanceof URL ? sqlite(given) : given;

function checkTasks(tasks: number | readonly string[]): void {
  const isCount = typeof tasks === 'number' && Number.isSafeInteger(tasks) && tasks >= 0;
  if (!isCount && !Array.isArray(tasks))
    throw new TypeError('tasks must be a number of tasks, 0 or more, or a list of names');
}

let known: readonly Series[] | undefined;

function buildInfo(): readonly Series[] {
  known ??= [{ values: [version(), process.versions.node], point: 1 }];
  return known;
}
