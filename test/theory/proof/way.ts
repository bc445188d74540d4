/**
 * One task's slice of a trace, as the theory sees it, small enough to be kept in every state of an exploration: the state of the
 * automaton, and the few instants that the past is read again with when the schedule changes (T5). `Tasks` does the same
 * for a million tasks at once, and cannot be saved or gone back to; a test holds the two against each other.
 *
 * A way is *one* way that things may have been. Where a trace cannot tell what has happened (T10, T11), the model can: it knows
 * what has become durable. So it keeps the way that would be the true one if the process died now, the *shade*, next to the way
 * that is true if it does not, and never needs a set. What holds of the true way holds of any set of ways that contains it:
 * what is pending is owed in some way, and what is owed in all of them is pending.
 */

import { type MinuteMatcher, minuteMatcher } from '../../../src/theory/calendar/minute-matcher.ts';
import { bits } from '../../../src/theory/logic/atoms.ts';
import { AT, type Automaton } from '../../../src/theory/logic/automaton.ts';
import { compileTheory, probes } from '../../../src/theory/logic/compiled.ts';
import { and, type Formula, not, True } from '../../../src/theory/logic/formula.ts';
import { Active, Pending, Registered, Running } from '../../../src/theory/logic/macros.ts';
import type { Monitorable } from '../../../src/theory/logic/monitorable.ts';
import type { Rebuild } from '../../../src/theory/logic/program.ts';
import { MINUTE_MS } from './instance.ts';

export interface Way {
  /** Of the automaton. */
  readonly state: number;
  /** What held at the last position: the bits of `says`. */
  readonly says: number;
  /** When it was last served, by a start or a first coming, and whether that was a first coming. */
  readonly servedAt: number;
  readonly wasFirstComing: boolean;
  /** When the retry of the latest failure comes due (T2); Infinity where none is to come. */
  readonly retryAt: number;
}

export const says = { obligation: 1, owing: 2, running: 4, active: 8 } as const;

const never = Number.POSITIVE_INFINITY;

const minuteStart = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;
export const isDue = (matcher: MinuteMatcher, at: number): boolean => matcher.previous(at, at - 1) === at;

/** Asks for a formula without promising anything. */
const asked = (when: Formula): Monitorable => ({ kind: 'safety', when, broken: not(True) });

export class Ways {
  readonly #automaton: Automaton;
  readonly #matchers = new Map<string, MinuteMatcher>();
  readonly initial: Way;

  constructor(obligation: Formula) {
    const owing = and(Pending, Registered);
    this.#automaton = compileTheory([obligation, owing, Running, Active].map(asked));
    this.initial = {
      state: this.#automaton.initial,
      says: 0,
      servedAt: Number.NEGATIVE_INFINITY,
      wasFirstComing: false,
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
    const automaton = this.#automaton;
    const edge = automaton.edge(way.state, automaton.letter(mask));
    const isFirstComing = (automaton.at(edge, AT.probes) & probes.firstComing) !== 0;
    const isServed = isFirstComing || (mask & bits.RS) !== 0;
    return {
      state: automaton.at(edge, AT.target),
      says: automaton.at(edge, AT.seen),
      servedAt: isServed ? now : way.servedAt,
      wasFirstComing: isServed ? isFirstComing : way.wasFirstComing,
      retryAt: isServed || mask & bits.RetryDue ? never : way.retryAt,
    };
  }

  /** A minute begins. */
  minute(way: Way, cron: string | undefined, now: number): Way {
    const due = cron !== undefined && isDue(this.matcher(cron), now);
    return this.step(way, due ? bits.Due : 0, now);
  }

  /** A run fails; with a delay of 0 its retry is due directly after (T13). */
  failed(way: Way, delayMs: number, now: number): Way {
    const after = { ...this.step(way, bits.REf, now), retryAt: now + delayMs };
    return delayMs === 0 ? this.step(after, bits.RetryDue, now) : after;
  }

  /** An initialization succeeds: the slice sees whether it is in the list, and reads its past with the expression there. */
  initialized(way: Way, from: string | undefined, to: string | undefined, flags: number, now: number): Way {
    const state = from === to ? way.state : this.#reread(way, to, now);
    const isDueMinute = to !== undefined && isDue(this.matcher(to), minuteStart(now));
    const seen = (to === undefined ? bits.Out : bits.In) | (isDueMinute ? bits.DueMinute : 0) | flags;
    const after = this.step({ ...way, state }, seen, now);
    // Who is no longer registered comes back by a first coming, which clears everything anew.
    return to === undefined ? { ...after, servedAt: this.initial.servedAt, wasFirstComing: false } : after;
  }

  #reread(way: Way, cron: string | undefined, now: number): number {
    const matcher = cron === undefined ? undefined : this.matcher(cron);
    return this.#automaton.rebuilt(way.state, (kind) => this.#reading(way, kind, matcher, now));
  }

  #reading(way: Way, kind: Rebuild['kind'], matcher: MinuteMatcher | undefined, now: number): boolean {
    if (matcher === undefined || kind === 'too old') return false;
    // A name that was never served is new, and its first coming serves it at this very position.
    if (!Number.isFinite(way.servedAt)) return false;
    if (kind === 'since served') return Number.isFinite(matcher.previous(now, way.servedAt));
    return way.wasFirstComing && isDue(matcher, minuteStart(way.servedAt));
  }
}
