/** Keeps the book: what was broken, what was put to the test, how long what was owed took, and what has to be said beside. */
import type { Axiom } from '../axioms/axiom.ts';
import type { Cause, Compute, Witnesses } from '../delays/compute.ts';
import { inWords, type Violation } from './verdict.ts';

/** As many violations of one axiom are kept; the others are counted. */
const MOST_KEPT = 100;
/** `Frozen` and `StoreTrouble` are recorded after the fact: a delay is judged this long after it ended. */
const HINDSIGHT_MS = 10_000;

export interface Delay {
  readonly axiom: Axiom;
  readonly from: number;
  readonly to: number;
  readonly budget: number;
  /** Whose it is, where it is a task's. */
  readonly task?: string;
  /** Who and what, if it comes to that. */
  readonly violation: () => Omit<Violation, 'axiom' | 'blame'>;
}

/** Too late at first sight. */
interface Suspect {
  readonly delay: Delay;
  readonly compute: Compute;
  /** When hindsight ends. */
  judgeAt: number;
}

interface Candidate {
  readonly delay: Delay;
  readonly compute: Compute;
  readonly lag: number;
}

/** As many of the longest delays of an axiom wait for hindsight. */
const MOST_CANDIDATES = 16;

export class Ledger {
  readonly #witnesses: Witnesses;
  readonly #onViolation: ((violation: Violation) => void) | undefined;
  readonly #violations = new Map<string, Violation[]>();
  /** By axiom, the tasks of the violations that were not kept. */
  readonly #unkept = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #notes = new Map<string, Map<string, number>>();
  readonly #blames = new Set<Violation['blame']>();
  /** What is said of delays, by their causes. */
  readonly #texts = new Map<string, string>();
  /** Those too late at first sight, in the order in which they ended. */
  #suspects: Suspect[] = [];
  /** How many of them have been judged already. */
  #judged = 0;
  /** When the next of them is to be judged. */
  lookAt = Number.POSITIVE_INFINITY;
  /** The longest of each axiom that are yet to be looked at with hindsight, and the lag of the longest that were. */
  readonly #longest = new Map<string, Candidate[]>();
  readonly #fitted = new Map<string, number>();
  readonly #calm = new Map<string, number>();
  #last: Pick<Delay, 'axiom' | 'from' | 'to'> | undefined;

  constructor(witnesses: Witnesses, onViolation: ((violation: Violation) => void) | undefined) {
    this.#witnesses = witnesses;
    this.#onViolation = onViolation;
  }

  violate(violation: Violation): void {
    const { axiom } = violation;
    this.see(axiom);
    this.#blames.add(violation.blame);
    this.#counts.set(axiom, (this.#counts.get(axiom) ?? 0) + 1);
    const kept = this.#violations.get(axiom) ?? [];
    if (kept.length < MOST_KEPT) kept.push(violation);
    else if (violation.task !== undefined) this.#mark(axiom, violation.task);
    this.#violations.set(axiom, kept);
    this.#onViolation?.(violation);
  }

  #mark(axiom: string, task: string): void {
    const tasks = this.#unkept.get(axiom) ?? new Set();
    this.#unkept.set(axiom, tasks.add(task));
  }

  see(axiom: string): void {
    this.#seen.add(axiom);
  }

  /** Something to be said beside an axiom; said again, it is counted. */
  note(axiom: string, text: string, times = 1): void {
    const notes = this.#notes.get(axiom) ?? new Map<string, number>();
    notes.set(text, (notes.get(text) ?? 0) + times);
    this.#notes.set(axiom, notes);
  }

  /** The environment is to blame for something that is no violation of an axiom. */
  blameEnvironment(axiom: string, text: string): void {
    this.#blames.add('environment');
    this.note(axiom, text);
  }

  /** What was owed has been done, after a time. */
  ended(delay: Delay, compute: Compute): void {
    const { axiom, from, to } = delay;
    // Whatever the budget: a unit is no millisecond, and how many there were may be told only later.
    if (to - from > this.#witnesses.lagMs) this.#suspect({ delay, compute, judgeAt: to + HINDSIGHT_MS });
    if (this.isNothingNew(axiom, from, to)) return;
    this.#last = { axiom, from, to };
    // As far as is known now. A freeze that is told later may take the longest away, so the next ones are kept too.
    const candidates = this.#longest.get(axiom.id) ?? [];
    const lag = compute.lagOf(from, to);
    if (candidates.length >= MOST_CANDIDATES && lag <= candidates[MOST_CANDIDATES - 1].lag) return;
    // Many tasks may have waited from the same instant to the same instant.
    if (candidates.some((other) => other.delay.to === to && other.delay.from === from)) return;
    const place = candidates.findIndex((other) => other.lag < lag);
    candidates.splice(place < 0 ? candidates.length : place, 0, { delay, compute, lag });
    if (candidates.length > MOST_CANDIDATES) candidates.pop();
    this.#keep(axiom.id, candidates);
  }

  #suspect(suspect: Suspect): void {
    this.#suspects.push(suspect);
    this.lookAt = Math.min(this.lookAt, suspect.judgeAt);
  }

  #keep(axiom: string, candidates: Candidate[]): void {
    if (candidates.length === 0) this.#longest.delete(axiom);
    else this.#longest.set(axiom, candidates);
    const least = candidates.length < MOST_CANDIDATES ? -1 : candidates[MOST_CANDIDATES - 1].lag;
    this.#calm.set(axiom, Math.min(Math.max(least, this.#fitted.get(axiom) ?? -1), this.#witnesses.lagMs));
  }

  /**
   * Whether a delay says nothing new: longer ones have been seen, or wait to be looked at; or the last one was the very same, as when
   * many tasks have waited together. One beyond the bound is judged, whatever came before.
   */
  isNothingNew(axiom: Axiom, from: number, to: number): boolean {
    if (to - from > this.#witnesses.lagMs) return false;
    const last = this.#last;
    if (last !== undefined && last.to === to && last.from === from && last.axiom === axiom) return true;
    return to - from <= (this.#calm.get(axiom.id) ?? -1);
  }

  /** Time has come this far: what ended long enough ago is judged, and counts for what is fitted. */
  look(now: number): void {
    this.#last = undefined;
    this.judge(now);
    for (const axiom of [...this.#longest.keys()]) this.#fit(axiom, now);
  }

  /** Judges the suspects whose hindsight has ended: at `lookAt`, and not only when a minute begins. */
  judge(now: number): void {
    while (this.#judged < this.#suspects.length) {
      const { delay, compute, judgeAt } = this.#suspects[this.#judged];
      if (judgeAt > now) break;
      this.#judged++;
      this.#judge(delay, compute);
    }
    // Where one suspect comes after another they never run out.
    if (2 * this.#judged >= this.#suspects.length) {
      this.#suspects = this.#suspects.slice(this.#judged);
      this.#judged = 0;
    }
    this.lookAt = this.#suspects.at(this.#judged)?.judgeAt ?? Number.POSITIVE_INFINITY;
  }

  get isWaiting(): boolean {
    return this.#suspects.length > 0 || this.#longest.size > 0;
  }

  /** Ten seconds are ten seconds, wherever the clock stands. */
  clockWasSetBack(to: number): void {
    for (const suspect of this.#suspects) suspect.judgeAt = Math.min(suspect.judgeAt, to + HINDSIGHT_MS);
    this.lookAt = Math.min(this.lookAt, to + HINDSIGHT_MS);
  }

  /** From when and until when it may still have to be known how much work could be done. */
  *instants(): Generator<number> {
    const candidates = [...this.#longest.values()].flat();
    for (const { delay } of [...this.#suspects.slice(this.#judged), ...candidates]) {
      yield delay.from;
      yield delay.to;
    }
  }

  #fit(axiom: string, now: number): void {
    const candidates = this.#longest.get(axiom) ?? [];
    const waiting = candidates.filter(({ delay }) => delay.to + HINDSIGHT_MS > now);
    if (waiting.length === candidates.length) return;
    const lags = candidates
      .filter((one) => !waiting.includes(one))
      .map(({ delay, compute }) => compute.lagOf(delay.from, delay.to));
    this.#fitted.set(axiom, Math.max(...lags, this.#fitted.get(axiom) ?? 0));
    this.#keep(axiom, waiting);
  }

  #judge(delay: Delay, compute: Compute): void {
    const { axiom, from, to, budget } = delay;
    const { lagMs } = this.#witnesses;
    if (!compute.isWithin(from, to, budget, lagMs)) this.#late(delay);
    // With one unit a millisecond it would have been too late.
    else if (to - from - lagMs > budget) this.#withheld(axiom, compute.causes(from, to));
  }

  #late({ axiom, task, violation }: Delay): void {
    const { id, blame } = axiom;
    const count = this.#counts.get(id) ?? 0;
    if (count < MOST_KEPT || this.#onViolation !== undefined) {
      this.violate({ axiom: id, blame, ...violation() });
      return;
    }
    // Of one that nobody will read no sentence is made.
    this.#counts.set(id, count + 1);
    if (task !== undefined) this.#mark(id, task);
  }

  #withheld(axiom: Axiom, causes: readonly Cause[]): void {
    const key = causes.join();
    const text = this.#texts.get(key) ?? `a delay beyond the bound is the environment's: ${inWords(causes)}`;
    this.#texts.set(key, text);
    if (causes.length === 1 && causes[0] === 'workers') this.note(axiom.id, text);
    else this.blameEnvironment(axiom.id, text);
  }

  /**
   * Everything as of now: for a verdict. Demands that are still open are judged as if they ended here, what may still be
   * explained as if it never were, and neither is kept.
   */
  settled(
    open: readonly { readonly delay: Delay; readonly compute: Compute }[],
    unexplained: readonly Violation[],
  ): Settled {
    const book = new Ledger(this.#witnesses, undefined);
    for (const [axiom, violations] of this.#violations) book.#violations.set(axiom, [...violations]);
    for (const [axiom, tasks] of this.#unkept) book.#unkept.set(axiom, new Set(tasks));
    for (const [axiom, count] of this.#counts) book.#counts.set(axiom, count);
    for (const [axiom, notes] of this.#notes) book.#notes.set(axiom, new Map(notes));
    for (const axiom of this.#seen) book.#seen.add(axiom);
    for (const blame of this.#blames) book.#blames.add(blame);
    for (const [axiom, lag] of this.#fitted) book.#fitted.set(axiom, lag);
    for (const [axiom, candidates] of this.#longest) book.#longest.set(axiom, [...candidates]);
    for (const { delay, compute } of this.#suspects.slice(this.#judged)) book.#judge(delay, compute);
    for (const violation of unexplained) book.violate(violation);
    for (const { delay, compute } of open) book.ended(delay, compute);
    book.look(Number.POSITIVE_INFINITY);
    return {
      blames: book.#blames,
      seen: book.#seen,
      violations: book.#violations,
      isBrokenBy: (axiom, task) =>
        book.#violations.get(axiom)?.some((violation) => violation.task === task) === true ||
        book.#unkept.get(axiom)?.has(task) === true,
      counts: book.#counts,
      notes: new Map([...book.#notes].map(([axiom, notes]) => [axiom, told(notes)])),
      lagMs: Math.max(0, ...book.#fitted.values()),
    };
  }
}

export interface Settled {
  readonly blames: ReadonlySet<Violation['blame']>;
  readonly seen: ReadonlySet<string>;
  readonly violations: ReadonlyMap<string, readonly Violation[]>;
  /** Whether a task has broken an axiom, also where that violation was not kept. */
  readonly isBrokenBy: (axiom: string, task: string) => boolean;
  readonly counts: ReadonlyMap<string, number>;
  readonly notes: ReadonlyMap<string, readonly string[]>;
  /** The longest that anything owed took, of time in which work could be done. */
  readonly lagMs: number;
}

const told = (notes: ReadonlyMap<string, number>): readonly string[] =>
  Array.from(notes, ([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
