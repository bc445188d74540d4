/** Runs the schedule of a configuration until somebody stops it, and has it told by a reporter. */
import type { Config } from '../../config.ts';
import {
  createScheduler,
  inspect,
  type SchedulerEvent,
  type Store,
  StoreLockedError,
  type TraceSink,
} from '../../index.ts';
import { FAILED, FORCED, OK } from '../errors.ts';
import { messageOf } from '../terminal/text.ts';
import { Capture } from './capture.ts';
import type { Recording } from './recording.ts';
import type { Reporter } from './reporter.ts';
import { Shutdown } from './shutdown.ts';

export interface SchedulePlan {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  readonly reporter: Reporter;
  /** Who else is told of every record of the trace. */
  readonly recording?: Recording;
}

/** Resolves to the exit code, once everything is stopped; rejects if the schedule cannot begin. */
export async function runSchedule(plan: SchedulePlan): Promise<number> {
  const { config, store, now, reporter, recording } = plan;
  const { tasks, onEvent, trace, store: _, ...options } = config;
  const running = new Set<string>();
  const capture = new Capture((line) => reporter.output(line, now()));
  recording?.attach((notice) => reporter.notice(notice));
  const trouble = (message: string): void => reporter.notice({ type: 'Trouble', at: now(), message });
  // What the scheduler warns of later, its events tell too.
  let isBegun = false;
  let isStopping = false;
  const scheduler = createScheduler({
    logger: { debug() {}, info() {}, warn: (message) => isBegun || trouble(message), error: trouble },
    ...options,
    store,
    onEvent: toEach([
      ({ type }) => {
        isBegun ||= type === 'SchedulerInitializationCompleted';
      },
      (event) => follow(running, event),
      (event) => reporter.event(event),
      onEvent,
    ]),
    ...composed([trace, ...(recording?.sinks ?? [])]),
  });

  const { promise: over, resolve: end } = Promise.withResolvers<number>();
  const close = (): void => {
    clearInterval(alive);
    shutdown.finish();
    process.off('uncaughtException', failed);
    capture.stop();
    reporter.close();
  };
  const shutdown = new Shutdown({
    stop() {
      isStopping = true;
      reporter.notice({ type: 'StopWaiting', at: now(), waitingFor: [...running] });
      scheduler.stop().then(
        () => end(OK),
        () => end(FAILED), // the event of the stop has said why
      );
    },
    leave() {
      reporter.notice({ type: 'LeftAtOnce', at: now(), interrupted: [...running] });
      close();
      process.exit(FORCED);
    },
  });
  // An error that nobody caught is one of the user's code, which may have left anything half done: so this life is over.
  const failed = (error: unknown): void => {
    close();
    const where = error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error);
    process.stderr.write(`error: nobody caught this, and so the schedule ends: ${where}\n`);
    process.exit(FAILED);
  };

  // A callback may wait for something that keeps no process alive; stopping then has to wait for it all the same.
  const alive = setInterval(() => {}, 2 ** 30);
  capture.start();
  process.on('uncaughtException', failed);
  shutdown.listen();
  try {
    await scheduler.initialize(capture.named(tasks));
    await tellHistory(store, reporter);
    return await over;
  } catch (error) {
    // Told to stop while it waited for its store: nothing was begun, and it ends in order.
    if (isStopping && error instanceof StoreLockedError) return await over;
    throw error;
  } finally {
    await recording?.close();
    close();
  }
}

/** What was before is nice to see, and no more: a store that cannot be looked into is no reason not to run. */
async function tellHistory(store: Store, reporter: Reporter): Promise<void> {
  if (store.inspect === undefined || reporter.remember === undefined) return;
  const { records } = await inspect(store).catch(() => ({ records: [] }));
  reporter.remember(records);
}

/** One listener out of many; a guest that throws does not keep the others from hearing. */
function toEach(
  listeners: ReadonlyArray<((event: SchedulerEvent) => void) | undefined>,
): (event: SchedulerEvent) => void {
  return (event) => {
    for (const listener of listeners) {
      try {
        listener?.(event);
      } catch {
        // As the scheduler itself has it: whatever a listener throws is its own affair.
      }
    }
  };
}

/** One trace sink out of many; none at all, if there are none. What one throws is told when the others have heard. */
function composed(sinks: ReadonlyArray<TraceSink | undefined>): { trace?: TraceSink } {
  const present = sinks.filter((sink) => sink !== undefined);
  if (present.length === 0) return {};
  return {
    trace(record) {
      const errors: unknown[] = [];
      for (const sink of present) {
        try {
          sink(record);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** Who runs, as the events tell it. */
function follow(running: Set<string>, event: SchedulerEvent): void {
  if (event.type === 'TaskRunStarted' || event.type === 'TaskRetryStarted') running.add(event.task);
  if (event.type === 'TaskRunCompleted' || event.type === 'TaskRunFailed') running.delete(event.task);
}
