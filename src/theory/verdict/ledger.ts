/**
 * The book: for each axiom what broke it, whether anything put it to the test, how long what was owed took, and what else has to be
 * said. Delays are judged with hindsight: `Frozen` and `StoreTrouble` are recorded after the fact, and may excuse a delay that has
 * ended. Over a whole trace hindsight ends with the trace; live it must end earlier, so that a violation is reported at all.
 */
import type { Axiom } from '../axioms/axiom.ts';
import { bitOf, inWords, type Witnesses } from '../delays/compute.ts';
import type { Delay } from '../delays/delay.ts';
import { late } from './explain.ts';
import { type DatedEvidence, evidence, type Violation } from './verdict.ts';

/** So many violations of one axiom are kept; the others are counted. */
const MOST_KEPT = 100;
/** So many delays wait for hindsight. More are judged by what is known by then. */
const MOST_WAITING = 10_000;

type Listener = ((violation: Violation) => void) | undefined;

class Entry {
  /** Something has put the axiom to the test. */
  isSeen = false;
  count = 0;
  violations: Violation[] = [];
  /** The tasks of the violations that were not kept. */
  unkept = new Set<string>();
  /** Each note, and how often it applies. */
  notes = new Map<string, number>();
  /** The longest that anything owed took, as far as it is judged. */
  fittedMs = 0;
  /** A delay up to this says nothing new: it is within the lag, and a longer one is known. */
  shortMs = 0;

  clone(): Entry {
    return Object.assign(new Entry(), this, {
      violations: [...this.violations],
      unkept: new Set(this.unkept),
      notes: new Map(this.notes),
    });
  }
}

export class Ledger {
  /** Where the monitor is in the trace. Before the first record the time is NaN; the line is 0 where there are no lines. */
  now = Number.NaN;
  line = 0;
  readonly witnesses: Witnesses;
  readonly #hindsightMs: number;
  readonly #onViolation: Listener;
  readonly #entries = new Map<string, Entry>();
  readonly blames = new Set<Violation['blame']>();
  /** The delays that wait for hindsight, in the order in which they ended, and how many of them have been judged. */
  #waiting: Delay[] = [];
  #judged = 0;
  /** When the next delay is to be judged. */
  lookAt = Number.POSITIVE_INFINITY;
  /** The words of each excuse, by its causes: there may be very many delays. */
  readonly #excuses = new Map<number, string>();
  /** Violations that the listener has not heard of yet. */
  readonly #unheard: Violation[] = [];

  constructor(witnesses: Witnesses, hindsightMs: number, onViolation?: Listener) {
    this.witnesses = witnesses;
    this.#hindsightMs = hindsightMs;
    this.#onViolation = onViolation;
  }

  /** The record at hand, as evidence. */
  atHand(event: string, task?: string): DatedEvidence {
    return evidence(event, this.now, this.line, task);
  }

  entry(axiom: string): Entry {
    const known = this.#entries.get(axiom);
    if (known !== undefined) return known;
    const entry = new Entry();
    this.#entries.set(axiom, entry);
    return entry;
  }

  violate(violation: Violation): void {
    const entry = this.entry(violation.axiom);
    entry.isSeen = true;
    entry.count++;
    this.blames.add(violation.blame);
    if (entry.violations.length < MOST_KEPT) entry.violations.push(violation);
    else if (violation.task !== undefined) entry.unkept.add(violation.task);
    if (this.#onViolation !== undefined) this.#unheard.push(violation);
  }

  /**
   * The record at hand is dealt with, so the listener may ask for a verdict, and may throw. It hears of every violation, whatever it
   * does with the others; the first thing that it throws is thrown on.
   */
  report(): void {
    if (this.#unheard.length === 0) return;
    const thrown: unknown[] = [];
    for (const violation of this.#unheard.splice(0)) {
      try {
        this.#onViolation?.(violation);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown[0];
  }

  note(axiom: string, text: string, times = 1): void {
    if (times === 0) return;
    const { notes } = this.entry(axiom);
    notes.set(text, (notes.get(text) ?? 0) + times);
  }

  /** The environment is to blame for something that is no violation of an axiom. */
  blameEnvironment(axiom: string, text: string): void {
    this.blames.add('environment');
    this.note(axiom, text);
  }

  /** What was owed has been done, after a time. It is judged with hindsight, and counts for the smallest lag that would do. */
  delayed(delay: Delay): void {
    const { axiom, from, to, lagMs } = delay;
    if (to - from <= Math.min(this.entry(axiom.id).shortMs, lagMs)) return;
    delay.judgeAt = to + this.#hindsightMs;
    // Of delays within the lag that began together, only the longest says something.
    const last = this.#waiting.at(-1);
    const isMore = last?.axiom === axiom && last.lagMs === lagMs && last.from === from && last.to <= to;
    if (isMore && to - from <= lagMs && this.#judged < this.#waiting.length) this.#waiting.pop();
    this.#waiting.push(delay);
    this.lookAt = Math.min(this.lookAt, delay.judgeAt);
    if (this.#waiting.length - this.#judged > MOST_WAITING) this.#judge(this.#waiting[this.#judged++]);
  }

  /** Time has come this far: what ended long enough ago is judged. */
  judge(now: number): void {
    while (this.#judged < this.#waiting.length && this.#waiting[this.#judged].judgeAt <= now)
      this.#judge(this.#waiting[this.#judged++]);
    // Where one delay comes after another they never run out.
    if (2 * this.#judged >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#judged);
      this.#judged = 0;
    }
    this.lookAt = this.#waiting.at(this.#judged)?.judgeAt ?? Number.POSITIVE_INFINITY;
  }

  end(): void {
    this.judge(Number.POSITIVE_INFINITY);
    this.report();
  }

  /** The same time for hindsight, wherever the clock stands. */
  clockSetBack(to: number): void {
    const judgeAt = to + this.#hindsightMs;
    for (const delay of this.#waiting) delay.judgeAt = Math.min(delay.judgeAt, judgeAt);
    this.lookAt = Math.min(this.lookAt, judgeAt);
  }

  #judge(delay: Delay): void {
    const { axiom, from, to, lagMs, budget, compute, what } = delay;
    const entry = this.entry(axiom.id);
    const tookMs = compute.lagOf(from, to);
    entry.fittedMs = Math.max(entry.fittedMs, tookMs);
    entry.shortMs = Math.min(entry.fittedMs, this.witnesses.lagMs);
    const granted = budget + lagMs;
    if (tookMs <= granted) {
      // With one unit per millisecond it would have been too late.
      if (to - from > granted) this.#excuse(axiom, compute.causes(from, to));
    } else if (entry.count < MOST_KEPT || this.#onViolation !== undefined)
      this.violate({ axiom: axiom.id, blame: axiom.blame, ...late(delay) });
    else {
      // This violation is only counted, so its sentence is not made.
      entry.count++;
      if (!('kind' in what)) entry.unkept.add(what.name);
    }
  }

  #excuse({ id }: Axiom, causes: number): void {
    const text =
      this.#excuses.get(causes) ?? `a delay beyond the bound is the environment's: ${inWords(causes)}`;
    this.#excuses.set(causes, text);
    if (causes === bitOf.workers) this.note(id, text);
    else this.blameEnvironment(id, text);
  }

  /**
   * The book as of now, for a verdict: what is still owed is judged as if it ended here, what may still be explained as if it never
   * were. This book is not changed.
   */
  settled(open: readonly Delay[], unexplained: readonly Violation[]): Ledger {
    const book = new Ledger(this.witnesses, 0);
    book.now = this.now;
    for (const [axiom, entry] of this.#entries) book.#entries.set(axiom, entry.clone());
    for (const blame of this.blames) book.blames.add(blame);
    for (const violation of unexplained) book.violate(violation);
    for (const delay of [...this.#waiting.slice(this.#judged), ...open]) book.#judge(delay);
    return book;
  }

  /** The longest that anything owed took, of time in which work could be done. */
  get lagMs(): number {
    return Math.max(0, ...Array.from(this.#entries.values(), ({ fittedMs }) => fittedMs));
  }
}
