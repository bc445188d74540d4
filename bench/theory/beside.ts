/**
 * One minute of a scheduler with many tasks, on a real file, with what is given as its trace: nothing, a sink that drops
 * everything, or a live monitor. Prints the CPU time of the whole process, from the minute to the end of `stop`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createScheduler, type Registration, sqlite } from '../../src/index.ts';
import { createMonitor } from '../../src/theory/index.ts';

/** What it prints, as JSON. */
export interface Cost {
  readonly cpuMs: number;
}

const [kind = 'nothing', count = '100000'] = process.argv.slice(2);
const COUNT = Number(count);

/** Host time, moved to half a minute before the next one, and then past it. */
let moved = Date.UTC(2026, 0, 5, 11, 59, 30) - Date.now();
const alarms = new Set<() => void>();
const clock: Clock = {
  now: () => Date.now() + moved,
  monotonic: () => performance.now() + moved,
  setTimer(callback, delayMs) {
    const ring = (): void => {
      alarms.delete(ring);
      clearTimeout(timer);
      callback();
    };
    const timer = setTimeout(ring, delayMs);
    alarms.add(ring);
    return {
      cancel() {
        alarms.delete(ring);
        clearTimeout(timer);
      },
    };
  },
  defer: (callback) => setImmediate(callback),
};

const monitor = createMonitor();
const sinks = { nothing: {}, dropped: { trace: () => {} }, monitor: { trace: monitor.sink } } as const;
if (!(kind in sinks)) throw new Error(`nothing, dropped or monitor; not ${kind}`);
const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-'));
try {
  const scheduler = createScheduler({
    store: sqlite(join(folder, 'state.db')),
    timeZone: 'UTC',
    clock,
    ...sinks[kind as keyof typeof sinks],
  });
  let called = 0;
  const all = Promise.withResolvers<void>();
  const callback = (): void => {
    if (++called === COUNT) all.resolve();
  };
  await scheduler.initialize(
    Array.from(
      { length: COUNT },
      (_, i): Registration => [`customer-${i}/report`, '0 12 * * *', callback, 1000],
    ),
  );
  globalThis.gc?.();
  const before = process.cpuUsage();
  moved += 30_000;
  for (const ring of [...alarms]) ring();
  await all.promise;
  await scheduler.stop();
  const { user, system } = process.cpuUsage(before);
  const verdict = kind === 'monitor' ? monitor.verdict() : undefined;
  if (verdict?.conformant === false) throw new Error(`not conformant: ${verdict.blame}`);
  const cost: Cost = { cpuMs: (user + system) / 1000 };
  console.log(JSON.stringify(cost));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
