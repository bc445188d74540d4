/** Jobs through the queue of a peer: what it is made for. */
import { contend } from '../../runner/contend.ts';
import type { Figures } from '../../runner/scenario.ts';
import { sleep, wallClock } from '../measuring.ts';
import { openDatabase } from './database.ts';
import { driverOf, type Kind } from './driver.ts';

export interface QueueParams {
  readonly kind: Kind;
  readonly jobs: number;
}

const LOOK_EVERY_MS = 20;
const LONGEST_MS = 300_000;

await contend<QueueParams>(async ({ kind, jobs }): Promise<Figures> => {
  const { openQueue } = await driverOf(kind);
  if (openQueue === undefined) throw new Error(`${kind} has no queue`);
  const database = await openDatabase(kind);
  let calls = 0;
  let lastAt = 0;
  const queue = await openQueue(database.url, () => {
    calls++;
    lastAt = wallClock();
  });
  try {
    const logBefore = await database.logBytes();
    const startedAt = wallClock();
    await queue.add(jobs);
    const addedMs = wallClock() - startedAt;
    while (calls < jobs || (await database.ends(1)) < jobs) {
      if (wallClock() > startedAt + LONGEST_MS) throw new Error(`only ${calls} of ${jobs} jobs were handled`);
      await sleep(LOOK_EVERY_MS);
    }
    return {
      addedMs,
      lastCallMs: lastAt - startedAt,
      jobsPerSecond: (jobs * 1000) / (wallClock() - startedAt),
      logBytesPerJob: ((await database.logBytes()) - logBefore) / jobs,
    };
  } finally {
    await queue.stop();
    await database.stop();
  }
});
