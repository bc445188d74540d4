/**
 * One contender, in a process of its own: registers a number of tasks that are all due at one instant, and tells how long that
 * took, what it weighs, and when the callbacks were called. Ours is durable on a real file; the others keep nothing.
 *
 * The others take seconds in their expressions, so their instant is a second not far away. Ours knows minutes; its wall clock
 * is shifted through the clock port so that a minute begins when wanted. Everything else is as it ships.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createScheduler, sqlite } from '../../src/index.ts';
import { hostClock } from '../../src/time/host-clock.ts';

export interface Figures {
  readonly registerMs: number;
  readonly heapBytes: number;
  /** From the instant at which all are due to the last call. */
  readonly lastCallMs: number;
  readonly called: number;
  /** From the same instant until every end was durable; only for ours. */
  readonly endsDurableMs?: number;
  /** A second life on the same file; only for ours. */
  readonly restartMs?: number;
  /** The longest that the event loop was held: while registering (the check of the list in the calling tick aside), and from the instant on. */
  readonly initializeHeldMs?: number;
  readonly runHeldMs?: number;
}

const [name = '', countText = '0'] = process.argv.slice(2);
const count = Number(countText);
const heap = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external; // typed arrays live outside the heap proper, and count
};

/** Counts calls; resolves when all have been made, or when it is hopeless. */
function createTally(giveUpMs: number): {
  call: () => void;
  all: Promise<void>;
  last: () => number;
  called: () => number;
} {
  let called = 0;
  let last = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, giveUpMs).unref();
  const call = (): void => {
    last = Date.now();
    if (++called === count) resolve();
  };
  return { call, all: promise, last: () => last, called: () => called };
}

async function ours(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-'));
  const leadMs = 3000 + count / 100;
  const shiftMs = 60_000 - (Date.now() % 60_000) - leadMs;
  const clock = { ...hostClock, now: () => Date.now() + shiftMs };
  const dueAt = Date.now() + leadMs;
  const tally = createTally(600_000);
  // Not due in the minute in which it begins, so that nothing happens before the instant.
  const minute = new Date(dueAt + shiftMs).getUTCMinutes();
  const list = Array.from(
    { length: count },
    (_, index) => [`task ${index}`, `${minute} * * * *`, tally.call, 60_000] as const,
  );
  const options = { store: sqlite(join(folder, 'state.db')), clock, timeZone: 'UTC' };
  const held = monitorEventLoopDelay({ resolution: 1 });
  const before = heap();
  const startedAt = performance.now();
  const scheduler = createScheduler(options);
  const initialized = scheduler.initialize(list);
  await new Promise((resolve) => setImmediate(resolve));
  held.enable();
  await initialized;
  const registerMs = performance.now() - startedAt;
  const initializeHeldMs = held.max / 1e6;
  const heapBytes = (heap() - before) / count;
  await new Promise((resolve) => setTimeout(resolve, dueAt - Date.now() - 200));
  held.reset();
  await tally.all;
  const lastCallMs = tally.last() - dueAt;
  await scheduler.stop();
  const endsDurableMs = Date.now() - dueAt;
  const runHeldMs = held.max / 1e6;
  const restartedAt = performance.now();
  const second = createScheduler(options);
  await second.initialize(list);
  const restartMs = performance.now() - restartedAt;
  await second.stop();
  rmSync(folder, { recursive: true, force: true });
  return {
    registerMs,
    heapBytes,
    lastCallMs,
    called: tally.called(),
    endsDurableMs,
    restartMs,
    initializeHeldMs,
    runHeldMs,
  };
}

type Register = (expression: string, call: () => void) => { stop(): unknown };

/** How each peer takes a job; the job is kept by the peer. */
const peers: Readonly<Record<string, () => Promise<Register>>> = {
  async croner() {
    const { Cron } = await import('croner');
    return (expression, call) => new Cron(expression, call);
  },
  async 'node-cron'() {
    const { schedule } = await import('node-cron');
    return (expression, call) => schedule(expression, call);
  },
  async cron() {
    const { CronJob } = await import('cron');
    return (cronTime, onTick) => CronJob.from({ cronTime, onTick, start: true });
  },
  async 'node-schedule'() {
    const { scheduleJob } = await import('node-schedule');
    return (expression, call) => {
      const job = scheduleJob(expression, call);
      return { stop: () => job.cancel() };
    };
  },
};

async function peer(load: () => Promise<Register>): Promise<Figures> {
  const register = await load();
  const dueAt = Math.ceil((Date.now() + 4000 + count * 1.5) / 1000) * 1000;
  const at = new Date(dueAt);
  const expression = `${at.getSeconds()} ${at.getMinutes()} ${at.getHours()} * * *`;
  const tally = createTally(dueAt - Date.now() + 15_000);
  const before = heap();
  const startedAt = performance.now();
  const jobs = Array.from({ length: count }, () => register(expression, tally.call));
  const registerMs = performance.now() - startedAt;
  const heapBytes = (heap() - before) / count;
  await tally.all;
  for (const job of jobs) job.stop();
  return { registerMs, heapBytes, lastCallMs: tally.last() - dueAt, called: tally.called() };
}

const load = peers[name];
console.log(JSON.stringify(await (load === undefined ? ours() : peer(load))));
process.exit(0); // some peers leave timers behind
