/**
 * What a clock that is set back every minute costs the oracle over a long trace: a conformant one of some tasks that run every
 * minute, with or without a step. Prints, for each quarter of the trace, the time that it took and the heap that it left.
 */
import { createMonitor } from '../../src/theory/index.ts';
import type { TraceRecord } from '../../src/trace/index.ts';

const [, , kind = 'without', tasks = '200', minutes = '1200'] = process.argv;
const TASKS = Number(tasks);
const QUARTER = Number(minutes) / 4;
const MINUTE_MS = 60_000;
const T0 = Date.UTC(2026, 0, 5, 0, 0);
/** Within a minute, as a time server corrects; and, now and then, back over the minute that has just been served. */
const backMs = (minute: number): number => (minute % 4 === 0 ? 20_000 : 1000);

/** A quarter of the trace. */
export interface Quarter {
  readonly ms: number;
  readonly heapMb: number;
}

const names = Array.from({ length: TASKS }, (_, index) => `customer-${index}/report`);
const crons = ['* * * * *', '0-59 * * * *', '* 0-23 * * *', '* * 1-31 * *', '* * * 1-12 *'];

function* begun(): Generator<TraceRecord> {
  const registrations = names.map((name, index) => ({
    name,
    cron: crons[index % crons.length],
    retryDelayMs: 5000,
  }));
  yield { event: 'InitStart', at: T0 - 1, call: 1, registrations, timeZone: 'UTC' };
  yield { event: 'InitSuccess', at: T0 - 1, call: 1 };
  for (const task of names) yield { event: 'RunStart', at: T0 - 1, task };
  for (const task of names) yield { event: 'RunSuccess', at: T0 - 1, task };
}

/** Everybody runs, each at an instant of its own; then the clock is set. */
function* minuteOf(minute: number): Generator<TraceRecord> {
  const at = T0 + minute * MINUTE_MS;
  for (const [index, task] of names.entries()) yield { event: 'RunStart', at: at + index, task };
  for (const task of names) yield { event: 'RunSuccess', at: at + 900, task };
  const from = at + 1000;
  const to = from - backMs(minute);
  if (kind === 'with') yield { event: 'ClockStep', at: to, from, to };
}

if (kind !== 'with' && kind !== 'without') throw new Error(`with or without; not ${kind}`);
const monitor = createMonitor();
for (const record of begun()) monitor.sink(record);
const quarters: Quarter[] = [];
for (let quarter = 0; quarter < 4; quarter++) {
  const startedAt = performance.now();
  for (let minute = quarter * QUARTER; minute < (quarter + 1) * QUARTER; minute++)
    for (const record of minuteOf(minute)) monitor.sink(record);
  const ms = performance.now() - startedAt;
  globalThis.gc?.();
  quarters.push({ ms, heapMb: process.memoryUsage().heapUsed / 1e6 });
}
const verdict = monitor.verdict();
if (!verdict.conformant) throw new Error(`not conformant: ${verdict.blame}`);
console.log(JSON.stringify(quarters));
