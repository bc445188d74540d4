/** The oracle against the reference checker, and a disagreement cut down to a trace that a person can read. */
import { checkTrace } from '../../../src/theory/index.ts';
import type { TraceRecord } from '../../../src/trace/record.ts';
import { type CommonAxiom, check, type Findings, type TaskAxiom } from './checker.ts';
import type { Lenience } from './readings.ts';
import type { RandomTrace } from './traces.ts';

export const taskAxioms: readonly TaskAxiom[] = ['S1', 'S2', 'L1'];
export const commonAxioms: readonly CommonAxiom[] = ['S3', 'S4', 'S5', 'L2', 'L3'];

/** What the oracle says, in the reference checker's terms. */
interface Said {
  readonly common: ReadonlySet<string>;
  readonly tasks: ReadonlyMap<string, ReadonlySet<string>>;
  readonly wrongBlame: readonly string[];
}

export interface Disagreement {
  readonly axiom: string;
  readonly task?: string;
  /** `missed`: the reference checker finds it and the oracle does not. */
  readonly kind: 'missed' | 'wrong' | 'blame';
}

export interface Comparison {
  readonly found: Findings;
  readonly disagreements: readonly Disagreement[];
}

async function askOracle({ records, grant }: RandomTrace): Promise<Said> {
  const { axioms } = await checkTrace(records, { witnesses: { a: 0, ...grant } });
  const common = new Set<string>();
  const tasks = new Map<string, Set<string>>();
  const wrongBlame: string[] = [];
  for (const id of [...taskAxioms, ...commonAxioms]) {
    for (const { task, blame } of axioms[id].violations) {
      if (blame !== (id === 'S4' ? 'environment' : 'scheduler')) wrongBlame.push(id);
      if (task !== undefined) tasks.set(task, (tasks.get(task) ?? new Set()).add(id));
    }
    if (axioms[id].status === 'violated') common.add(id);
  }
  return { common, tasks, wrongBlame };
}

/**
 * Where the two differ. For S1, S2 and L1 of one task, what the oracle says must fit the readings: if some reading is without a
 * violation, it may say none; else it must name all that some reading breaks, and may name what other readings break too.
 */
export async function compare(trace: RandomTrace, lenience?: Lenience): Promise<Comparison> {
  const found = check(trace.records, trace.grant, lenience);
  const said = await askOracle(trace);
  return { found, disagreements: [...commonDisagreements(found, said), ...taskDisagreements(found, said)] };
}

function commonDisagreements(found: Findings, said: Said): readonly Disagreement[] {
  const different = commonAxioms.filter((axiom) => found.common.has(axiom) !== said.common.has(axiom));
  return [
    ...different.map((axiom) => ({ axiom, kind: found.common.has(axiom) ? 'missed' : 'wrong' }) as const),
    ...said.wrongBlame.map((axiom) => ({ axiom, kind: 'blame' }) as const),
  ];
}

function taskDisagreements(found: Findings, said: Said): readonly Disagreement[] {
  return [...found.tasks].flatMap(([task, readings]) => {
    const named = new Set([...(said.tasks.get(task) ?? [])].filter((axiom) => isTaskAxiom(axiom)));
    const possible = new Set(readings.flatMap((violated) => [...violated]));
    const isClean = readings.some((violated) => violated.size === 0);
    const wrong = [...named].filter((axiom) => isClean || !possible.has(axiom));
    const missing = readings.map((violated) => [...violated].filter((axiom) => !named.has(axiom)));
    const fewest = missing.reduce((one, other) => (other.length < one.length ? other : one));
    return [
      ...wrong.map((axiom) => ({ axiom, task, kind: 'wrong' }) as const),
      ...fewest.map((axiom) => ({ axiom, task, kind: 'missed' }) as const),
    ];
  });
}

const isTaskAxiom = (axiom: string): axiom is TaskAxiom => (taskAxioms as readonly string[]).includes(axiom);

/** The shortest trace that can be reached by leaving out records and in which the same is said differently. */
export async function shrink(
  trace: RandomTrace,
  wanted: Disagreement,
  lenience?: Lenience,
): Promise<RandomTrace> {
  let shortest = trace;
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const candidate of shorter(shortest)) {
      if (!(await hasDisagreement(candidate, wanted, lenience))) continue;
      shortest = candidate;
      isShorter = true;
      break;
    }
  }
  return shortest;
}

async function hasDisagreement(
  trace: RandomTrace,
  wanted: Disagreement,
  lenience?: Lenience,
): Promise<boolean> {
  const { disagreements } = await compare(trace, lenience);
  return disagreements.some(({ axiom, kind }) => axiom === wanted.axiom && kind === wanted.kind);
}

function* shorter({ records, grant }: RandomTrace): Generator<RandomTrace> {
  for (const size of [4, 2, 1])
    for (let i = 0; i + size <= records.length; i++) yield { grant, records: records.toSpliced(i, size) };
  for (const [i, record] of records.entries()) {
    if (record.event !== 'InitStart') continue;
    for (let j = 0; j < record.registrations.length; j++)
      yield {
        grant,
        records: records.toSpliced(i, 1, { ...record, registrations: record.registrations.toSpliced(j, 1) }),
      };
  }
}

/** One line per record. */
export const inWords = ({ records, grant }: RandomTrace): string =>
  [`lag ${grant.lagMs} ms, b ${grant.b}`, ...records.map(line)].join('\n');

function line(record: TraceRecord): string {
  const { at, event, ...rest } = record;
  const details = Object.entries(rest).flatMap(([key, value]) => {
    if (key === 'registrations' && record.event === 'InitStart')
      return record.registrations.map((one) => `[${one.name}|${one.cron}|${one.retryDelayMs}]`);
    if (key === 'from' || key === 'to') return [`${key} ${clock(Number(value))}`];
    return key === 'timeZone' && value === 'UTC' ? [] : [`${key} ${value}`];
  });
  return `  ${clock(at)} ${event} ${details.join(' ')}`.trimEnd();
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23);
