/**
 * Checks the instants in a scheduler's records against how the clock was really set (B5). Every record carries what the clock
 * shows. No instant is before the last one unless a `ClockStep` comes between. A `ClockStep` is by as much as the clock was set
 * since the scheduler's look before, to the millisecond.
 */
import type { WrittenRecord } from '../../trace/record.ts';
import type { WorldTime } from './judge.ts';
import type { Blame } from './violations.ts';

export class ClockRecords {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  /** By how much the clock was set, and when, in `passed`. */
  readonly #steps: { readonly passed: number; readonly byMs: number }[] = [];
  /** The last record of the living process. */
  #last: { readonly at: number; readonly passed: number } | undefined;

  constructor(time: WorldTime, blame: Blame) {
    this.#time = time;
    this.#blame = blame;
  }

  set(byMs: number): void {
    this.#steps.push({ passed: this.#time.passed, byMs });
  }

  processDied(): void {
    this.#last = undefined;
  }

  recorded(record: WrittenRecord, scheduler: 'active' | 'not active'): void {
    const { now, passed } = this.#time;
    const { at, event } = record;
    if (event === 'ClockStep') this.#stepRecorded(record, scheduler);
    else if (this.#last !== undefined && at < this.#last.at)
      this.#blame('trace', `${event} at ${at} comes after ${this.#last.at}, without a ClockStep`);
    if (at !== now) this.#blame('trace', `${event} is recorded at ${at}, but it is ${now}`);
    this.#last = { at, passed };
  }

  /**
   * An active scheduler records a step as if it had come right after its last look, so the record says when that look was. At any
   * other time the record says that the clock went back from the last record.
   */
  #stepRecorded({ at, from, to }: Extract<WrittenRecord, { event: 'ClockStep' }>, scheduler: string): void {
    const { passed } = this.#time;
    if (this.#sums(passed - (at - to)).includes(to - from)) return;
    const last = this.#last;
    if (scheduler !== 'active' && last !== undefined) {
      const wentBack = this.#sums(last.passed).map((sum) => sum + passed - last.passed);
      if (to === at && from === last.at && wentBack.includes(to - from)) return;
    }
    this.#blame('B5', `the clock was not set by ${to - from} ms since ${at - to} ms ago`);
  }

  /** By how much the clock was set since then. A step at that very instant may count or not, so there are several answers. */
  #sums(since: number): readonly number[] {
    const later = this.#steps.filter((step) => step.passed >= since);
    let sum = 0;
    for (const { passed, byMs } of later) if (passed > since) sum += byMs;
    const sums = [sum];
    for (const { passed, byMs } of later.toReversed()) {
      if (passed !== since) continue;
      sum += byMs;
      sums.push(sum);
    }
    return sums;
  }
}
