/** Runs that are over, in memory: what a store of this process keeps of the past (J1, J2). */
import { type HistoryQuery, outcomesOf, type PastRun, RETENTION, type Retention } from '../core/history.ts';

const DAY_MS = 86_400_000;
/** How many runs of the past are kept unless another number is asked for: a million is for a disk. */
const USUAL_RUNS = 10_000;

export class MemoryPast {
  /** The oldest first. */
  #past: PastRun[] = [];

  /** Keeps runs that are over, and lets go of what is too old or too much. */
  keep(past: readonly PastRun[], history: Retention | false): void {
    if (history === false || past.length === 0) return;
    for (const run of past) this.#past.push(Object.freeze(structuredClone(run)));
    const keepRuns = history.keepRuns === RETENTION.keepRuns ? USUAL_RUNS : history.keepRuns;
    const oldest = Math.max(...past.map(({ endedAt }) => endedAt)) - history.keepDays * DAY_MS;
    // Not at every batch: cutting a long list copies it.
    const isTooMuch = this.#past.length > keepRuns * 1.1 || this.#past[0].endedAt < oldest;
    if (!isTooMuch) return;
    const firstKept = Math.max(0, this.#past.length - keepRuns);
    this.#past = this.#past.filter(({ endedAt }, place) => place >= firstKept && endedAt >= oldest);
  }

  /** Those that are asked for, the newest first. */
  *select(query: HistoryQuery): Generator<PastRun> {
    const { task, since = Number.NEGATIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = query;
    const outcomes = outcomesOf(query);
    let count = 0;
    for (const run of this.#past.toReversed()) {
      if (count >= limit) return;
      if (task !== undefined && run.task !== task) continue;
      if (outcomes !== undefined && !outcomes.includes(run.outcome)) continue;
      if (run.endedAt < since) continue;
      count++;
      yield run;
    }
  }
}
