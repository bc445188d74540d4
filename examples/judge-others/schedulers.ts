/** The schedulers, each set up as its documentation recommends. An adapter is a few lines. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import type { Recorder, Work } from './recorder.ts';
import type { Task } from './scenarios.ts';
import { bullmq, graphileWorker, pgBoss } from './server-schedulers.ts';
import type { ServerKind } from './servers.ts';
import type { SimulatedTime } from './time.ts';

export interface Setting {
  readonly tasks: readonly (Task & { readonly work: Work })[];
  readonly timeZone: string;
  readonly recorder: Recorder;
  readonly time: SimulatedTime;
  /** Where something durable can be kept. */
  readonly folder: string;
  /** The database of a scheduler that needs one. */
  readonly serverUrl?: string;
}

/** Registers the tasks; answers how all of it is stopped. */
export type Register = (setting: Setting) => Promise<() => unknown>;

export interface Scheduler {
  readonly name: string;
  readonly version: string;
  /** How it is set up here. */
  readonly uses: string;
  /** A scheduler with a zone option runs on a host in UTC, as servers do; one without it, on a host in the zone. */
  readonly zoneFrom: 'option' | 'host';
  readonly register: Register;
  /** The server that it needs. Such a scheduler is played when traces are recorded, and its recorded traces are judged. */
  readonly server?: ServerKind;
  /** Why it cannot be set up for a scenario, by the scenario. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/** The version that is really installed; of `../..`, this package's own. */
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(findPackageJSON(name, import.meta.url) ?? '', 'utf8')).version;

/** A day: whatever was missed within it may still be served. */
const DAY_MS = 24 * 60 * 60_000;

/** Registers with a scheduler that is silent about itself, and writes down what it does. */
const recorded =
  (register: Register): Register =>
  async (setting) => {
    const { recorder, timeZone } = setting;
    const registrations = setting.tasks.map(({ name, cron, retryDelayMs }) => ({ name, cron, retryDelayMs }));
    recorder.now({ event: 'InitStart', registrations, timeZone });
    const tasks = setting.tasks.map((task) => ({ ...task, work: recorder.run(task, task.work) }));
    const stop = await register({ ...setting, tasks });
    recorder.now({ event: 'InitSuccess' });
    return async () => {
      recorder.now({ event: 'StopStart' });
      await stop();
      recorder.now({ event: 'StopEnd' });
    };
  };

/**
 * Ours keeps its own trace. It also notes when it notices that the clock was set; like the others it is judged by when it really was.
 * The disk is real, so simulated time waits for its answers.
 */
const obbligato: Register = async ({ tasks, timeZone, recorder, time, folder }) => {
  const { createScheduler, sqlite } = await import('obbligato');
  const disk = sqlite(join(folder, 'state.db'));
  const scheduler = createScheduler({
    timeZone,
    trace: (record) => {
      if (record.event !== 'ClockStep') recorder.write(record);
    },
    store: {
      location: disk.location,
      open: async (options) => {
        const session = await time.awaiting(disk.open(options));
        return {
          read: (names) => time.awaiting(session.read(names)),
          commit: (batch) => time.awaiting(session.commit(batch)),
          close: () => time.awaiting(session.close()),
        };
      },
    },
  });
  await scheduler.initialize(
    tasks.map(({ name, cron, work, retryDelayMs }) => [name, cron, work, retryDelayMs] as const),
  );
  return () => scheduler.stop();
};

const croner: Register = async ({ tasks, timeZone }) => {
  const { Cron } = await import('croner');
  const jobs = tasks.map(
    ({ name, cron, work }) =>
      new Cron(cron, { name, timezone: timeZone, protect: true, catch: true, mode: '5-part' }, work),
  );
  return () => {
    for (const job of jobs) job.stop();
  };
};

const nodeCron: Register = async ({ tasks, timeZone }) => {
  const { schedule, setLogger, shutdown } = await import('node-cron');
  const quiet = (): void => {};
  setLogger({ info: quiet, warn: quiet, error: quiet, debug: quiet });
  for (const { name, cron, work } of tasks)
    schedule(cron, work, {
      name,
      timezone: timeZone,
      noOverlap: true,
      missedExecutionTolerance: DAY_MS,
    });
  return () => shutdown(DAY_MS);
};

const cron: Register = async ({ tasks, timeZone }) => {
  const { CronJob } = await import('cron');
  const jobs = tasks.map(({ name, cron: cronTime, work: onTick }) =>
    CronJob.from({
      name,
      cronTime,
      onTick,
      timeZone,
      start: true,
      waitForCompletion: true,
      threshold: DAY_MS,
      errorHandler: () => {},
    }),
  );
  return () => Promise.all(jobs.map((job) => job.stop()));
};

const nodeSchedule: Register = async ({ tasks, timeZone: tz }) => {
  const { gracefulShutdown, scheduleJob } = await import('node-schedule');
  for (const { name, cron: rule, work } of tasks) scheduleJob(name, { rule, tz }, work).on('error', () => {});
  return () => gracefulShutdown();
};

/** What many begin with: look once a minute, compare the fields, remember nothing. The zone is the host's. */
const poller: Register = async ({ tasks }) => {
  const matches = (field: string, value: number): boolean =>
    field === '*' ||
    field.split(',').some((part) => {
      const [first, last = first] = part.split('-').map(Number);
      return first <= value && value <= last;
    });
  const timer = setInterval(() => {
    const now = new Date();
    const values = [now.getMinutes(), now.getHours(), now.getDate(), now.getMonth() + 1, now.getDay()];
    for (const { cron: expression, work } of tasks)
      if (expression.split(' ').every((field, i) => matches(field, values[i]))) work().catch(() => {});
  }, 60_000);
  return () => clearInterval(timer);
};

export const schedulers: readonly Scheduler[] = [
  {
    name: 'obbligato',
    version: versionOf('../..'),
    uses: '{ timeZone, store: sqlite(file) }; await stop()',
    zoneFrom: 'option',
    register: obbligato,
  },
  {
    name: 'croner',
    version: versionOf('croner'),
    uses: '{ timezone, protect: true, catch: true }; stop() on each job',
    zoneFrom: 'option',
    register: recorded(croner),
  },
  {
    name: 'node-cron',
    version: versionOf('node-cron'),
    uses: '{ timezone, noOverlap: true, missedExecutionTolerance: one day }; shutdown(one day)',
    zoneFrom: 'option',
    register: recorded(nodeCron),
  },
  {
    name: 'cron',
    version: versionOf('cron'),
    uses: '{ timeZone, waitForCompletion: true, threshold: one day, errorHandler }; await stop() on each job',
    zoneFrom: 'option',
    register: recorded(cron),
  },
  {
    name: 'node-schedule',
    version: versionOf('node-schedule'),
    uses: "{ rule, tz }, on('error'); gracefulShutdown()",
    zoneFrom: 'option',
    register: recorded(nodeSchedule),
  },
  {
    name: 'minute poller',
    version: '',
    uses: 'setInterval(60 s) that compares the fields of new Date()',
    zoneFrom: 'host',
    register: recorded(poller),
  },
  {
    name: 'pg-boss',
    version: versionOf('pg-boss'),
    uses: "a queue per task with policy 'short' and one worker, retryLimit 2, retryDelay as given, heartbeatSeconds 30, expireInSeconds one day, polling every 10 s; schedule(…, { tz, missed: 'once' }); stop({ timeout: one day })",
    zoneFrom: 'option',
    server: 'postgres',
    register: recorded(pgBoss),
  },
  {
    name: 'graphile-worker',
    version: versionOf('graphile-worker'),
    uses: 'cron items in UTC with backfillPeriod one day, a queueName and a jobKey per task, polling every 10 s; stop()',
    zoneFrom: 'option',
    server: 'postgres',
    register: recorded(graphileWorker),
    cannot: {
      spring: 'its schedules are in UTC, and have no clock changes',
      autumn: 'its schedules are in UTC, and have no clock changes',
      retry: 'the delay before a retry is a function of the attempt, and cannot be set to five minutes',
    },
  },
  {
    name: 'bullmq',
    version: versionOf('bullmq'),
    uses: 'a queue, a worker and a job scheduler { pattern, tz } per task, attempts 3, fixed backoff as given; close() on each worker',
    zoneFrom: 'option',
    server: 'redis',
    register: recorded(bullmq),
  },
];
