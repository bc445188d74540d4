/** pg-boss with the shortest intervals that it allows, and batches that follow each other while they are full. */
import { PgBoss } from 'pg-boss';
import { nameOf, type OpenQueue, type Register } from '../driver.ts';

const QUEUE = 'tick';
const BATCH = 1000;
const SHORTEST_POLL_SECONDS = 0.5;

async function started(connectionString: string, call: () => void): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, cronMonitorIntervalSeconds: 1, cronWorkerIntervalSeconds: 1 });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  const options = {
    batchSize: BATCH,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: SHORTEST_POLL_SECONDS,
  };
  await boss.work(QUEUE, options, async (jobs) => {
    for (const _ of jobs) call();
  });
  return boss;
}

export const register: Register = async ({ url, tasks, cron, instance }, call) => {
  const boss = await started(url, call);
  for (let first = 0; instance === 0 && first < tasks; first += BATCH)
    await Promise.all(
      Array.from({ length: Math.min(BATCH, tasks - first) }, (_, index) =>
        boss.schedule(QUEUE, cron, null, { tz: 'UTC', key: nameOf(first + index) }),
      ),
    );
  return () => boss.stop({ graceful: false });
};

export const openQueue: OpenQueue = async (url, call) => {
  const boss = await started(url, call);
  return {
    async add(jobs) {
      for (let first = 0; first < jobs; first += BATCH)
        await boss.insert(
          QUEUE,
          Array.from({ length: Math.min(BATCH, jobs - first) }, (_, index) => ({
            data: { number: first + index },
          })),
        );
    },
    stop: () => boss.stop({ graceful: false }),
  };
};
