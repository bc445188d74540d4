/** Short ways to ask the oracle. */
import assert from 'node:assert/strict';
import { checkTrace } from '../../src/theory/check.ts';
import type { MonitorOptions, Part } from '../../src/theory/options.ts';
import type { Verdict, Violation } from '../../src/theory/verdict/verdict.ts';
import type { Trace } from './traces.ts';

/** The whole theory, the informative parts too. */
export const everything: readonly Part[] = ['scheduler', 'environment', 'assumptions', 'theorems', 'polling'];

/** By the whole theory, with line numbers. */
export const judge = (trace: Trace, options: MonitorOptions = {}): Promise<Verdict> =>
  checkTrace(trace.entries, { theory: everything, ...options });

/** The axioms that are violated, in the order of the tables in docs/theory.md. */
export const brokenBy = (verdict: Verdict): string[] =>
  Object.entries(verdict.axioms).flatMap(([id, { status }]) => (status === 'violated' ? [id] : []));

/** The first violation of an axiom. */
export function violationOf(verdict: Verdict, axiom: string): Violation {
  const violation = verdict.axioms[axiom]?.violations[0];
  if (violation === undefined) throw new RangeError(`${axiom} is not violated`);
  return violation;
}

/** Nothing is broken, and nobody is blamed. */
export async function accepts(good: Trace): Promise<void> {
  const verdict = await judge(good);
  assert.deepEqual([brokenBy(verdict), verdict.blame], [[], 'none']);
}

/** The scheduler breaks these axioms, and no others. */
export async function refuses(bad: Trace, ...axioms: readonly string[]): Promise<void> {
  assert.deepEqual(brokenBy(await judge(bad, { theory: ['scheduler'] })), axioms);
}
