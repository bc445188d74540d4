/** What the theory says of the merged traces of real processes (K9). */
import { checkTrace } from '../../src/theory/check.ts';
import { mergeTraces } from '../../src/trace/index.ts';

/**
 * A machine that is busy may take long for anything, and a trace knows only that its own process stood still. So how soon something was
 * started is left to the simulated worlds.
 */
const LAG_MS = 600_000;

export async function judgeMerged(
  traces: readonly string[],
): Promise<{ readonly records: number; readonly violations: readonly string[] }> {
  const verdict = await checkTrace(mergeTraces(traces), { witnesses: { lagMs: LAG_MS } });
  const violations = Object.values(verdict.axioms).flatMap((axiom) =>
    axiom.violations
      // The last line of a process that was killed may be cut off.
      .filter(({ because }) => !/the last line was cut off/.test(because))
      .map(({ axiom: id, because }) => `${id}: ${because}`),
  );
  return { records: verdict.counts.records, violations };
}
