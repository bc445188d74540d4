/** What the trace of an attacked scheduler says: judged by the theory, and by the crash tests' own judge, who knows rule A1 alone. */
import { readTrace } from '../../src/index.ts';
import { checkTrace } from '../../src/theory/index.ts';
import type { TraceRecord } from '../../src/trace/index.ts';
import { type JudgedRecord, judge } from '../crash/judge.ts';
import type { Outcome } from '../outcome.ts';
import type { Ground } from './ground.ts';
import { lastLife, type Owner, type OwnerPlan, RETRY_DELAY_MS } from './owner.ts';

/** The clock of an attack is many times as fast as the machine, which may be busy. */
const WITNESSES = { lagMs: 4 * 3_600_000 };

export interface Judgement {
  readonly violations: readonly string[];
  readonly starts: number;
  readonly crashes: number;
  /** Runs that were started again because a crash had cut them off, or may have. */
  readonly repeated: number;
}

/** Stops an owner, lets a last life do what is owed, and judges the whole trace. */
export async function concluded(ground: Ground, plan: OwnerPlan, owner: Owner): Promise<Judgement> {
  const end = await owner.stop();
  const unwell = end.type === 'stopped' ? [] : [`a scheduler ended with ${JSON.stringify(end)}`];
  const judgement = await aftermath(ground, plan);
  return { ...judgement, violations: [...unwell, ...judgement.violations] };
}

/** Plays something so many times, each with a scheduler and a trace of its own. */
export async function repeatedly(
  ground: Ground,
  count: number,
  once: (ground: Ground) => Promise<Pick<Judgement, 'violations' | 'starts'>>,
): Promise<Outcome> {
  const violations: string[] = [];
  let starts = 0;
  for (let time = 0; time < count; time++) {
    const outcome = await once(ground);
    violations.push(...outcome.violations);
    starts += outcome.starts;
    ground.advance();
  }
  return { violations, figures: { times: count, starts } };
}

/** Lets a last life do what is owed after a scheduler that has ended, and judges the whole trace. */
export async function aftermath(ground: Ground, plan: OwnerPlan): Promise<Judgement> {
  const last = await lastLife(ground, plan);
  const judgement = await judged(plan);
  return { ...judgement, violations: [...last, ...judgement.violations] };
}

/** Everything that is wrong with a trace. */
export async function judged({ trace, tasks }: Pick<OwnerPlan, 'trace' | 'tasks'>): Promise<Judgement> {
  const records = await recordsIn(trace);
  const broken = await brokenIn(records);
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const { violations, starts, crashes, repeated } = judge(records.map(asJudged), byName, RETRY_DELAY_MS);
  return { violations: [...broken, ...violations], starts, crashes, repeated };
}

export async function recordsIn(trace: string): Promise<readonly TraceRecord[]> {
  const records: TraceRecord[] = [];
  for await (const { record, problem } of readTrace(trace)) {
    if (record === undefined) throw new Error(`the trace has a line that is no record: ${problem?.message}`);
    records.push(record);
  }
  return records;
}

/** What is wrong with a trace by the theory. */
export async function brokenIn(records: readonly TraceRecord[]): Promise<readonly string[]> {
  const { axioms, conformant, blame } = await checkTrace(records, {
    theory: ['scheduler', 'environment', 'theorems', 'polling'],
    witnesses: WITNESSES,
  });
  const broken = Object.entries(axioms).flatMap(([id, { violations }]) =>
    violations.map(({ because }) => `${id}: ${because}`),
  );
  return conformant ? broken : [...broken, `the oracle's verdict: not conformant, to blame: ${blame}`];
}

/** The recorder of the next process writes the end of a killed one. */
const asJudged = (record: TraceRecord): JudgedRecord =>
  record.event === 'UnexpectedShutdown' ? { event: 'Killed', at: record.at } : (record as JudgedRecord);
