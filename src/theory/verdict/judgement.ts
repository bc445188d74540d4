/** Makes the verdict of what the ledger has, axiom by axiom. */
import type { Axiom } from '../axioms/axiom.ts';
import type { Witnesses } from '../delays/compute.ts';
import type { Settled } from './ledger.ts';
import type { AxiomVerdict, Status, Verdict, Violation } from './verdict.ts';

export interface Judged extends Pick<Verdict, 'counts' | 'of'> {
  readonly axioms: readonly Axiom[];
  readonly settled: Settled;
  /** Axioms with a demand that is open at the end of the trace. */
  readonly undecided: ReadonlySet<string>;
  /** Axioms that were put to the test. */
  readonly seen: ReadonlySet<string>;
  readonly witnesses: Witnesses;
  readonly now: number;
}

const MINUTE_MS = 60_000;

/** EN3 is of the smallest lag that would do, and so of the trace as a whole. */
function tooMuchLag(lagMs: number, at: number): readonly Violation[] {
  if (lagMs < MINUTE_MS) return [];
  const because = `The smallest lag that would do is ${lagMs / 1000} s, which is not less than a minute`;
  return [{ axiom: 'EN3', at, blame: 'environment', because, events: [] }];
}

export function judge(judged: Judged): Verdict {
  const { axioms, settled, undecided, seen, witnesses, now, counts, of } = judged;
  const blames = new Set(settled.blames);
  const status = (axiom: Axiom, violations: readonly Violation[]): Status => {
    if (violations.length > 0) return 'violated';
    if (axiom.id === 'EN3') return 'holds';
    if (axiom.unbreakable !== undefined || undecided.has(axiom.id)) return 'undecided';
    return seen.has(axiom.id) ? 'holds' : 'vacuous';
  };
  const entries = axioms.map((axiom): [string, AxiomVerdict] => {
    const notes = settled.notes.get(axiom.id) ?? [];
    const why = axiom.unbreakable === undefined ? [] : [`no finite trace can break it: ${axiom.unbreakable}`];
    const violations =
      axiom.id === 'EN3' ? tooMuchLag(settled.lagMs, now) : (settled.violations.get(axiom.id) ?? []);
    if (axiom.id === 'EN3' && violations.length > 0) blames.add('environment');
    const count = settled.counts.get(axiom.id) ?? violations.length;
    return [axiom.id, { status: status(axiom, violations), violations, count, notes: [...notes, ...why] }];
  });
  // Where the trace is not one of the model, what the axioms say of it may mean nothing.
  const blame = (['outside', 'scheduler', 'environment'] as const).find((one) => blames.has(one));
  return {
    conformant: !blames.has('scheduler') && !blames.has('outside'),
    blame: blame ?? 'none',
    axioms: Object.fromEntries(entries),
    witnesses,
    fitted: { a: 0, b: 0, lagMs: settled.lagMs },
    counts,
    of,
  };
}
