/**
 * The monitor of a running schedule: a sink for its trace, a notice for each violation as it is found, and one whenever the verdict
 * changes.
 *
 *     judging ──giveUp──▶ silent
 *        └──close──▶ closed
 *
 * Violations are told as they are found. Of a start that never comes only the verdict knows, and so it is asked for now and then.
 */
import { Monitor } from '../../theory/monitor.ts';
import type { Verdict, Violation } from '../../theory/verdict/verdict.ts';
import { Freezes } from '../../trace/freezes.ts';
import type { TraceEntry } from '../../trace/lines.ts';
import type { TraceSink, WrittenRecord } from '../../trace/record.ts';
import { messageOf } from '../text.ts';
import type { Notice } from './reporter.ts';

const LOOK_EVERY_MS = 10_000;
/** Of the time, at most one part in so many is spent on verdicts. */
const SHARE = 50;

export class Monitoring {
  readonly #now: () => number;
  readonly #tell: (notice: Notice) => void;
  readonly #monitor: Monitor;
  #state: 'remembering' | 'judging' | 'silent' | 'closed' = 'remembering';
  #freezes: Freezes | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastAt: number | undefined;
  #told: string | undefined;
  #verdict: Verdict | undefined;

  constructor(now: () => number, tell: (notice: Notice) => void) {
    this.#now = now;
    this.#tell = tell;
    this.#monitor = new Monitor({ onViolation: (violation) => this.#violated(violation) });
  }

  /** As of the last look. */
  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** A line of the trace of earlier lives. */
  remember({ record, problem, line }: TraceEntry): void {
    if (problem !== undefined) this.#monitor.malformed(problem);
    else {
      this.#lastAt = record.at;
      this.#monitor.take(record, line);
    }
  }

  giveUp(): void {
    this.#state = 'silent';
  }

  readonly sink: TraceSink = (record) => {
    if (this.#state === 'silent' || this.#state === 'closed') return;
    if (this.#state === 'remembering') this.#begin();
    this.#freezes?.before(record);
    this.#monitor.take(record);
    this.#freezes?.after(record);
    if (record.event === 'RunStart') setImmediate(() => this.#freezes?.endOfTick());
    if (record.event === 'InitSuccess') this.#lookIn(0); // so that it can be seen that somebody judges
  };

  /** Tells the verdict once more, whether or not it has changed. */
  async close(): Promise<void> {
    const watched = this.#freezes?.close();
    if (this.#state === 'judging') {
      this.#told = undefined;
      this.#look();
    }
    this.#state = 'closed';
    clearTimeout(this.#timer);
    await watched;
  }

  #begin(): void {
    this.#state = 'judging';
    this.#freezes = new Freezes({
      watch: true,
      frozenAfterMs: 1000,
      now: this.#now,
      lastAt: this.#lastAt,
      write: (record: WrittenRecord) => this.#monitor.take(record),
      onError: (error) => this.#trouble(`the monitor does not see freezes: ${messageOf(error)}`),
    });
    this.#lookIn(LOOK_EVERY_MS);
  }

  #violated(violation: Violation): void {
    if (this.#state !== 'judging') return; // of an earlier life, and told there
    this.#tell({ type: 'Violation', at: this.#now(), violation });
    this.#lookIn(0);
  }

  #lookIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), delayMs);
    this.#timer.unref(); // a verdict is no reason to stay
  }

  #look(): void {
    const began = performance.now();
    const verdict = this.#monitor.verdict();
    this.#verdict = verdict;
    const key = JSON.stringify([
      verdict.blame,
      Object.entries(verdict.axioms)
        .filter(([, { status }]) => status === 'violated')
        .map(([id]) => id),
    ]);
    if (key !== this.#told) this.#tell({ type: 'Verdict', at: this.#now(), verdict });
    this.#told = key;
    this.#lookIn(Math.max(LOOK_EVERY_MS, SHARE * (performance.now() - began)));
  }

  #trouble(message: string): void {
    this.#tell({ type: 'Trouble', at: this.#now(), message });
  }
}
