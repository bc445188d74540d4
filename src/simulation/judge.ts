/**
 * The second opinion. The model has judged every start as it happened, knowing what became durable; the oracle of the theory knows
 * nothing but the trace. Whatever it has to say against the scheduler is a violation. It may blame the environment only for what
 * the world has really done, and a world's trace is well-formed: freezes surround crashes, nothing happens within one.
 */
import { Monitor } from '../theory/monitor.ts';
import type { Verdict } from '../theory/verdict/verdict.ts';
import type { WorldRecord } from './trace.ts';
import type { Violation } from './verdicts.ts';

const theory = ['scheduler', 'environment', 'theorems', 'polling'] as const;

export interface Judgement {
  readonly violations: readonly Violation[];
  /** Which axioms this trace put to the test. */
  readonly tested: readonly string[];
}

/** `lagMs` is how long a start may take. */
export function judgeTrace(trace: readonly WorldRecord[], lagMs: number): Judgement {
  const monitor = new Monitor({ theory, durability: 'told', witnesses: { lagMs } });
  for (const record of trace) monitor.take(record);
  const verdict = monitor.verdict();
  const found = Object.values(verdict.axioms).flatMap(({ violations }) =>
    violations.map(({ axiom, at = trace[0].at, because }) => ({ rule: axiom, at, because })),
  );
  return { violations: found, tested: testedBy(verdict) };
}

const testedBy = ({ axioms }: Verdict): readonly string[] =>
  Object.entries(axioms).flatMap(([id, { status }]) =>
    status === 'holds' || status === 'violated' ? [id] : [],
  );
