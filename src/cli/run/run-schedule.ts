/**
 * Runs the schedule of a configuration until somebody stops it, with a reporter that shows what happens.
 *
 *     begun ──initialize──▶ running ──a signal──▶ stopping ──all runs ended──▶ over
 *       └──the store fails──▶ over                   └──Ctrl-C again──▶ left at once
 *
 * An error that nothing catches ends it at once in every state.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Config, taskFacts } from '../../config.ts';
import {
  createScheduler,
  inspect,
  type Scheduler,
  type SchedulerEvent,
  type Store,
  StoreLockedError,
} from '../../index.ts';
import { describeError } from '../../text/describe-error.ts';
import { FAILED, FORCED, OK } from '../errors.ts';
import { messageOf } from '../terminal/text.ts';
import { Capture } from './capture.ts';
import { composedTrace, toEach } from './guests.ts';
import type { LastingOutput } from './log.ts';
import type { Recording } from './recording.ts';
import { isEndOfRun, type Reporter } from './reporter.ts';
import { Shutdown } from './shutdown.ts';
import { TaskPings } from './task-pings.ts';

export interface SchedulePlan extends Reloading {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  readonly reporter: Reporter;
  /** Where the reporter writes. */
  readonly out: LastingOutput;
  /** What records every record of the trace. */
  readonly recording: Recording | undefined;
  /** Hears every event, as the configuration's own listener does. */
  readonly onEvent: ((event: SchedulerEvent) => void) | undefined;
}

/** Another configuration while it runs (I5). */
export interface Reloading {
  /** Loads the configuration again. */
  readonly loadAgain: () => Promise<Config>;
  /** A file whose changes load it again. */
  readonly watched: string | undefined;
  /** Whether SIGHUP loads it again; on a terminal it means that the terminal has gone. */
  readonly reloadsOnHangUp: boolean;
  /** Whether a list may forget most of what is stored (I6). */
  readonly allowsRemoval: boolean;
}

/** How long a file must be left alone before it is loaded again. */
const QUIET_MS = 200;

/** Resolves to the exit code, once everything is stopped; rejects if the schedule cannot begin. */
export const runSchedule = async (plan: SchedulePlan): Promise<number> => new ScheduleRun(plan).run();

class ScheduleRun {
  readonly #plan: SchedulePlan;
  readonly #scheduler: Scheduler;
  readonly #capture: Capture;
  readonly #shutdown: Shutdown;
  readonly #pings: TaskPings;
  readonly #over = Promise.withResolvers<number>();
  /** Resolves when the first list is in force. A change that comes before that waits for it. */
  readonly #initialized = Promise.withResolvers<void>();
  /** The names of the tasks that run, as the events tell it. */
  readonly #running = new Set<string>();
  #isBegun = false;
  #isStopping = false;
  #isUnread = false;
  #watcher: FSWatcher | undefined;
  #changed: NodeJS.Timeout | undefined;
  /** A callback may wait for something that does not keep the process alive; the process must still wait for the callback. */
  #alive: NodeJS.Timeout | undefined;

  constructor(plan: SchedulePlan) {
    const { now, reporter, out, recording } = plan;
    this.#plan = plan;
    this.#capture = new Capture((line) => {
      reporter.output(line, now());
      return out.room?.();
    });
    const reload = (): void => void this.#reload('asked');
    this.#shutdown = new Shutdown({
      stop: (why) => this.#stop(why),
      leave: () => this.#leave(),
      ...(plan.reloadsOnHangUp ? { reload } : {}),
    });
    recording?.attach((notice) => reporter.notice(notice));
    this.#pings = new TaskPings((message) => reporter.notice({ type: 'Trouble', at: now(), message }));
    this.#scheduler = this.#createScheduler();
  }

  async run(): Promise<number> {
    const { config, store, reporter, recording } = this.#plan;
    this.#alive = setInterval(() => {}, 2 ** 30);
    this.#capture.start();
    process.on('uncaughtException', this.#failed);
    this.#shutdown.listen();
    this.#watch();
    try {
      await this.#pings.use(config.tasks);
      await this.#scheduler.initialize(this.#capture.named(config.tasks));
      this.#initialized.resolve();
      await showHistory(store, reporter);
      return await this.#over.promise;
    } catch (error) {
      // It was asked to stop while it waited for its store: nothing was begun, and it ends in order.
      if (this.#isStopping && error instanceof StoreLockedError) return await this.#over.promise;
      throw error;
    } finally {
      await recording?.close();
      await this.#pings.close();
      this.#close();
      if (this.#isUnread)
        process.stderr.write('error: Nothing reads the output any more, so the schedule has ended\n');
    }
  }

  #createScheduler(): Scheduler {
    const { config, store, now, reporter, recording } = this.#plan;
    const { tasks: _tasks, store: _store, onEvent, trace, ...options } = config;
    const trouble = (message: string): void => reporter.notice({ type: 'Trouble', at: now(), message });
    // What the scheduler warns of later is in its events too.
    const warn = (message: string): void => {
      if (!this.#isBegun) trouble(message);
    };
    return createScheduler({
      // Failures of tasks are in the events.
      logger: { debug() {}, info() {}, warn, error: trouble, failure() {} },
      guardRemovals: true,
      ...options,
      ...(this.#plan.allowsRemoval ? { guardRemovals: false } : {}),
      reload: true,
      store,
      onEvent: toEach([
        (event) => this.#follow(event),
        (event) => reporter.event(event),
        this.#plan.onEvent,
        this.#pings.onEvent,
        onEvent,
      ]),
      ...composedTrace([trace, ...(recording?.sinks ?? [])], (error) =>
        trouble(`the trace has a hole: its sink rejected: ${messageOf(error)}`),
      ),
    });
  }

  /** A change often comes as several events, and an editor may replace the file: so the folder is watched, for a quiet moment. */
  #watch(): void {
    const { watched } = this.#plan;
    if (watched === undefined) return;
    this.#watcher = watch(dirname(watched), (_event, file) => {
      if (file !== null && file !== basename(watched)) return;
      clearTimeout(this.#changed);
      this.#changed = setTimeout(() => void this.#reload('changed'), QUIET_MS);
    });
    this.#watcher.on('error', (error) =>
      this.#plan.reporter.notice({
        type: 'Trouble',
        at: this.#plan.now(),
        message: `the configuration is not watched any more: ${messageOf(error)}`,
      }),
    );
  }

  /** Another list (I5). Only tasks are replaced: what else a configuration says counts from the next start of the process. */
  async #reload(why: 'asked' | 'changed'): Promise<void> {
    const { reporter, now, loadAgain } = this.#plan;
    await this.#initialized.promise;
    if (this.#isStopping) return;
    reporter.notice({ type: 'Reloading', at: now(), why });
    try {
      const { tasks } = await loadAgain();
      await this.#scheduler.initialize(this.#capture.named(tasks));
      await this.#pings.use(tasks);
      reporter.relist?.(taskFacts(tasks));
    } catch (error) {
      reporter.notice({
        type: 'Trouble',
        at: now(),
        message: `the tasks stay as they were: ${messageOf(error)}`,
      });
    }
  }

  #follow(event: SchedulerEvent): void {
    if (event.type === 'SchedulerInitializationCompleted') this.#isBegun = true;
    // A supervisor starts it again, and it waits for its store then.
    if (event.type === 'StoreLost' && !this.#isStopping) this.#stop('asked');
    if (event.type === 'TaskRunStarted' || event.type === 'TaskRetryStarted') this.#running.add(event.task);
    if (isEndOfRun(event)) this.#running.delete(event.task);
  }

  #stop(why: 'asked' | 'unread'): void {
    const { reporter, now } = this.#plan;
    this.#isStopping = true;
    this.#isUnread = why === 'unread';
    reporter.notice({ type: 'StopWaiting', at: now(), waitingFor: [...this.#running] });
    this.#scheduler.stop().then(
      // A supervisor restarts what failed, and a log that nothing reads is a failure.
      () => this.#over.resolve(this.#isUnread ? FAILED : OK),
      () => this.#over.resolve(FAILED), // the event of the stop has said why
    );
  }

  #leave(): void {
    const { reporter, now } = this.#plan;
    reporter.notice({ type: 'LeftAtOnce', at: now(), interrupted: [...this.#running] });
    this.#close();
    process.exit(FORCED);
  }

  /** An error that nothing caught comes from the user's code, which may have left anything half done: so this life is over. */
  readonly #failed = (error: unknown): void => {
    this.#close();
    const { text } = describeError(error);
    process.stderr.write(`error: this was not caught, so the schedule ends: ${text}\n`);
    process.exit(FAILED);
  };

  #close(): void {
    this.#watcher?.close();
    clearTimeout(this.#changed);
    clearInterval(this.#alive);
    this.#shutdown.finish();
    process.off('uncaughtException', this.#failed);
    this.#capture.stop();
    this.#plan.reporter.close();
  }
}

/** Shows what was before, if that is possible: a store that cannot be looked into is no reason not to run. */
async function showHistory(store: Store, reporter: Reporter): Promise<void> {
  if (store.inspect === undefined || reporter.remember === undefined) return;
  const { records } = await inspect(store).catch(() => ({ records: [] }));
  reporter.remember(records);
}
