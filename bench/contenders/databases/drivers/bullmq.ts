/** BullMQ on Redis: a job scheduler per task, and a worker with as many jobs at a time as its guide shows for short ones. */
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { type Driver, nameOf, type OpenQueue, type Register } from '../driver.ts';
import { redisGauges } from './redis-gauges.ts';

const QUEUE = 'tick';
const BATCH = 1000;
const CONCURRENCY = 100;

const connectionTo = (url: string): ConnectionOptions => ({
  host: '127.0.0.1',
  port: Number(new URL(url).port),
  maxRetriesPerRequest: null,
});

async function workerOf(connection: ConnectionOptions, call: () => void): Promise<Worker> {
  const worker = new Worker(QUEUE, async () => call(), { connection, concurrency: CONCURRENCY });
  worker.on('error', (error) => console.error(error));
  await worker.waitUntilReady();
  return worker;
}

export const register: Register = async ({ url, tasks, cron: pattern, instance }, call) => {
  const connection = connectionTo(url);
  const queue = new Queue(QUEUE, { connection });
  for (let first = 0; instance === 0 && first < tasks; first += BATCH)
    await Promise.all(
      Array.from({ length: Math.min(BATCH, tasks - first) }, (_, index) =>
        queue.upsertJobScheduler(nameOf(first + index), { pattern, tz: 'UTC' }, { name: QUEUE }),
      ),
    );
  const worker = await workerOf(connection, call);
  return async () => {
    await worker.close(true);
    await queue.close();
  };
};

export const gaugesOf: Driver['gaugesOf'] = redisGauges;

export const openQueue: OpenQueue = async (url, call) => {
  const connection = connectionTo(url);
  const queue = new Queue(QUEUE, { connection });
  const worker = await workerOf(connection, call);
  return {
    async add(jobs) {
      for (let first = 0; first < jobs; first += BATCH)
        await queue.addBulk(
          Array.from({ length: Math.min(BATCH, jobs - first) }, (_, index) => ({
            name: QUEUE,
            data: { number: first + index },
          })),
        );
    },
    async stop() {
      await worker.close(true);
      await queue.close();
    },
  };
};
