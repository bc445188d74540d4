/**
 * Our scheduler, on a real file: initialize on an empty one, then a minute in which some or all tasks are due. It stays what it is
 * when it ships: the host's clock, the embedded store, default options.
 */
import { createScheduler, type Registration, type SchedulerOptions } from 'obbligato';
import { contend } from '../runner/contend.ts';
import type { Figures, GivenParams } from '../runner/scenario.ts';
import { type CountedStore, countedStore } from './counted-store.ts';
import { cpuMs, liveBytes, sleep, wallClock, watchLoop, writtenBytes } from './measuring.ts';
import { createTally, dueMinute, type ListParams, taskList } from './task-list.ts';

export interface MinuteParams extends ListParams {
  /** No history of runs is kept. Without it, what the scheduler keeps by default is. */
  readonly history?: false;
}

/** What the process has done until now. */
interface Done {
  readonly bytes: number;
  readonly syncs: number;
}

const doneBy = async (counted: CountedStore, folder: string): Promise<Done> => ({
  bytes: await writtenBytes(folder),
  syncs: counted.commits(),
});

await contend<MinuteParams>(async (params): Promise<Figures> => {
  const { tasks, dueEvery, isQuick } = params;
  const due = dueEvery > 0 ? Math.ceil(tasks / dueEvery) : 0;
  const dueAt = await dueMinute(params, isQuick);
  const tally = createTally(due);
  const list = taskList(params, dueAt, tally.call);
  const bytesBefore = await liveBytes();
  const life = await initialize(params, list, due);
  if (isQuick && due > 0 && Date.now() >= dueAt + 60_000)
    throw new Error('initialize took longer than the time that was left of the minute');
  if (isQuick && due > 0)
    return { dueAt, ...life.figures, ...(await minute(life, tally.all, life.initializedAt)) };
  const figures = { dueAt, ...life.figures, heapBytes: ((await liveBytes()) - bytesBefore) / tasks };
  if (due === 0) {
    await life.scheduler.stop();
    return figures;
  }
  await untilShortlyBefore(dueAt);
  return { ...figures, ...(await minute(life, tally.all, dueAt)) };
});

/** A scheduler that has been initialized on an empty file. */
async function initialize(
  { folder, history }: MinuteParams & GivenParams,
  list: Registration[],
  due: number,
) {
  const counted = countedStore(folder);
  const endsDurable = counted.endsDurable(due);
  const options: SchedulerOptions & { readonly history?: false } = {
    store: counted.store,
    timeZone: 'UTC',
    ...(history !== undefined && { history }),
  };
  const done = (): Promise<Done> => doneBy(counted, folder);
  const before = await done();
  const scheduler = createScheduler(options);
  const startedAt = wallClock();
  const initialized = scheduler.initialize(list);
  const loop = watchLoop(); // the check of the list in the calling tick is not seen by it
  const checkedAt = wallClock();
  await initialized;
  const initializedAt = wallClock();
  const initializeHeldMs = loop.longestMs();
  const after = await done();
  const figures = {
    initializeMs: initializedAt - startedAt,
    checkMs: checkedAt - startedAt,
    initializeHeldMs,
    initializeBytes: after.bytes - before.bytes,
    initializeSyncs: after.syncs - before.syncs,
  };
  return { scheduler, endsDurable, done, loop, initializedAt, figures };
}

/** The minute itself, from the instant at which the tasks are due. */
async function minute(
  { scheduler, endsDurable, done, loop }: Awaited<ReturnType<typeof initialize>>,
  allStarted: Promise<number>,
  dueAt: number,
): Promise<Figures> {
  loop.again();
  const cpuBefore = cpuMs();
  const before = await done();
  const lastStartAt = await allStarted;
  const started = await done();
  await endsDurable;
  const endsDurableAt = wallClock();
  const ended = await done();
  const heldMs = loop.longestMs();
  const spentMs = cpuMs() - cpuBefore;
  await scheduler.stop();
  return {
    lastStartMs: lastStartAt - dueAt,
    missed: 0, // it has waited for all of them
    endsDurableMs: endsDurableAt - dueAt,
    heldMs,
    cpuMs: spentMs,
    startBytes: started.bytes - before.bytes,
    startSyncs: started.syncs - before.syncs,
    endBytes: ended.bytes - before.bytes,
    endSyncs: ended.syncs - before.syncs,
  };
}

async function untilShortlyBefore(dueAt: number): Promise<void> {
  const leftMs = dueAt - Date.now();
  if (leftMs < 500) throw new Error('initialize took longer than the time that was left before the minute');
  await sleep(leftMs - 200);
}
