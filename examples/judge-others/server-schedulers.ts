/** Queues that know cron, each set up as its documentation recommends for jobs that must not overlap and must not be lost. */
import type { Register, Setting } from './schedulers.ts';

const DAY_SECONDS = 24 * 60 * 60;
const DAY_MS = DAY_SECONDS * 1000;
/** Longer than by default (2 to 5 s), so that days of simulated time are not hours of real time; short enough for every start to be in time. */
const POLL_SECONDS = 10;
/** For pools: a connection that is not used for ten seconds of simulated time would be made anew, and that takes real time. */
const KEPT_OPEN = { idleTimeoutMillis: 0 };

/** Their queues have names without blanks. */
const queueOf = (name: string): string => name.replaceAll(/[^\w]/g, '-');

function addressOf({ serverUrl }: Setting): string {
  if (serverUrl === undefined) throw new Error('this scheduler needs a server');
  return serverUrl;
}

export const pgBoss: Register = async (setting) => {
  const { PgBoss } = await import('pg-boss');
  // Its door for tests: the clock of the process, and a function of the database that all of its statements ask for the time.
  const clock = {
    now: () => Date.now(),
    setTimeout: (call: () => void, ms: number): unknown => setTimeout(call, ms),
    setInterval: (call: () => void, ms: number): unknown => setInterval(call, ms),
    clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout), // it is one of ours, handed back
    clearInterval: (timer: unknown) => clearInterval(timer as NodeJS.Timeout),
    async attach({ db, schema }: { db: { executeSql(text: string): Promise<unknown> }; schema: string }) {
      await db.executeSql(
        `CREATE OR REPLACE FUNCTION ${schema}.job_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM simulated.clock'`,
      );
      return { [Symbol.asyncDispose]: async () => {} };
    },
  };
  const connectionString = addressOf(setting);
  const boss = new PgBoss({ connectionString, ...KEPT_OPEN, clock, cronWorkerIntervalSeconds: POLL_SECONDS });
  boss.on('error', () => {});
  await boss.start();
  for (const { name, cron, retryDelayMs, work } of setting.tasks) {
    const queue = queueOf(name);
    await boss.createQueue(queue, {
      policy: 'short',
      retryLimit: 2,
      retryDelay: retryDelayMs / 1000,
      heartbeatSeconds: 30,
      expireInSeconds: DAY_SECONDS - 1,
    });
    await boss.work(queue, { pollingIntervalSeconds: POLL_SECONDS }, () => work());
    await boss.schedule(queue, cron, null, { tz: setting.timeZone, missed: 'once' });
  }
  return () => boss.stop({ timeout: DAY_MS });
};

/** The hour field of the zone as that of UTC; on a January day, which is when it is asked for. */
function inUtc(cron: string, timeZone: string): string {
  const [minute, hour, ...rest] = cron.split(' ');
  if (hour === '*') return cron;
  const at = new Date(Date.now());
  const local = Number(
    new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(at),
  );
  return [minute, (Number(hour) + at.getUTCHours() - local + 24) % 24, ...rest].join(' ');
}

export const graphileWorker: Register = async (setting) => {
  const { Logger, parseCronItems, run } = await import('graphile-worker');
  const { Pool } = await import('pg');
  const pgPool = new Pool({ connectionString: addressOf(setting), max: 12, ...KEPT_OPEN });
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  const { tasks, timeZone } = setting;
  const runner = await run({
    pgPool,
    concurrency: 10,
    pollInterval: POLL_SECONDS * 1000,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: Object.fromEntries(tasks.map(({ name, work }) => [queueOf(name), () => work()])),
    parsedCronItems: parseCronItems(
      tasks.map(({ name, cron }) => ({
        task: queueOf(name),
        match: inUtc(cron, timeZone),
        options: {
          backfillPeriod: DAY_MS,
          queueName: queueOf(name),
          jobKey: queueOf(name),
          jobKeyMode: 'replace',
        },
      })),
    ),
  });
  return async () => {
    await runner.stop();
    await pgPool.end();
  };
};

export const bullmq: Register = async (setting) => {
  const { Queue, Worker } = await import('bullmq');
  const { hostname: host, port, pathname } = new URL(addressOf(setting));
  const connection = { host, port: Number(port), db: Number(pathname.slice(1)), maxRetriesPerRequest: null };
  const workers: { close(): Promise<void> }[] = [];
  for (const { name, cron: pattern, retryDelayMs, work } of setting.tasks) {
    const queue = new Queue(queueOf(name), { connection });
    const worker = new Worker(queueOf(name), () => work(), { connection });
    worker.on('error', () => {});
    await worker.waitUntilReady();
    await queue.upsertJobScheduler(
      queueOf(name),
      { pattern, tz: setting.timeZone },
      { opts: { attempts: 3, backoff: { type: 'fixed', delay: retryDelayMs }, removeOnComplete: true } },
    );
    workers.push(worker);
  }
  return () => Promise.all(workers.map((worker) => worker.close()));
};
