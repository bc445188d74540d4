/**
 * Whether the records can be a trace of one scheduler at all (WF). What cannot be is told, and is the recorder's fault, and so the
 * environment's; two schedulers in one trace are outside the model.
 */
import type { Ledger } from './ledger.ts';
import { iso, type Violation } from './verdict.ts';

/** A line of a trace that is no record. */
export interface Malformed {
  readonly line?: number;
  readonly message: string;
}

export class WellFormed {
  readonly #ledger: Ledger;
  /** A record that lies before the one before it, and waits for a `ClockStep` that explains it. */
  #unexplained: Malformed | undefined;
  /** The scheduler that was initialized last, where the trace names it, and others that have started something since. */
  #instance: string | undefined;
  readonly #others = new Set<string>();
  #problems = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  malformed(malformed: Malformed, now: number): void {
    this.#problems++;
    this.#ledger.violate(violationOf(malformed, now));
  }

  /** A record lies before the last one: the clock may have been set back a moment ago, and the scheduler will look within a minute. */
  wentBack(from: number, to: number, line: number): void {
    const message = `time goes back from ${iso(from)} to ${iso(to)} without a ClockStep`;
    this.#unexplained ??= { line, message };
  }

  wentForward(now: number): void {
    if (this.#unexplained !== undefined) this.malformed(this.#unexplained, now);
    this.#unexplained = undefined;
  }

  /** A `ClockStep` has told why time went back. */
  explained(): void {
    this.#unexplained = undefined;
  }

  get isExplained(): boolean {
    return this.#unexplained === undefined;
  }

  initializedBy(instance: string | undefined): void {
    this.#instance = instance;
  }

  isBy(instance: string | undefined): boolean {
    return instance === this.#instance;
  }

  /** Two schedulers have written into one trace: the theory is about one. It is told once for each. */
  startedByAnother(task: string, instance: string | undefined, now: number, line: number): void {
    if (this.#instance === undefined || instance === undefined || this.#others.has(instance)) return;
    this.#others.add(instance);
    this.#problems++;
    this.#ledger.violate({
      axiom: 'WF',
      task,
      at: now,
      blame: 'outside',
      because: `"${task}" was started at ${iso(now)} by ${instance}, while ${this.#instance} is the scheduler that was initialized: a trace of two schedulers is outside the model`,
      events: [{ event: 'RunStart', at: now, task, ...(line > 0 ? { line } : {}) }],
    });
  }

  /** What must be said if the trace ends here, and how many problems there are with it. */
  atEnd(now: number): { readonly violations: readonly Violation[]; readonly problems: number } {
    const violations = this.#unexplained === undefined ? [] : [violationOf(this.#unexplained, now)];
    return { violations, problems: this.#problems + violations.length };
  }
}

function violationOf({ line = 0, message }: Malformed, now: number): Violation {
  const at = Number.isNaN(now) ? 0 : now;
  return {
    axiom: 'WF',
    at,
    blame: 'environment',
    because: `The trace is malformed: ${line > 0 ? `line ${line}: ` : ''}${message}`,
    events: [{ event: 'malformed', at, ...(line > 0 ? { line } : {}) }],
  };
}
