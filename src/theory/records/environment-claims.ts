/**
 * What the environment took, as the trace tells it: freezes, trouble with the store, little compute, a clock that was set. Whoever
 * tells of such a stretch tells of the past. One that ends before it begins, or reaches beyond its own record, would excuse what has
 * not happened yet: it is malformed, and nothing follows from it.
 *
 * Freezes alone may be told ahead of time. Our recorder stamps one by the record that comes after it, and that may carry an instant
 * which was read before the freeze. So one that reaches beyond its record waits, and counts once time has come to its end; if
 * something happens in the middle of it, it never was one.
 */
import type { TraceRecord } from '../../trace/record.ts';
import type { Cause, Compute } from '../delays/compute.ts';
import type { Here } from '../verdict/accuser.ts';
import { iso } from '../verdict/verdict.ts';
import type { Freezes } from './freeze-axioms.ts';
import type { WellFormed } from './well-formed.ts';

type Frozen = TraceRecord & { event: 'Frozen' };
type Taken = TraceRecord & { event: 'Compute' | 'StoreTrouble' };
type ClockStep = TraceRecord & { event: 'ClockStep' };

/** A freeze that reaches beyond its record. */
interface Foretold {
  readonly from: number;
  readonly to: number;
  readonly toldAt: number;
  readonly line: number;
}

/** How often a scheduler must look at the wall clock (B5). */
const LOOK_MS = 60_000;
/** Two clocks never agree to the millisecond: a second is no contradiction. */
const TOLERANCE_MS = 1000;

export interface ToldStretchesPorts {
  /** For L2 and L3; and, with the time in which no worker was free, for demands of tasks. */
  readonly compute: Compute;
  readonly computeOfTasks: Compute;
  readonly freezes: Freezes;
  readonly wellFormed: WellFormed;
}

export class ToldStretches {
  readonly #ports: ToldStretchesPorts;
  #foretold: Foretold[] = [];
  /** A record later than this decides about a freeze that was told ahead of time. */
  undecidedUntil = Number.POSITIVE_INFINITY;

  constructor(ports: ToldStretchesPorts) {
    this.#ports = ports;
  }

  frozen(record: Frozen, line: number): void {
    const { from, to, at } = record;
    if (this.#isBackwards(record, line)) return;
    const seenTo = Math.min(to, at);
    if (seenTo >= from) {
      this.#withhold(from, seenTo, 0, 'frozen');
      this.#ports.freezes.frozen(from, seenTo, line);
    }
    if (to > at) this.#foretell({ from: Math.max(from, at), to, toldAt: at, line });
  }

  taken(record: Taken, line: number): void {
    if (this.#isBackwards(record, line) || this.#isAhead(record, line)) return;
    const { from, to } = record;
    if (record.event === 'StoreTrouble') this.#withhold(from, to, 0, 'store');
    else this.#withhold(from, to, record.units / (to - from), 'compute');
  }

  /**
   * The clock was set, and nobody could know before the scheduler looked. Answers whether it was: a step that cannot have been is
   * none. Up to the last look the old time went on, so the record before it may be later than where the step begins, but not by
   * more than the time between two looks. (Where time has gone back already, and nobody has told why, it may be anything.)
   */
  step(record: ClockStep, { now, line }: Here): boolean {
    const { from, to, at } = record;
    const { compute, wellFormed } = this.#ports;
    if (this.#isAhead(record, line)) return false;
    // Sleep is trusted for a minute at a time, not counting what the machine was frozen for.
    const unseenMs = at - to;
    const frozenMs = unseenMs - compute.lagOf(from, from + unseenMs);
    const leewayMs = Math.min(unseenMs, LOOK_MS + frozenMs) + TOLERANCE_MS;
    if (to < from && now - from > leewayMs && wellFormed.isExplained) {
      const last = `the record before it is of ${iso(now)}`;
      this.#wrong(`ClockStep: the clock is said to have been set back at ${iso(from)}, but ${last}`, line);
      return false;
    }
    this.#withhold(Math.max(to, at - LOOK_MS - frozenMs), at, 0, 'step');
    if (to >= from) this.#withhold(from, to, 0, 'step');
    else this.#settle(from + unseenMs);
    return true;
  }

  /** A record shows that time has come this far: what was told ahead of it either was so, or cannot have been. */
  cameTo(at: number): void {
    const undecided: Foretold[] = [];
    for (const foretold of this.#foretold) {
      const { from, to, toldAt, line } = foretold;
      if (at <= toldAt + TOLERANCE_MS) undecided.push(foretold);
      else if (at >= to - TOLERANCE_MS) this.#withhold(from, Math.min(to, at), 0, 'frozen');
      else {
        const told = `Frozen: "to" is ${iso(to)}, but the record itself is of ${iso(toldAt)}`;
        this.#wrong(`${told}, and something happened at ${iso(at)}`, line);
      }
    }
    this.#wait(undecided);
  }

  /** The clock was set back, and showed no more than this before: what was told of later times is not known to have been. */
  #settle(latest: number): void {
    for (const { from, to } of this.#foretold) this.#withhold(from, Math.min(to, latest), 0, 'frozen');
    this.#wait([]);
  }

  #foretell(foretold: Foretold): void {
    this.#wait([...this.#foretold, foretold]);
  }

  #wait(foretold: Foretold[]): void {
    this.#foretold = foretold;
    this.undecidedUntil = Math.min(...foretold.map(({ toldAt }) => toldAt + TOLERANCE_MS));
  }

  #withhold(from: number, to: number, density: number, cause: Cause): void {
    this.#ports.compute.set(from, to, density, cause);
    this.#ports.computeOfTasks.set(from, to, density, cause);
  }

  #isBackwards({ event, from, to }: Frozen | Taken, line: number): boolean {
    if (to >= from) return false;
    this.#wrong(`${event}: "to" is ${iso(to)}, which is before "from", ${iso(from)}`, line);
    return true;
  }

  #isAhead({ event, at, to }: Taken | ClockStep, line: number): boolean {
    if (to <= at) return false;
    this.#wrong(`${event}: "to" is ${iso(to)}, but the record itself is of ${iso(at)}`, line);
    return true;
  }

  #wrong(message: string, line: number): void {
    this.#ports.wellFormed.malformed({ line, message });
  }
}
