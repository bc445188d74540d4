/**
 * A million tasks that do nothing, through the executor and through the queues that people use for it.
 *
 * What each pays for a task. Ours, *standing*: the tasks were added before, as a scheduler's are, and each is triggered
 * once; a bit is set, a link is followed, a callback is called. Ours, *one-off*: each is added, triggered and ended as
 * well, so an object for each is made and forgotten. The others know no standing tasks: they are handed a million
 * functions, or a million items for one worker function. All have the same callback and the same concurrency,
 * and all run to the end. A task may not overlap itself here, so a million runs need a million tasks.
 */
import async from 'async';
import fastq from 'fastq';
import pLimit from 'p-limit';
import PQueue from 'p-queue';
import { createExecutor, type Executor, type ManualTask, manual } from '../src/executor/index.ts';
import { type Contender, compare, duration } from './harness.ts';

const TASKS = 1_000_000;
const WORKERS = 100;
const ROUNDS = 3;

type Work = () => unknown;
let calls = 0;
const atOnce: Work = () => {
  calls++;
};
const inPromise: Work = async () => {
  calls++;
};

interface Standing {
  readonly executor: Executor;
  readonly tasks: readonly ManualTask<void>[];
}

function stand(work: Work): Standing {
  const executor = createExecutor({ workers: WORKERS });
  return { executor, tasks: Array.from({ length: TASKS }, () => executor.add('task', manual(), work)) };
}

/** Triggers all, and one more that is last in the queue. With promises, that one starts when the last of them ran. */
async function triggerAll({ executor, tasks }: Standing): Promise<number> {
  for (const task of tasks) task.trigger();
  const { promise, resolve } = Promise.withResolvers<void>();
  const last = executor.add('last', manual(), () => resolve());
  last.trigger();
  last.end();
  await promise;
  return calls;
}

async function oneOff(work: Work): Promise<number> {
  const executor = createExecutor({ workers: WORKERS });
  const source = manual();
  for (let n = 0; n < TASKS; n++) {
    const task = executor.add('task', source, work);
    task.trigger();
    task.end();
  }
  await executor.done;
  return calls;
}

const peers: Record<string, (work: Work) => Promise<unknown>> = {
  fastq: (work) =>
    new Promise((resolve) => {
      // Its callback style: a worker that calls back at once if the work was done at once.
      const queue = fastq<unknown, number>((_, done) => {
        const result = work();
        if (result instanceof Promise) result.then(() => done(null), done);
        else done(null);
      }, WORKERS);
      queue.drain = () => resolve(calls);
      for (let n = 0; n < TASKS; n++) queue.push(n, noop);
    }),
  'fastq.promise': async (work) => {
    const queue = fastq.promise<unknown, number>(async () => work(), WORKERS);
    for (let n = 0; n < TASKS; n++) queue.push(n);
    await queue.drained();
    return calls;
  },
  'async.queue': async (work) => {
    const queue = async.queue<number>((_, done) => {
      const result = work();
      if (result instanceof Promise) result.then(() => done(), done);
      else done();
    }, WORKERS);
    for (let n = 0; n < TASKS; n++) queue.push(n, noop);
    await queue.drain();
    return calls;
  },
  'p-limit': async (work) => {
    const limit = pLimit(WORKERS);
    const promises: Promise<unknown>[] = [];
    for (let n = 0; n < TASKS; n++) promises.push(limit(work));
    await Promise.all(promises);
    return calls;
  },
  'p-queue': async (work) => {
    const queue = new PQueue({ concurrency: WORKERS });
    for (let n = 0; n < TASKS; n++) queue.add(async () => work());
    await queue.onIdle();
    return calls;
  },
};
const noop = (): void => {};

function contenders(work: Work, standing: Standing): Contender[] {
  const all: Record<string, () => unknown> = {
    'obbligato, standing': () => triggerAll(standing),
    'obbligato, one-off': () => oneOff(work),
    ...Object.fromEntries(Object.entries(peers).map(([name, run]) => [name, () => run(work)])),
  };
  return Object.entries(all).map(([name, run]) => ({ name, operations: TASKS, run: counted(run) }));
}

/** Fails if not every task was run, once. */
function counted(run: () => unknown): () => Promise<unknown> {
  return async () => {
    const before = calls;
    const result = await run();
    if (calls - before !== TASKS) throw new Error(`${calls - before} runs of ${TASKS}`);
    return result;
  };
}

/**
 * The longest time for which the event loop did not come round, from the last task handed over (the caller's own loop is
 * the caller's) to the last one run, once with each contender. (`monitorEventLoopDelay` shows nothing for those that never let it come round at all.)
 */
async function delays(title: string, work: Work, standing: Standing): Promise<void> {
  console.log(`\n${title}: how long the event loop was held up at most`);
  for (const { name, run } of contenders(work, standing)) {
    globalThis.gc?.();
    const running = run(); // hands over all tasks before it comes back
    const watch = watchLoop();
    await running;
    console.log(`  ${name.padEnd(34)} ${duration((await watch.longestMs()) * 1e6).padStart(10)}`);
  }
}

/** Notes the longest time between two rounds of the loop, until it is asked. */
function watchLoop(): { longestMs: () => Promise<number> } {
  let longestMs = 0;
  let seenAtMs = performance.now();
  let asked: ((ms: number) => void) | undefined;
  const look = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - seenAtMs);
    seenAtMs = nowMs;
    if (asked === undefined) setImmediate(look);
    else asked(longestMs);
  };
  setImmediate(look);
  return { longestMs: () => new Promise((resolve) => (asked = resolve)) };
}

for (const [kind, work] of [
  ['ending at once', atOnce],
  ['returning a promise', inPromise],
] as const) {
  const title = `${TASKS.toLocaleString('en')} no-op tasks ${kind}, ${WORKERS} at a time`;
  const standing = stand(work);
  await compare(title, contenders(work, standing), { rounds: ROUNDS });
  await delays(title, work, standing);
  await standing.executor.stop();
}
