/**
 * A chain of lives on one real file: each is killed with SIGKILL at a point of its own, the next takes over, and the last one is
 * left alone until it owes nothing. Then the trace of all of them is judged.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from '../../src/index.ts';
import { checkTrace } from '../../src/theory/index.ts';
import type { TraceRecord } from '../../src/trace/index.ts';
import type { Outcome } from '../outcome.ts';
import type { LifePlan } from './fixtures/life.ts';
import { type JudgedRecord, judge, type Verdict } from './judge.ts';
import { POINTS, type Point } from './points.ts';

const START = Date.UTC(2026, 5, 1, 12, 30, 10);
const RETRY_DELAY_MS = 30_000;
const fixture = join(import.meta.dirname, 'fixtures', 'life.ts');

export interface Kill {
  readonly point: Point;
  readonly count: number;
}

/** Tasks of several kinds: due every minute, due once in all this time, failing at first, slow, and some whose old dues are skipped. */
const TASKS: LifePlan['tasks'] = [
  { name: 'every minute', cron: '* * * * *', failures: 0, takesMs: 0 },
  { name: 'every minute, slow', cron: '* * * * *', failures: 0, takesMs: 15 },
  ...Array.from({ length: 6 }, (_, index) => ({
    name: `once ${index}`,
    cron: '30 12 1 6 *',
    failures: index % 3 === 2 ? 1 : 0,
    takesMs: index % 2 === 0 ? 0 : 10,
  })),
  {
    name: 'every other minute, failing',
    cron: Array.from({ length: 30 }, (_, index) => index * 2)
      .join(',')
      .concat(' * * * *'),
    failures: 2,
    takesMs: 5,
  },
  { name: 'every minute, if it is fresh', cron: '* * * * *', failures: 0, takesMs: 0, startWithinMs: 20_000 },
  { name: 'once, if it is fresh', cron: '30 12 1 6 *', failures: 1, takesMs: 5, startWithinMs: 20_000 },
];

export interface ChainReport extends Verdict {
  /** The kills that hit: a point may not come in a life that ends before. */
  readonly killed: readonly Kill[];
  /** The axioms of the theory that were put to the test. */
  readonly tested: readonly string[];
}

/** Runs one life after the other and judges them all. */
async function runChain(kills: readonly Kill[]): Promise<ChainReport> {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-crash-'));
  const records: JudgedRecord[] = [];
  const killed: Kill[] = [];
  const notDurable: string[] = [];
  try {
    for (const [index, dieAt] of [...kills, undefined].entries()) {
      const trace = join(folder, `trace-${index}.jsonl`);
      // A minute and more of downtime between two lives, so that each has something to do; but none before the first
      // initialize that is known to have taken effect, since whether the tasks have come by then is not (T11).
      const hasBegun = records.some(({ event }) => event === 'InitSuccess');
      const startAt = hasBegun ? (records.at(-1)?.at ?? START) + 65_000 : START;
      const frozen = dieAt === undefined;
      const plan = {
        file: join(folder, 'state.db'),
        trace,
        startAt,
        tasks: TASKS,
        frozen,
        stopInCallback: dieAt?.point === 'stop sent',
        ...(dieAt && { dieAt }),
      };
      const died = await live(plan);
      const lived = readTrace(trace);
      records.push(...lived);
      if (!died) continue;
      if (dieAt !== undefined) killed.push(dieAt);
      notDurable.push(...(await lostStarts(lived, plan.file)));
      records.push({ event: 'Killed', at: records.at(-1)?.at ?? startAt });
    }
    const tasks = new Map(TASKS.map((task) => [task.name, task]));
    const verdict = judge(records, tasks, RETRY_DELAY_MS);
    const { broken, tested } = await judgedByTheory(records);
    return { ...verdict, violations: [...notDurable, ...verdict.violations, ...broken], killed, tested };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the oracle says of the same records, by all axioms and properties of the theory: the recorder's faults too. */
async function judgedByTheory(
  records: readonly JudgedRecord[],
): Promise<{ readonly broken: readonly string[]; readonly tested: readonly string[] }> {
  const trace = records.flatMap((record, index): TraceRecord[] => {
    if (record.event !== 'Killed') return [record];
    const { at } = record;
    const next = records[index + 1]?.at ?? at;
    // The first lives all begin at the same instant.
    const back: TraceRecord[] = next < at ? [{ event: 'ClockStep', at: next, from: at, to: next }] : [];
    const to = Math.max(next, at);
    const from = to > at ? at : at - 1;
    return [{ event: 'UnexpectedShutdown', at }, { event: 'Frozen', at: to, from, to }, ...back];
  });
  const { axioms } = await checkTrace(trace, {
    theory: ['scheduler', 'environment', 'theorems', 'polling'],
    // The clock of these lives is many times as fast as the machine.
    witnesses: { lagMs: 3_600_000 },
  });
  const entries = Object.entries(axioms);
  return {
    broken: entries.flatMap(([id, { violations }]) => violations.map(({ because }) => `${id}: ${because}`)),
    tested: entries.flatMap(([id, { status }]) => (status === 'holds' || status === 'violated' ? [id] : [])),
  };
}

/** Runs that were called, and had not ended when the process was killed, but are not in the file: called before they were durable (A4). */
async function lostStarts(lived: readonly JudgedRecord[], file: string): Promise<readonly string[]> {
  const running = new Map<string, string>();
  for (const record of lived) {
    if (record.event === 'RunStart') running.set(record.task, record.runId);
    if (record.event === 'RunSuccess' || record.event === 'RunFailure') running.delete(record.task);
  }
  if (running.size === 0) return [];
  const stored = new Map((await inspect(file)).records.map(({ name, run }) => [name, run?.runId]));
  return [...running]
    .filter(([task, runId]) => stored.get(task) !== runId)
    .map(([task, runId]) => `${task} was called (${runId}) before its start was durable`);
}

/** Runs one life to its end; tells whether it was killed. */
async function live(plan: LifePlan): Promise<boolean> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'obbligato-crash-code') };
  const child = spawn(process.execPath, [fixture, JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
    detached: true, // Ctrl-C is not one of the points
  });
  const [code, signal]: [number | null, NodeJS.Signals | null] = await new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (...ending) => resolve(ending));
  });
  if (signal === 'SIGKILL') return true;
  if (code !== 0) throw new Error(`a life ended with code ${code}: ${JSON.stringify(plan)}`);
  return false;
}

/** Draws chains of kills: every point in turn, after a small random number of passes. */
export function drawChains(count: number, length: number, seed: number): readonly (readonly Kill[])[] {
  let state = seed >>> 0;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let next = 0;
  return Array.from({ length: count }, () =>
    Array.from({ length }, () => {
      const point = POINTS[next++ % POINTS.length];
      const often = ['start durable', 'in callback', 'callback ended', 'end durable'].includes(point);
      return { point, count: often ? random(4) : 0 };
    }),
  );
}

export interface CampaignReport extends Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** How many chains were run. */
  readonly done: number;
  readonly byPoint: Readonly<Record<string, number>>;
  /** The axioms of the theory that were put to the test, by any chain. */
  readonly tested: ReadonlySet<string>;
}

export interface CampaignOptions {
  /** One more chain was run. */
  readonly advance?: () => void;
  /** When aborted, no further chain is begun. */
  readonly signal?: AbortSignal;
}

/** Runs chains, two at a time. */
export async function runCampaign(
  chains: readonly (readonly Kill[])[],
  { advance = () => {}, signal }: CampaignOptions = {},
): Promise<CampaignReport> {
  const waiting = [...chains];
  const reports: ChainReport[] = [];
  const violations: string[] = [];
  const work = async (): Promise<void> => {
    for (let chain = waiting.shift(); chain !== undefined; chain = waiting.shift()) {
      const report = await runChain(chain);
      reports.push(report);
      for (const violation of report.violations)
        violations.push(`${violation}, in the chain ${JSON.stringify(chain)}`);
      advance();
      if (signal?.aborted) break;
    }
  };
  await Promise.all([work(), work()]);
  const sum = (of: (report: ChainReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const byPoint: Record<string, number> = Object.fromEntries(POINTS.map((point) => [point, 0]));
  for (const { point } of reports.flatMap(({ killed }) => killed)) byPoint[point]++;
  return {
    violations,
    figures: {
      'lives killed': sum(({ crashes }) => crashes),
      starts: sum(({ starts }) => starts),
      'after a run that was cut off, perhaps': sum(({ repeated }) => repeated),
      'runs ended, perhaps not durably (A10)': sum(({ windows }) => windows.a10),
      'starts durable, not called (T10)': sum(({ windows }) => windows.t10),
      ...Object.fromEntries(Object.entries(byPoint).map(([point, count]) => [`killed at "${point}"`, count])),
    },
    done: reports.length,
    byPoint,
    tested: new Set(reports.flatMap(({ tested }) => tested)),
  };
}

function readTrace(file: string): JudgedRecord[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
