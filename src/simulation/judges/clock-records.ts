/** What a scheduler tells by its clock and of its clock, held against how the clock was really set (B5). */
import type { WrittenRecord } from '../../trace/record.ts';
import type { Timeline } from '../machine/timeline.ts';

export class ClockEvidence {
  readonly #timeline: Timeline;
  readonly #blame: (rule: string, because: string) => void;
  /** How the clock was set, and when, by the clock that does not step. */
  readonly #steps: { readonly passed: number; readonly byMs: number }[] = [];
  /** The last record of the process that lives. */
  #last: { readonly at: number; readonly passed: number } | undefined;

  constructor(timeline: Timeline, blame: (rule: string, because: string) => void) {
    this.#timeline = timeline;
    this.#blame = blame;
  }

  set(byMs: number): void {
    this.#steps.push({ passed: this.#timeline.passed, byMs });
  }

  died(): void {
    this.#last = undefined;
  }

  told(record: WrittenRecord, scheduler: 'active' | 'not active'): void {
    const { now, passed } = this.#timeline;
    const { at, event } = record;
    if (event === 'ClockStep') this.#stepTold(record, scheduler);
    else if (this.#last !== undefined && at < this.#last.at)
      this.#blame('trace', `${event} at ${at} comes after ${this.#last.at}, and no step was told`);
    if (at !== now) this.#blame('trace', `${event} is told as of ${at}, but it is ${now}`);
    this.#last = { at, passed };
  }

  /**
   * An active scheduler tells a step as if it had been right after its last look, so the record says when that was. At any other
   * time a step is told as going back from the last record.
   */
  #stepTold({ at, from, to }: Extract<WrittenRecord, { event: 'ClockStep' }>, scheduler: string): void {
    const { passed } = this.#timeline;
    if (this.#sums(passed - (at - to)).includes(to - from)) return;
    const last = this.#last;
    if (scheduler !== 'active' && last !== undefined) {
      const wentBack = this.#sums(last.passed).map((sum) => sum + passed - last.passed);
      if (to === at && from === last.at && wentBack.includes(to - from)) return;
    }
    this.#blame('B5', `the clock was not set by ${to - from} ms since ${at - to} ms ago`);
  }

  /** By how much the clock was set since then: what was set in that very instant may have been before or after. */
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
