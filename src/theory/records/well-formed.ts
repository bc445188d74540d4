/**
 * Whether the records can be a trace of one scheduler at all (WF). What cannot be is the recorder's fault, and so the environment's;
 * two schedulers in one trace are outside the model.
 */
import type { Ledger } from '../verdict/ledger.ts';
import { evidence, iso, type Sentence, sentence, type Violation, violationBy } from '../verdict/verdict.ts';

/** A line of a trace that is no record, or that does not fit those before it. */
export interface Malformed {
  /** 0 or absent where there are no lines. */
  readonly line?: number;
  readonly message: string | Sentence;
}

/** From 2001 to 2286 in seconds; in milliseconds, a few weeks of 1970. */
const SECONDS_BEGIN = 1e9;
const SECONDS_END = 1e10;

export class WellFormed {
  readonly #ledger: Ledger;
  /** A record that lies before the one before it, and waits for a `ClockStep` that explains it. */
  #unexplained: Malformed | undefined;
  /** The scheduler that was initialized last, where the trace names it, and others that have started something since. */
  instance: string | undefined;
  readonly #others = new Set<string>();
  #problems = 0;

  /** What the clock of the trace shows; not a number before the first record. */
  readonly #now: () => number;

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
  }

  malformed(malformed: Malformed): void {
    this.#problems++;
    this.#ledger.violate(violationOf(malformed, this.#now()));
  }

  /** The first record. A clock that runs in early 1970 is possible, so this is a hint and no accusation. */
  began(at: number): void {
    if (at >= SECONDS_BEGIN && at < SECONDS_END)
      this.#ledger.note(
        'WF',
        `the trace begins in ${iso(at).slice(0, 7)}: are its instants seconds? They are to be milliseconds`,
      );
  }

  /** A record lies before the last one: the clock may have been set back a moment ago, and the scheduler will look within a minute. */
  wentBack(from: number, to: number, line: number): void {
    const message = sentence`time goes back from ${{ at: from }} to ${{ at: to }} without a ClockStep`;
    this.#unexplained ??= { line, message };
  }

  get isExplained(): boolean {
    return this.#unexplained === undefined;
  }

  wentForward(): void {
    if (this.#unexplained !== undefined) this.malformed(this.#unexplained);
    this.explained();
  }

  /** A `ClockStep` says why time went back. */
  explained(): void {
    this.#unexplained = undefined;
  }

  /** Two schedulers have written into one trace: the theory is about one. Each further one is reported once. */
  startedByAnother(task: string, instance: string | undefined, now: number, line: number): void {
    if (this.instance === undefined || instance === undefined || this.#others.has(instance)) return;
    this.#others.add(instance);
    this.#problems++;
    const words = sentence`"${task}" was started at ${{ at: now }} by ${instance}, while ${this.instance} is the scheduler that was initialized: a trace of two schedulers is outside the model`;
    this.#ledger.violate(violationBy('WF', 'outside', words, evidence('RunStart', now, line, task)));
  }

  /** What must be said if the trace ends here, and how many problems there are with it. */
  atEnd(): { readonly violations: readonly Violation[]; readonly problems: number } {
    const violations = this.#unexplained === undefined ? [] : [violationOf(this.#unexplained, this.#now())];
    return { violations, problems: this.#problems + violations.length };
  }
}

function violationOf({ line = 0, message }: Malformed, now: number): Violation {
  // Before the first record no instant is known.
  const when = Number.isNaN(now) ? {} : { at: now };
  return {
    axiom: 'WF',
    ...when,
    blame: 'environment',
    ...(line > 0
      ? sentence`The trace is malformed: ${{ line }}: ${message}`
      : sentence`The trace is malformed: ${message}`),
    events: [{ event: 'malformed', ...when, ...(line > 0 ? { line } : {}) }],
  };
}
