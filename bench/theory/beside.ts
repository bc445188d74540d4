/**
 * What a live monitor costs beside a running scheduler: three schedulers in one process, each with many tasks on a real file and
 * a clock of its own, all alike but for their trace: none, one that is dropped, a monitor. They take turns with a day's minute, in
 * which all tasks are due; what is counted is the CPU time of the whole process, threads, compiler and collector included, from
 * the minute to when all ends are durable. The first rounds warm up and do not count.
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

const TASKS = Number(process.argv[2] ?? 100_000);
const ROUNDS = Number(process.argv[3] ?? 15);
const WARM_UP = 3;
const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;

/** CPU time of each round, by what is at the trace. Printed as JSON. */
export type Costs = Record<'nothing' | 'dropped' | 'monitor', readonly number[]>;

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

async function contender(folder: string, name: string, options: Pick<SchedulerOptions, 'trace'>) {
  const clock = new MovedClock();
  const { store, ended } = counting(sqlite(join(folder, `${name}.db`)));
  const scheduler = createScheduler({ store, timeZone: 'UTC', clock, ...options });
  await scheduler.initialize(
    Array.from(
      { length: TASKS },
      (_, i): Registration => [`customer-${i}/report`, '0 12 * * *', () => {}, 1000],
    ),
  );
  return {
    async minute(): Promise<number> {
      globalThis.gc?.();
      const before = process.cpuUsage();
      const over = ended(TASKS);
      clock.toNoon();
      await over;
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    },
    stop: () => scheduler.stop(),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-'));
try {
  const monitor = createMonitor();
  const contenders = {
    nothing: await contender(folder, 'nothing', {}),
    dropped: await contender(folder, 'dropped', { trace: () => {} }),
    monitor: await contender(folder, 'monitor', { trace: monitor.sink }),
  };
  const costs = { nothing: [] as number[], dropped: [] as number[], monitor: [] as number[] } satisfies Costs;
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const kind of ['nothing', 'dropped', 'monitor'] as const) {
      const cpuMs = await contenders[kind].minute();
      if (round >= 0) costs[kind].push(cpuMs);
    }
  for (const { stop } of Object.values(contenders)) await stop();
  const verdict = monitor.verdict();
  if (!verdict.conformant) throw new Error(`not conformant: ${verdict.blame}`);
  console.log(JSON.stringify(costs));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
