/**
 * The second opinion. The model judges every start when it happens, and knows what is durable. The oracle of the theory judges
 * the finished trace, and knows nothing else. Whatever it finds against the scheduler is a violation. So is what it finds against
 * the environment: a world's environment keeps its axioms (freezes surround crashes, nothing happens within a freeze).
 */
import { Monitor } from '../../theory/monitor.ts';
import type { Verdict } from '../../theory/verdict/verdict.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Violation } from './violations.ts';

const theory = ['scheduler', 'environment', 'theorems', 'polling'] as const;

export interface Judgement {
  readonly violations: readonly Violation[];
  /** The axioms that this trace put to the test. */
  readonly tested: readonly string[];
}

/** `lagMs` is how long a start may take. */
export function judgeTrace(trace: readonly WrittenRecord[], lagMs: number): Judgement {
  const monitor = new Monitor({ theory, durability: 'recorded', witnesses: { lagMs } });
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
