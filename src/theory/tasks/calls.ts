/**
 * The calls of `initialize` and `stop`, each a slice of its own: S5, L2 and L3 are quantified over them. There are few at a time,
 * so each is simply stepped. Starts and ends of a call are paired by its number; a foreign trace may leave it out, and then an
 * end belongs to the oldest call that is open.
 */
import type { RecordOf } from '../../trace/record.ts';
import type { ReadList } from '../calendar/valid-list.ts';
import type { Automaton, Slice, SliceFindings } from '../logic/automaton.ts';

export interface Call extends ReadList, Slice {
  readonly kind: 'initialize' | 'stop';
  /** What compute is granted for: its own list (L2), or the one registered when it began to owe its return (L3). */
  list: ReadList['list'];
  readonly id: number | undefined;
  readonly at: number;
  readonly line: number;
  /** How many there are from its end on, if it is an initialization that succeeds. */
  readonly workers: number;
  /** A stop was called since it began (T7). */
  isStopped: boolean;
  /** The list is replaced while the scheduler is active (I5). */
  readonly isReload: boolean;
  /** The scheduler was active, or another call was open, when it began. */
  readonly beganBusy: boolean;
  /** The scheduler was active or stopping, or another initialization ran, at some position since it began (T6). */
  isBusy: boolean;
  /** What the clock showed when it began, and where it was set back to since: its commit goes by one of these, or by a later one. */
  readonly readings: number[];
}

/** A call as it begins. */
type CallStart = Omit<Call, keyof Slice | 'isStopped' | 'isBusy' | 'readings'>;

interface CallFindings extends SliceFindings<Call> {
  /** The oldest call that is open is not waited for any more. */
  overlooked(): void;
}

/** So many calls that have not ended are waited for. */
const MOST_OPEN = 64;

export class Calls {
  readonly #automaton: Automaton;
  readonly #findings: CallFindings;
  readonly open: Call[] = [];
  seen = 0;

  constructor(automaton: Automaton, findings: CallFindings) {
    this.#automaton = automaton;
    this.#findings = findings;
  }

  begin(call: CallStart, mask: number): void {
    const begun: Call = {
      ...call,
      isStopped: false,
      isBusy: call.beganBusy,
      state: this.#automaton.initial,
      openAt: undefined,
      seen: 0,
      readings: [call.at],
    };
    this.open.push(begun);
    this.step(begun, mask, call.at);
    if (this.open.length <= MOST_OPEN) return;
    this.open.shift();
    this.#findings.overlooked();
  }

  /** The open call that an end belongs to. Without a number it is the oldest that it fits, or else the oldest. */
  find(kind: Call['kind'], id: number | undefined, fits = (_: Call): boolean => true): Call | undefined {
    const calls = this.open.filter((call) => call.kind === kind && (id === undefined || call.id === id));
    return calls.find(fits) ?? calls[0];
  }

  end(call: Call, mask: number, now: number): void {
    this.step(call, mask, now);
    this.open.splice(this.open.indexOf(call), 1);
  }

  clockSetBack(to: number): void {
    for (const call of this.open) {
      call.openAt = call.openAt?.map((at) => Math.min(at, to));
      call.readings.push(to);
    }
  }

  /** Another list is registered: a stop that does not owe its return yet will be granted compute for it. */
  listed(list: ReadList['list']): void {
    for (const call of this.open) if (call.kind === 'stop' && call.openAt === undefined) call.list = list;
  }

  all(mask: number, now: number): void {
    for (const call of this.open) this.step(call, mask, now);
  }

  step(call: Call, mask: number, now: number): void {
    this.#automaton.step(call, this.#automaton.letter(mask), now, this.#findings);
    this.seen |= call.seen;
  }
}

/** Whether an end without a number is one that a call can have: a valid list is refused only if something else was going on. */
export function isEndOf(record: RecordOf<'InitSuccess' | 'InitFailure'>, call: Call): boolean {
  const { invalid, beganBusy } = call;
  if (record.event === 'InitSuccess') return invalid === undefined;
  return record.valid ? beganBusy || record.fault !== 'active' : invalid !== undefined;
}
