/**
 * What a live monitor costs beside a running scheduler: one with many tasks on a real file, which are all due in one minute of the
 * day, for some days. Its trace is nothing, one that is dropped, or a monitor. What is counted of each such minute, until all
 * ends are durable, is the CPU time of the main thread, where the monitor runs, and of the whole process, with the store's thread,
 * compiler and collector. The first days warm up and do not count.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  createScheduler,
  type Registration,
  type SchedulerOptions,
  type Store,
  sqlite,
} from '../../src/index.ts';
import { createMonitor } from '../../src/theory/index.ts';

const [, , kind = 'nothing', tasks = '100000', days = '7'] = process.argv;
const TASKS = Number(tasks);
const DAYS = Number(days);
const WARM_UP = 3;
const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;

/** CPU time of one minute. */
export interface Cost {
  readonly mainMs: number;
  readonly allMs: number;
}

const ms = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

/** Host time, moved ahead: whatever waits rings at once and looks. */
class MovedClock implements Clock {
  readonly #alarms = new Set<() => void>();
  #moved = Date.UTC(2026, 0, 5, 11, 59, 30) - Date.now();

  now(): number {
    return Date.now() + this.#moved;
  }

  monotonic(): number {
    return performance.now() + this.#moved;
  }

  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const cancel = (): void => {
      this.#alarms.delete(ring);
      clearTimeout(timer);
    };
    const ring = (): void => {
      cancel();
      callback();
    };
    const timer = setTimeout(ring, delayMs);
    this.#alarms.add(ring);
    return { cancel };
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  /** On to the next noon. */
  toNoon(): void {
    const now = this.now();
    this.#moved += (Math.floor((now - NOON_MS) / DAY_MS) + 1) * DAY_MS + NOON_MS - now;
    for (const ring of [...this.#alarms]) ring();
  }
}

/** A store that says when so many ends are durable. */
function counting(store: Store): { readonly store: Store; ended(count: number): Promise<void> } {
  let left = 0;
  let done = (): void => {};
  return {
    store: {
      location: store.location,
      async open(options) {
        const session = await store.open(options);
        return {
          read: (names) => session.read(names),
          close: () => session.close(),
          async commit(batch) {
            const result = await session.commit(batch);
            left -= batch.ends?.length ?? 0;
            if (left === 0) done();
            return result;
          },
        };
      },
    },
    ended(count) {
      left = count;
      return new Promise((resolve) => {
        done = resolve;
      });
    },
  };
}

async function begin(folder: string, options: Pick<SchedulerOptions, 'trace'>) {
  const clock = new MovedClock();
  const { store, ended } = counting(sqlite(join(folder, 'state.db')));
  const scheduler = createScheduler({ store, timeZone: 'UTC', clock, ...options });
  await scheduler.initialize(
    Array.from(
      { length: TASKS },
      (_, i): Registration => [`customer-${i}/report`, '0 12 * * *', () => {}, 1000],
    ),
  );
  return {
    async minute(): Promise<Cost> {
      const [all, main] = [process.cpuUsage(), process.threadCpuUsage()];
      const over = ended(TASKS);
      clock.toNoon();
      await over;
      // The scheduler has heard of it too: no question to the store is open when the clock moves next.
      await new Promise((resolve) => setImmediate(resolve));
      return { allMs: ms(process.cpuUsage(all)), mainMs: ms(process.threadCpuUsage(main)) };
    },
    stop: () => scheduler.stop(),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-'));
try {
  const monitor = createMonitor();
  const traces = { nothing: {}, dropped: { trace: () => {} }, monitor: { trace: monitor.sink } } as const;
  if (!(kind in traces)) throw new Error(`nothing, dropped or monitor; not ${kind}`);
  const { minute, stop } = await begin(folder, traces[kind as keyof typeof traces]);
  const costs: Cost[] = [];
  for (let day = 0; day < WARM_UP + DAYS; day++) costs.push(await minute());
  await stop();
  const verdict = monitor.verdict();
  if (!verdict.conformant) throw new Error(`not conformant: ${verdict.blame}`);
  console.log(JSON.stringify(costs.slice(WARM_UP)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
