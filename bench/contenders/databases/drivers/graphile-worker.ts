/** graphile-worker, tuned as its page about performance advises: many jobs at a time, fetched and completed in batches. */
import { Logger, makeWorkerUtils, parseCronItems, type Runner, run } from 'graphile-worker';
import type { OpenQueue, Register } from '../driver.ts';
import { nameOf } from '../driver.ts';

const BATCH = 1000;

const silent = new Logger(() => () => {});
const preset = {
  worker: {
    concurrentJobs: 24,
    maxPoolSize: 26,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    logger: silent,
  },
};

const started = (
  connectionString: string,
  call: () => void,
  crons: Parameters<typeof parseCronItems>[0],
): Promise<Runner> =>
  run({
    connectionString,
    preset,
    noHandleSignals: true,
    taskList: { tick: () => call() },
    parsedCronItems: parseCronItems(crons),
  });

export const register: Register = async ({ url, tasks, cron }, call) => {
  const items = Array.from({ length: tasks }, (_, index) => ({
    task: 'tick',
    match: cron,
    identifier: nameOf(index),
  }));
  const runner = await started(url, call, items);
  return () => runner.stop();
};

export const openQueue: OpenQueue = async (url, call) => {
  const runner = await started(url, call, []);
  const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
  return {
    async add(jobs) {
      for (let first = 0; first < jobs; first += BATCH)
        await utils.addJobs(
          Array.from({ length: Math.min(BATCH, jobs - first) }, (_, index) => ({
            identifier: 'tick',
            payload: { number: first + index },
          })),
        );
    },
    async stop() {
      await utils.release();
      await runner.stop();
    },
  };
};
