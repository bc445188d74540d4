/**
 * The oracle: how many records a second a full check takes on one core, with and without durability records, with a bound on
 * workers, and where nearly every start is late; that its memory does not grow with the trace; and what the naive evaluator, which reads the definitions, takes for the same question.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { axioms, checkTrace, createMonitor } from '../src/theory/index.ts';
import type { TraceRecord } from '../src/trace/index.ts';
import { NaiveEvaluator } from '../test/theory/reference/naive.ts';
import type { Position } from '../test/theory/reference/position.ts';
import { liveBytes } from './contenders/measuring.ts';
import { compare, duration } from './harness.ts';
import type { Cost } from './theory/beside.ts';
import { bounded, late, unexcused } from './theory/late.ts';
import type { Quarter } from './theory/steps.ts';

const TASKS = 10_000;
const MINUTES = 20;
const T0 = Date.UTC(2026, 0, 5, 0, 0);
const MINUTE_MS = 60_000;

const names = Array.from({ length: TASKS }, (_, index) => `customer-${index}/report`);
const DAYS = 20;
/** A hundred schedules, all of them due in each of the minutes that the trace is about. */
const cronOf = (index: number): string =>
  `* ${'0,1,2,3,4,5,6'.slice(0, 1 + 2 * (index % 7))} * * ${index % 14 < 7 ? '*' : '1-5'}`;

interface Shape {
  readonly minutes: number;
  readonly durability: 'told' | 'not told';
}

/** A scheduler that does everything right: every task, every minute, and now and then one fails and is retried. */
function* conformant({ minutes, durability }: Shape): Generator<TraceRecord> {
  const registrations = names.map((name, index) => ({ name, cron: cronOf(index), retryDelayMs: 5000 }));
  yield { event: 'InitStart', at: T0 - 500, call: 1, registrations, timeZone: 'UTC' };
  yield { event: 'InitSuccess', at: T0 - 400, call: 1, instance: 'bench' };
  const isTold = durability === 'told';
  for (let minute = 0; minute < minutes; minute++) {
    const at = T0 + minute * MINUTE_MS;
    const runId = (index: number): string => `${minute}-${index}`;
    if (isTold)
      for (let i = 0; i < TASKS; i++)
        yield { event: 'StartDurable', at: at + 1, task: names[i], runId: runId(i), instance: 'bench' };
    for (let i = 0; i < TASKS; i++)
      yield { event: 'RunStart', at: at + 2, task: names[i], runId: runId(i), instance: 'bench' };
    for (let i = 0; i < TASKS; i++)
      yield { event: 'RunSuccess', at: at + 50, task: names[i], runId: runId(i), instance: 'bench' };
    if (isTold)
      for (let i = 0; i < TASKS; i++)
        yield { event: 'EndDurable', at: at + 60, task: names[i], runId: runId(i), instance: 'bench' };
  }
}

const plain = [...conformant({ minutes: MINUTES, durability: 'not told' })];
const durable = [...conformant({ minutes: MINUTES / 2, durability: 'told' })];
const withBound = [...bounded({ names, minutes: MINUTES, workers: 8 })];
const waiting = [...late({ names, days: DAYS, workers: 1 })];
const tooLate = [...late({ names, days: DAYS })];
const core = { theory: ['scheduler'] } as const;
const everything = { theory: ['scheduler', 'environment', 'theorems', 'polling', 'assumptions'] } as const;

const verdict = await checkTrace(plain, everything);
if (!verdict.conformant) throw new Error(`the benchmark's own trace is not conformant: ${verdict.blame}`);
const verdictOfDurable = await checkTrace(durable, everything);
if (!verdictOfDurable.conformant) throw new Error(JSON.stringify(verdictOfDurable.axioms));

// Else it would be another question that is measured.
const verdictOfBounded = await checkTrace(withBound, core);
if (!verdictOfBounded.conformant) throw new Error(JSON.stringify(verdictOfBounded.axioms));
const verdictOfWaiting = await checkTrace(waiting, core);
if (!verdictOfWaiting.conformant) throw new Error(JSON.stringify(verdictOfWaiting.axioms));
const { count } = (await checkTrace(tooLate, core)).axioms.L1;
if (count !== DAYS * unexcused(TASKS)) throw new Error(`${count} violations of L1`);

function check(records: readonly TraceRecord[], options: Parameters<typeof createMonitor>[0]): unknown {
  const monitor = createMonitor(options);
  for (const record of records) monitor.sink(record);
  return monitor.verdict().conformant;
}

const measured = await compare(`a record, ${TASKS} tasks`, [
  { name: 'S1–S5, L1–L3', operations: plain.length, run: () => check(plain, core) },
  { name: '… with durability records', operations: durable.length, run: () => check(durable, core) },
  {
    name: `all ${axioms.length} axioms and properties`,
    operations: plain.length,
    run: () => check(plain, everything),
  },
  { name: '8 workers', operations: withBound.length, run: () => check(withBound, core) },
  { name: '1 worker, starts late', operations: waiting.length, run: () => check(waiting, core) },
  { name: 'starts too late', operations: tooLate.length, run: () => check(tooLate, core) },
]);
for (const { name, medianNs, fastestNs } of measured) {
  const [perSecond, atBest] = [1e9 / medianNs, 1e9 / fastestNs];
  const isMet = perSecond >= 1e6;
  console.log(
    `  ${name.padEnd(34)} ${(perSecond / 1e6).toFixed(2)} million records a second, ${(atBest / 1e6).toFixed(2)} in the best round (bound 1: ${isMet ? 'met' : 'MISSED'})`,
  );
  if (!isMet) process.exitCode = 1;
}

/** Memory after as many minutes; a trace ten times as long must not need more. */
async function memoryAfter(minutes: number): Promise<number> {
  const before = await liveBytes();
  const monitor = createMonitor(core);
  for (const record of conformant({ minutes, durability: 'told' })) monitor.sink(record);
  const after = await liveBytes();
  monitor.verdict();
  return after - before;
}
console.log('\nmemory of a monitor');
for (const minutes of [3, 30]) {
  const bytes = await memoryAfter(minutes);
  const records = 2 + minutes * TASKS * 4;
  console.log(
    `  after ${String(records).padStart(9)} records  ${(bytes / 1e6).toFixed(1)} MB, ${(bytes / TASKS).toFixed(0)} B a task`,
  );
}

/** The definitions themselves, on a trace that they can bear. */
const few: Position[] = [];
for (let i = 0; i < 300; i++) {
  const task = `t${i % 3}`;
  few.push({ event: i % 2 === 0 ? 'RS' : 'REs', at: T0 + i, task });
}
const startedAt = process.hrtime.bigint();
for (const { formula, scope, unbreakable } of axioms)
  if (scope === 'task' && unbreakable === undefined) new NaiveEvaluator(few, { task: 't1' }).at(formula, 0);
const naive = Number(process.hrtime.bigint() - startedAt) / few.length;
console.log(`\nthe naive evaluator, one task of a trace of ${few.length}: ${duration(naive)} a record`);

/** A long trace in which the clock is set back every minute, beside one in which it never is. Each runs in processes of its own, in turns. */
const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];
const steps = join(import.meta.dirname, 'theory', 'steps.ts');
const clocks = ['without', 'with'] as const;
const quarters: Record<(typeof clocks)[number], Quarter[][]> = { without: [], with: [] };
for (let turn = 0; turn < 5; turn++)
  for (const kind of clocks)
    quarters[kind].push(
      JSON.parse(execFileSync(process.execPath, ['--expose-gc', steps, kind], { encoding: 'utf8' })),
    );
const ofQuarter = (kind: (typeof clocks)[number], quarter: number, of: keyof Quarter): number =>
  medianOf(quarters[kind].map((all) => all[quarter][of]));
console.log(
  '\n1,200 minutes of 200 tasks, by quarters, with a clock that is set back every minute and without',
);
for (let quarter = 0; quarter < 4; quarter++) {
  const [ms, heapMb] = (['ms', 'heapMb'] as const).map((of) =>
    clocks.map((kind) => ofQuarter(kind, quarter, of)),
  );
  console.log(
    `  ${quarter + 1}  ${ms[1].toFixed(0).padStart(5)} ms and ${ms[0].toFixed(0)} ms: ${(ms[1] / ms[0]).toFixed(1)}×  ${heapMb[1].toFixed(1).padStart(6)} MB and ${heapMb[0].toFixed(1)} MB: ${(heapMb[1] / heapMb[0]).toFixed(2)}×`,
  );
}
const growth = ofQuarter('with', 3, 'heapMb') / ofQuarter('with', 0, 'heapMb');
console.log(
  `  the heap has grown by ${(100 * (growth - 1)).toFixed(1)} % (bound 5 %: ${growth < 1.05 ? 'met' : 'MISSED'})`,
);
if (growth >= 1.05) process.exitCode = 1;

/**
 * What a live monitor costs a running scheduler, in the minute in which 100,000 tasks are due. Each kind runs in processes of its
 * own, in turns.
 */
const beside = join(import.meta.dirname, 'theory', 'beside.ts');
const kinds = ['nothing', 'dropped', 'monitor'] as const;
const costs: Record<(typeof kinds)[number], Cost[]> = { nothing: [], dropped: [], monitor: [] };
for (let turn = 0; turn < 5; turn++)
  for (const kind of kinds) {
    const minutes: Cost[] = JSON.parse(execFileSync(process.execPath, [beside, kind], { encoding: 'utf8' }));
    costs[kind].push(...minutes);
  }
const spent = (kind: (typeof kinds)[number], of: keyof Cost): number =>
  medianOf(costs[kind].map((cost) => cost[of]));
const titles = {
  nothing: 'without a trace',
  dropped: 'with one that is dropped',
  monitor: 'with a live monitor',
};
console.log(
  `\nthe minute of 100,000 tasks, CPU time of the main thread, medians of ${costs.monitor.length} minutes`,
);
for (const kind of kinds)
  console.log(
    `  ${titles[kind].padEnd(26)} ${spent(kind, 'mainMs').toFixed(0).padStart(5)} ms, and ${spent(kind, 'allMs').toFixed(0).padStart(5)} ms in all threads`,
  );
const all = spent('nothing', 'allMs');
const percent = (than: (typeof kinds)[number], of: keyof Cost): string =>
  `${((100 * (spent('monitor', of) - spent(than, of))) / all).toFixed(1)} %`;
const isCheap = spent('monitor', 'mainMs') - spent('dropped', 'mainMs') < all / 10;
console.log(
  `  the monitor takes ${percent('dropped', 'mainMs')} of what the scheduler does (bound 10 %: ${isCheap ? 'met' : 'MISSED'}), with the trace that it reads ${percent('nothing', 'mainMs')}; all threads differ by ${percent('dropped', 'allMs')} and ${percent('nothing', 'allMs')}`,
);
if (!isCheap) process.exitCode = 1;
