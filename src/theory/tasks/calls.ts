/**
 * The calls of `initialize` and `stop`, each a slice of its own: S5, L2 and L3 are quantified over them. There are few at a time,
 * so each is simply stepped. Starts and ends of a call are paired by its number; a foreign trace may leave it out, and then an
 * end belongs to the oldest call that is open.
 */
import type { ReadList } from '../calendar/valid-list.ts';
import type { Automaton } from '../logic/automaton.ts';
import { compileTheory } from '../logic/compiled.ts';
import type { Monitorable } from '../logic/monitorable.ts';

export interface Call extends ReadList {
  readonly kind: 'initialize' | 'stop';
  readonly id: number | undefined;
  readonly at: number;
  readonly line: number;
  readonly timeZone: string;
  readonly workers: number;
  /** A stop was called since it began (T7). */
  isStopped: boolean;
  /** The scheduler was active, or another call was open, when it began. */
  readonly beganBusy: boolean;
  /** The scheduler was active or stopping, or another initialization ran, at some position since it began (T6). */
  isBusy: boolean;
  state: number;
  /** Since when each demand is open; empty where none is. */
  openAt: readonly number[];
  /** What the clock showed when it began, and where it was set back to since: its commit goes by one of these, or by a later one. */
  readonly readings: number[];
}

/** A call as it begins; a stop has no list. */
export type CallStart = Pick<Call, 'kind' | 'id' | 'at' | 'line'> &
  Partial<Pick<Call, 'list' | 'timeZone' | 'workers' | 'invalid' | 'beganBusy'>>;

/** Hears what the calls find. */
export interface CallFindings {
  brokenByCall(mask: number, call: Call, now: number): void;
  endedByCall(demand: number, openAt: number, call: Call, now: number): void;
}

export class Calls {
  readonly #automaton: Automaton;
  readonly #findings: CallFindings;
  readonly open: Call[] = [];
  seen = 0;

  constructor(parts: readonly Monitorable[], findings: CallFindings) {
    this.#automaton = compileTheory(parts).automaton;
    this.#findings = findings;
  }

  begin(call: CallStart, mask: number): void {
    const begun: Call = {
      list: [],
      timeZone: '',
      workers: 0,
      invalid: undefined,
      isStopped: false,
      beganBusy: false,
      ...call,
      isBusy: call.beganBusy === true,
      state: this.#automaton.initial,
      openAt: [],
      readings: [call.at],
    };
    this.open.push(begun);
    this.step(begun, mask, call.at);
  }

  /** The open call that an end belongs to. Without a number it is the oldest that it fits, or else the oldest. */
  find(
    kind: Call['kind'],
    id: number | undefined,
    fits: (call: Call) => boolean = () => true,
  ): Call | undefined {
    const calls = this.open.filter((call) => call.kind === kind && (id === undefined || call.id === id));
    return calls.find(fits) ?? calls[0];
  }

  end(call: Call, mask: number, now: number): void {
    this.step(call, mask, now);
    this.open.splice(this.open.indexOf(call), 1);
  }

  /** The clock was set back. */
  clockSetBack(to: number): void {
    for (const call of this.open) {
      call.openAt = call.openAt.map((at) => Math.min(at, to));
      call.readings.push(to);
    }
  }

  /** All open calls see the same. */
  all(mask: number, now: number): void {
    for (const call of this.open) this.step(call, mask, now);
  }

  step(call: Call, mask: number, now: number): void {
    const automaton = this.#automaton;
    const edge = automaton.edge(call.state, automaton.letter(mask));
    this.seen |= automaton.seen[edge];
    if (automaton.broken[edge] !== 0) this.#findings.brokenByCall(automaton.broken[edge], call, now);
    for (const [i, at] of call.openAt.entries())
      if (automaton.ends(edge, i, call.openAt)) this.#findings.endedByCall(i, at, call, now);
    call.openAt = automaton.openAfter(edge, call.openAt, now) ?? [];
    call.state = automaton.target[edge];
  }
}
