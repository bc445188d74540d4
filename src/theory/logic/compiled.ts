/** The formulas of all tasks as one automaton, and what of a position is asked beside its letter. */
import { RetryDue, RS } from './atoms.ts';
import { Automaton } from './automaton.ts';
import { type Formula, not, or, S, Y } from './formula.ts';
import { Active, FirstComing, Pending, Registered, Running } from './macros.ts';
import type { Monitorable } from './monitorable.ts';
import { compile } from './program.ts';

/** What is known of a position beside its letter; a bit each in `Automaton.probes`. */
export const probes = {
  running: 1,
  wasRunning: 2,
  wasRegistered: 4,
  wasActive: 8,
  firstComing: 16,
  pending: 32,
} as const;
const probed: readonly Formula[] = [Running, Y(Running), Y(Registered), Y(Active), FirstComing, Pending];

/** The memory of a retry that has come due. */
export const retryHeld = S(not(or(RS, FirstComing)), RetryDue);

/** Where the probes for what clears begin. */
export const clearBit = 1 << probed.length;

/** Formulas as an automaton, and what must be remembered for each task to rebuild its bits. It has no state but its tables. */
export interface CompiledTheory {
  readonly automaton: Automaton;
  readonly clears: readonly Formula[];
  readonly whens: readonly { readonly formula: Formula; readonly clear: number }[];
  /** The memory of each demand: cleared when the clock is set. */
  readonly demands: readonly Formula[];
}

/** Tables that have been filled are good for the next monitor too. Those that have become too large are begun anew. */
const compiled = new WeakMap<readonly Monitorable[], CompiledTheory>();
const MOST_STATES = 10_000;

export function compileTheory(parts: readonly Monitorable[]): CompiledTheory {
  const before = compiled.get(parts);
  if (before !== undefined && before.automaton.states < MOST_STATES) return before;
  const theory = compileParts(parts);
  compiled.set(parts, theory);
  return theory;
}

function compileParts(parts: readonly Monitorable[]): CompiledTheory {
  const safety = parts.filter((part) => part.kind === 'safety');
  const responses = parts.filter((part) => part.kind === 'response');
  const broken = safety.map((part) => part.broken);
  const when = [...safety, ...responses].map((part) => part.when);
  const open = responses.map((part) => part.open);
  const program = compile([...broken, ...when, ...open, ...probed]);
  const { rebuilds } = program;
  const clears = [...new Set(rebuilds.flatMap((one) => (one.kind === 'mountain' ? [] : [one.clear])))];
  const whens = rebuilds.flatMap((one) =>
    one.kind === 'at-clear' ? [{ formula: one.when, clear: clears.indexOf(one.clear) }] : [],
  );
  const probes = [...probed, ...clears, ...whens.map(({ formula }) => formula)];
  return {
    automaton: new Automaton(program, { broken, when, open, probes }),
    clears,
    whens,
    demands: open.map((demand) => (demand.op === 'and' ? demand.left : demand)),
  };
}
