/**
 * Whether the records can be a trace of one scheduler at all (WF). What cannot be is the recorder's fault, and so the environment's;
 * two schedulers in one trace are outside the model.
 */
import type { Ledger } from '../verdict/ledger.ts';
import { iso, type Sentence, sentence, type Violation, violationBy } from '../verdict/verdict.ts';

/** What is wrong with a line of the trace: it is no record, or does not fit those before it. */
type Problem = string | Sentence;

/** From 2001 to 2286 in seconds; in milliseconds, a few weeks of 1970. */
const SECONDS_BEGIN = 1e9;
const SECONDS_END = 1e10;

export class WellFormed {
  readonly #ledger: Ledger;
  /** A record that lies before the one before it, and waits for a `ClockStep` that explains it. */
  #unexplained: Violation | undefined;
  /** The scheduler that was initialized last, where the trace names it, and others that have started something since. */
  instance: string | undefined;
  readonly #others = new Set<string>();
  #problems = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  malformed(problem: Problem, line = this.#ledger.line): void {
    this.#report(this.#violation(problem, line));
  }

  #report(violation: Violation): void {
    this.#problems++;
    this.#ledger.violate(violation);
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
  wentBack(to: number): void {
    const { now, line } = this.#ledger;
    const problem = sentence`time goes back from ${{ at: now }} to ${{ at: to }} without a ClockStep`;
    this.#unexplained ??= this.#violation(problem, line);
  }

  get isExplained(): boolean {
    return this.#unexplained === undefined;
  }

  wentForward(): void {
    if (this.#unexplained !== undefined) this.#report(this.#unexplained);
    this.explained();
  }

  /** A `ClockStep` says why time went back. */
  explained(): void {
    this.#unexplained = undefined;
  }

  /** Two schedulers have written into one trace: the theory is about one. Each further one is reported once. */
  startedByAnother(task: string, instance: string | undefined): void {
    if (this.instance === undefined || instance === undefined || this.#others.has(instance)) return;
    this.#others.add(instance);
    const words = sentence`"${task}" was started at ${{ at: this.#ledger.now }} by ${instance}, while ${this.instance} is the scheduler that was initialized: a trace of two schedulers is outside the model`;
    this.#report(violationBy('WF', 'outside', words, this.#ledger.atHand('RunStart', task)));
  }

  /** What must be said if the trace ends here, and how many problems there are with it. */
  atEnd(): { readonly violations: readonly Violation[]; readonly problems: number } {
    const violations = this.#unexplained === undefined ? [] : [this.#unexplained];
    return { violations, problems: this.#problems + violations.length };
  }

  #violation(problem: Problem, line: number): Violation {
    const { now } = this.#ledger;
    // Before the first record no instant is known.
    const when = Number.isNaN(now) ? {} : { at: now };
    const where = line > 0 ? sentence`${{ line }}: ` : '';
    return {
      axiom: 'WF',
      ...when,
      blame: 'environment',
      ...sentence`The trace is malformed: ${where}${problem}`,
      events: [{ event: 'malformed', ...when, ...(line > 0 ? { line } : {}) }],
    };
  }
}
