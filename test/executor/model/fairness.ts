/**
 * Where a fair execution can stay for ever.
 *
 * It stays in a strongly connected component C (a single state that it never leaves is one too). C can be stayed
 * in fairly if for each fairness class:
 *
 * - weak: some step of the class lies inside C, or the class is not enabled somewhere in C. If neither, every
 *   execution within C leaves a class enabled for ever and never serves it: no part of C can be fair.
 * - strong: some step of the class lies inside C, or the class is enabled nowhere in C. If neither, an execution
 *   may still avoid the states where the class is enabled, so these are taken out and the rest is looked at anew.
 *
 * A class is enabled in a state if one of its steps *changes* that state.
 */
import { type Components, components } from './components.ts';
import type { Step, Steps } from './explorer.ts';

interface Named {
  readonly name: string;
  readonly process: string;
}

export interface FairnessClass {
  readonly strength: 'weak' | 'strong';
  readonly covers: (action: Named) => boolean;
}

/** One class for each process, as PlusCal's `fair process` (weak) and `fair+ process` (strong) have it. */
export function perProcess(
  actions: readonly Named[],
  strength: FairnessClass['strength'] = 'weak',
): FairnessClass[] {
  return [...new Set(actions.map(({ process }) => process))].map((process) => ({
    strength,
    covers: (action) => action.process === process,
  }));
}

/** The classes as bits of an integer: which are weak, which strong, and which each action serves. */
export interface FairnessBits {
  readonly weak: number;
  readonly strong: number;
  readonly ofAction: readonly number[];
}

export function fairnessBits(classes: readonly FairnessClass[], actions: readonly Named[]): FairnessBits {
  if (classes.length > 30) throw new Error('fairness classes are bits of one integer: 30 at most');
  const bits = (chosen: (one: FairnessClass) => boolean): number =>
    classes.reduce((mask, one, bit) => (chosen(one) ? mask | (1 << bit) : mask), 0);
  return {
    weak: bits(({ strength }) => strength === 'weak'),
    strong: bits(({ strength }) => strength === 'strong'),
    ofAction: actions.map((action) => bits(({ covers }) => covers(action))),
  };
}

function enabledIn({ firstStep, action }: Steps, { ofAction }: FairnessBits, state: number): number {
  let mask = 0;
  for (let step = firstStep[state]; step < firstStep[state + 1]; step++) mask |= ofAction[action[step]];
  return mask;
}

/** For each state inside, the number (from 1) of the fair component it belongs to; 0 if there is none. */
export function fairComponents(steps: Steps, bits: FairnessBits, inside: Uint8Array): Int32Array {
  const fair = new Int32Array(inside.length);
  let found = 0;
  let left = inside;
  while (left.includes(1)) {
    const parts = components(steps, left);
    const { missed, avoidable } = judge(steps, bits, parts);
    const again = new Uint8Array(inside.length);
    for (let state = 0; state < fair.length; state++) {
      const part = parts.of[state];
      if (part === -1) continue;
      if (missed[part] === 0) fair[state] = found + part + 1;
      else if (avoidable[part] === 1 && (enabledIn(steps, bits, state) & missed[part]) === 0)
        again[state] = 1;
    }
    found += parts.total;
    left = again;
  }
  return fair;
}

/** Which classes each component treats unfairly, and whether leaving states out could mend that. */
function judge(
  steps: Steps,
  bits: FairnessBits,
  { of, total }: Components,
): { missed: Int32Array; avoidable: Uint8Array } {
  const taken = new Int32Array(total);
  const somewhere = new Int32Array(total);
  const everywhere = new Int32Array(total).fill(-1);
  for (let state = 0; state < of.length; state++) {
    const part = of[state];
    if (part === -1) continue;
    const enabled = enabledIn(steps, bits, state);
    somewhere[part] |= enabled;
    everywhere[part] &= enabled;
    for (let step = steps.firstStep[state]; step < steps.firstStep[state + 1]; step++) {
      if (of[steps.target[step]] === part) taken[part] |= bits.ofAction[steps.action[step]];
    }
  }
  const missed = new Int32Array(total);
  const avoidable = new Uint8Array(total);
  for (let part = 0; part < total; part++) {
    const weakly = bits.weak & everywhere[part] & ~taken[part];
    missed[part] = weakly | (bits.strong & somewhere[part] & ~taken[part]);
    avoidable[part] = weakly === 0 ? 1 : 0;
  }
  return { missed, avoidable };
}

/**
 * A round trip from `entry` within its fair component that treats every class fairly: for each class that the
 * trip has not yet served it goes to the nearest step of that class. If there is none, a strong class is enabled
 * nowhere here, and for a weak one it goes to the nearest state where it is not. Empty if staying put is fair.
 */
export function fairCycle(steps: Steps, bits: FairnessBits, fair: Int32Array, entry: number): Step[] {
  const within = (state: number): boolean => fair[state] === fair[entry];
  const cycle: Step[] = [];
  let at = entry;
  let owed = bits.weak | bits.strong;
  const settle = (state: number): void => {
    owed &= ~(bits.weak & ~enabledIn(steps, bits, state));
  };
  const go = (way: readonly Step[] | undefined): boolean => {
    for (const step of way ?? []) {
      cycle.push(step);
      at = step.to;
      owed &= ~bits.ofAction[step.action];
      settle(at);
    }
    return way !== undefined;
  };
  settle(entry);
  for (let bit = 1; bit <= (bits.weak | bits.strong); bit <<= 1) {
    if ((owed & bit) === 0) continue;
    const served = go(search(steps, at, within, ({ action }) => (bits.ofAction[action] & bit) !== 0));
    if (!served && (bits.weak & bit) !== 0)
      go(search(steps, at, within, ({ to }) => (enabledIn(steps, bits, to) & bit) === 0));
  }
  if (cycle.length > 0 && at !== entry) go(search(steps, at, within, ({ to }) => to === entry));
  return cycle;
}

/** The shortest way within a set of states whose last step is the one sought, or undefined. */
function search(
  { firstStep, target, action }: Steps,
  from: number,
  within: (state: number) => boolean,
  sought: (step: Step) => boolean,
): Step[] | undefined {
  const reachedBy = new Map<number, Link>();
  const line = [from];
  for (const state of line) {
    for (let index = firstStep[state]; index < firstStep[state + 1]; index++) {
      const step = { action: action[index], to: target[index] };
      if (!within(step.to)) continue;
      if (sought(step)) return wayBack({ before: state, step }, from, reachedBy);
      if (step.to === from || reachedBy.has(step.to)) continue;
      reachedBy.set(step.to, { before: state, step });
      line.push(step.to);
    }
  }
  return undefined;
}

interface Link {
  readonly before: number;
  readonly step: Step;
}

function wayBack(last: Link, from: number, reachedBy: ReadonlyMap<number, Link>): Step[] {
  const way = [last.step];
  let { before } = last;
  for (
    let link = reachedBy.get(before);
    before !== from && link !== undefined;
    link = reachedBy.get(before)
  ) {
    way.push(link.step);
    before = link.before;
  }
  return way.reverse();
}
