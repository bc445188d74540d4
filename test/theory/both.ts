/** Asks the oracle and the reference checker the same question. */
import assert from 'node:assert/strict';
import { checkTrace, type Verdict } from '../../src/theory/index.ts';
import { check, violatedIn } from './independent/checker.ts';
import type { Trace } from './traces.ts';

/** What is violated of S1–S6 and L1–L3. */
export const broken = ({ axioms }: Verdict): string[] =>
  Object.entries(axioms).flatMap(([id, { status }]) =>
    /^[SL]\d$/.test(id) && status === 'violated' ? [id] : [],
  );

/** Both the oracle and the reference checker find exactly these axioms broken. */
export async function breaks(made: Trace, ...expected: readonly string[]): Promise<void> {
  assert.deepEqual(violatedIn(check(made.records)), expected, 'the reference checker');
  assert.deepEqual(broken(await checkTrace(made)), expected, 'the oracle');
}
