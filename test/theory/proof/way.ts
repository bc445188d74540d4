/**
 * One task's slice of a trace, as the theory sees it, small enough to be kept in every state of an exploration: the state of the
 * automaton, and the few instants that the past is read again with when the schedule changes (T5). `Population` does the same
 * for a million tasks at once, and cannot be saved or gone back to; a test holds the two against each other.
 *
 * A way is *one* way that things may have been. Where a trace cannot tell what has happened (T10, T11), the model can: it knows
 * what has become durable. So it keeps the way that would be the true one if the process died now, the *shade*, beside the way
 * that is true if it does not, and never needs a set. What holds of the true way holds of any set of ways that contains it:
 * what is pending is owed in some way, and what is owed in all of them is pending.
 */

import { type MinuteMatcher, minuteMatcher } from '../../../src/theory/calendar/minute-matcher.ts';
import { bits } from '../../../src/theory/logic/atoms.ts';
import { type CompiledTheory, compileTheory, probes } from '../../../src/theory/logic/compiled.ts';
import { and, False, type Formula } from '../../../src/theory/logic/formula.ts';
import { Active, Pending, Registered, Running } from '../../../src/theory/logic/macros.ts';
import type { Monitorable } from '../../../src/theory/logic/monitorable.ts';
import type { Rebuild } from '../../../src/theory/logic/program.ts';

export interface Way {
  /** Of the automaton. */
  readonly state: number;
  /** What held at the last position: the bits of `says`. */
  readonly says: number;
  /** For each kind of clearing, when it last happened, and whether something else held then, a bit each. */
  readonly clearedAt: readonly number[];
  readonly wasWhen: number;
  /** When the retry of the latest failure comes due (T2); Infinity where none is to come. */
  readonly retryAt: number;
}

export const says = { obligation: 1, owing: 2, running: 4, active: 8 } as const;

const clearBit = 2 * probes.pending;
const never = Number.POSITIVE_INFINITY;

/** Asks for a formula without promising anything. */
const asked = (when: Formula): Monitorable => ({ kind: 'safety', when, broken: False });

export class Ways {
  readonly #theory: CompiledTheory;
  readonly #matchers = new Map<string, MinuteMatcher>();
  readonly #rebuilt = new Map<string, number>();
  readonly initial: Way;

  constructor(obligation: Formula) {
    const owing = and(Pending, Registered);
    this.#theory = compileTheory([obligation, owing, Running, Active].map(asked));
    this.initial = {
      state: this.#theory.automaton.initial,
      says: 0,
      clearedAt: this.#theory.clears.map(() => Number.NEGATIVE_INFINITY),
      wasWhen: 0,
      retryAt: never,
    };
  }

  matcher(cron: string): MinuteMatcher {
    let matcher = this.#matchers.get(cron);
    if (matcher === undefined) {
      matcher = minuteMatcher(cron, 'UTC');
      this.#matchers.set(cron, matcher);
    }
    return matcher;
  }

  /** A position at which this slice sees these atoms; 0 for one of somebody else. */
  step(way: Way, mask: number, now: number): Way {
    const { automaton, clears, whens } = this.#theory;
    const edge = automaton.edge(way.state, automaton.letter(mask));
    const seen = automaton.probes[edge];
    let { clearedAt, wasWhen, retryAt } = way;
    for (let i = 0; i < clears.length; i++)
      if (seen & (clearBit << i)) clearedAt = clearedAt.map((at, j) => (i === j ? now : at));
    for (let i = 0; i < whens.length; i++) {
      if (!(seen & (clearBit << whens[i].clear))) continue;
      wasWhen = seen & (clearBit << (clears.length + i)) ? wasWhen | (1 << i) : wasWhen & ~(1 << i);
    }
    if (mask & (bits.RS | bits.RetryDue) || seen & probes.firstComing) retryAt = never;
    return { state: automaton.target[edge], says: automaton.seen[edge], clearedAt, wasWhen, retryAt };
  }

  /** A minute begins. */
  minute(way: Way, cron: string | undefined, now: number): Way {
    const isDue = cron !== undefined && this.matcher(cron).isDue(now);
    return this.step(way, bits.MinuteStart | (isDue ? bits.Due : 0), now);
  }

  /** A run fails; with a delay of 0 its retry is due directly after (T13). */
  failed(way: Way, delayMs: number, now: number): Way {
    const after = { ...this.step(way, bits.REf, now), retryAt: now + delayMs };
    return delayMs === 0 ? this.step(after, bits.RetryDue, now) : after;
  }

  /** An initialization succeeds: the slice sees whether it is in the list, and reads its past with the expression there. */
  initialized(way: Way, from: string | undefined, to: string | undefined, flags: number, now: number): Way {
    const state = from === to ? way.state : this.#reread(way, to, now);
    const after = this.step({ ...way, state }, (to === undefined ? bits.Out : bits.In) | flags, now);
    // Who is no longer registered comes back by a first coming, which clears everything anew.
    return to === undefined ? { ...after, clearedAt: this.initial.clearedAt, wasWhen: 0 } : after;
  }

  #reread(way: Way, cron: string | undefined, now: number): number {
    const { automaton } = this.#theory;
    const matcher = cron === undefined ? undefined : this.matcher(cron);
    const readings = automaton.program.rebuilds.map((rebuild) => this.#reading(way, rebuild, matcher, now));
    const key = `${way.state} ${readings}`;
    let state = this.#rebuilt.get(key);
    if (state === undefined) {
      state = automaton.rebuilt(way.state, (one) => readings[automaton.program.rebuilds.indexOf(one)]);
      this.#rebuilt.set(key, state);
    }
    return state;
  }

  #reading(way: Way, rebuild: Rebuild, matcher: MinuteMatcher | undefined, now: number): boolean {
    if (matcher === undefined) return false;
    if (rebuild.kind === 'mountain') return matcher.isDue(matcher.minuteStart(now));
    const { clears, whens } = this.#theory;
    const clear = clears.indexOf(rebuild.clear);
    const clearedAt = way.clearedAt[clear];
    // A name that nothing has cleared yet is new, and its first coming clears it at this very position.
    if (!Number.isFinite(clearedAt)) return false;
    if (rebuild.kind === 'since-clear') return Number.isFinite(matcher.previous(now, clearedAt));
    const when = whens.findIndex((one) => one.formula === rebuild.when && one.clear === clear);
    return (way.wasWhen & (1 << when)) !== 0 && matcher.isDue(matcher.minuteStart(clearedAt));
  }
}
