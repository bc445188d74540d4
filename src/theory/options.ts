/**
 * How a trace is to be judged. What is wrong is thrown: a witness that is no number would compare with nothing, and an axiom that is
 * switched off by a slip would say that all is well.
 */
import { describeValue as shown } from '../errors.ts';
import type { Axiom } from './axioms/axiom.ts';
import { axioms } from './axioms/index.ts';
import type { Witnesses } from './delays/compute.ts';
import type { Violation } from './verdict/verdict.ts';

/** A part of the theory. */
export type Part = Axiom['part'];

/** How a trace is to be judged. */
export interface MonitorOptions {
  /** What L1–L3 are judged by; a lag of 60 s, and no compute beyond it, by default. */
  readonly witnesses?: Partial<Witnesses>;
  /** Which parts of the theory; the scheduler's axioms and the environment's by default. */
  readonly theory?: readonly Part[];
  /** The recorder writes durability records, though there may be none yet. By default the first such record shows it. */
  readonly durability?: 'recorded';
  /**
   * Called for each violation that is found, once the record that shows it is dealt with. What it throws goes to the caller
   * that gave the record (`checkTrace` rejects, the sink throws); the monitor goes on all the same.
   */
  readonly onViolation?: (violation: Violation) => void;
}

const parts: ReadonlySet<unknown> = new Set(axioms.map(({ part }) => part));

/** Checks the options, and says what is left to the default. */
export function settleMonitorOptions(
  options: MonitorOptions,
): MonitorOptions & { readonly witnesses: Witnesses; readonly theory: readonly Part[] } {
  must(isObject(options), 'The options of a monitor', 'an object', options);
  const { witnesses = {}, theory = ['scheduler', 'environment'], durability, onViolation } = options;
  must(isObject(witnesses), 'witnesses', 'an object, such as { lagMs: 1000 }', witnesses);
  const isListener = onViolation === undefined || typeof onViolation === 'function';
  must(isListener, 'onViolation', 'a function', onViolation);
  if (durability !== undefined && durability !== 'recorded')
    throw new RangeError(`durability must be 'recorded', or left out; got ${shown(durability)}`);
  const { a, b, lagMs } = witnesses;
  const amounts = { a: amount('a', a, 0), b: amount('b', b, 0), lagMs: amount('lagMs', lagMs, 60_000) };
  return { ...options, witnesses: amounts, theory: knownParts(theory) };
}

function knownParts(theory: readonly Part[]): readonly Part[] {
  const choice = [...parts].join(', ');
  must(Array.isArray(theory), 'theory', `an array of parts (${choice})`, theory);
  if (theory.length === 0) throw new RangeError(`theory must name at least one part: ${choice}`);
  const unknown = theory.findIndex((part) => !parts.has(part));
  if (unknown >= 0)
    throw new RangeError(`theory[${unknown}] must be one of ${choice}; got ${shown(theory[unknown])}`);
  return theory;
}

function amount(name: keyof Witnesses, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  must(typeof value === 'number', `witnesses.${name}`, 'a number', value);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new RangeError(`witnesses.${name} must be finite and not negative; got ${value}`);
}

function must(isRight: boolean, name: string, expected: string, value: unknown): void {
  if (!isRight) throw new TypeError(`${name} must be ${expected}; got ${shown(value)}`);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
