/** Tasks searched, filtered and sorted, some at a time. Only the rows that are asked for are made. */
import { parseCron } from '../cron/index.ts';
import { finite } from './finite.ts';
import { latenessOf } from './lateness.ts';
import { Orders, type Selected } from './orders.ts';
import { type Past, type Run, tookMs } from './past.ts';
import type { Selection, Slice } from './query.ts';
import type { Snapshot } from './snapshot.ts';
import { lastEndOf, type TaskEntry } from './task-entry.ts';

const TREND_RUNS = 24;
const LONGEST_MESSAGE = 300;

export class TaskList {
  readonly #past: Past;
  readonly #orders: Orders;

  constructor(past: Past) {
    this.#past = past;
    this.#orders = new Orders(past);
  }

  /** Which tasks are asked for, in order. */
  select(snapshot: Snapshot, selection: Selection): Selected {
    return this.#orders.of(snapshot, selection);
  }

  page(snapshot: Snapshot, selection: Selection, { offset, limit }: Slice): object {
    const selected = this.select(snapshot, selection);
    return {
      revision: snapshot.revision,
      at: snapshot.at,
      isPartial: snapshot.isPartial,
      total: snapshot.list.length,
      matching: selected.length,
      offset,
      rows: selected.slice(offset, limit).map((entry) => this.row(entry)),
    };
  }

  /** What the page shows of a task in a list. Instants are epoch milliseconds. */
  row(entry: TaskEntry): object {
    const { record, state, policy, timeZone } = entry;
    const runs = this.#past.of(record.name);
    const { lastError } = record;
    return {
      name: record.name,
      description: policy.description ?? null,
      state,
      cron: record.cron,
      words: wordsOf(record.cron),
      timeZone,
      next: entry.nextStartAt,
      retryAt: record.pendingRetryUntil,
      pausedAt: record.pausedAt,
      owedSince: entry.owedSince,
      runningSince: record.run?.startedAt ?? null,
      whileRunning: policy.whileRunning ?? 'remember',
      ...lastOf(entry, runs),
      lastDurationMs: record.lastDurationMs,
      lateMs: finite(latenessOf(entry, runs)),
      failures: record.failures,
      failingSince: record.failingSince,
      lastError:
        lastError === null
          ? null
          : { name: lastError.name, message: lastError.message.slice(0, LONGEST_MESSAGE) },
      interruptions: interruptedInARow(runs),
      trend: runs.slice(-TREND_RUNS).map((run) => [tookMs(run), run.outcome]),
    };
  }
}

/** How many of the latest runs a stop has interrupted, one after the other (A13). */
const interruptedInARow = (runs: readonly Run[]): number =>
  runs.length - 1 - runs.findLastIndex(({ outcome }) => outcome !== 'interrupted');

/** The latest run that is over. One that was cut off has an outcome and a start, but no end that anybody saw. */
function lastOf(
  entry: TaskEntry,
  runs: readonly Run[],
): {
  readonly lastStartAt: number | null;
  readonly lastEndAt: number | null;
  readonly lastOutcome: Run['outcome'] | null;
} {
  const { record } = entry;
  const lastEndAt = finite(lastEndOf(entry));
  const latest = runs.at(-1);
  if (latest !== undefined && (lastEndAt === null || latest.endedAt >= lastEndAt)) {
    const { outcome, calledAt } = latest;
    return {
      lastStartAt: calledAt,
      // The record keeps no instant of an end that is no success and no failure.
      lastEndAt: outcome === 'cut off' ? null : outcome === 'interrupted' ? latest.endedAt : lastEndAt,
      lastOutcome: outcome,
    };
  }
  const lastOutcome = lastEndAt === null ? null : record.lastSuccessAt === lastEndAt ? 'success' : 'failure';
  return { lastStartAt: record.lastAttemptAt, lastEndAt, lastOutcome };
}

const words = new Map<string, string>();
const MOST_WORDS = 2000;

/** When an expression is due, in words; empty for what is no expression. The zone does not count here. */
function wordsOf(cron: string): string {
  const known = words.get(cron);
  if (known !== undefined) return known;
  if (words.size >= MOST_WORDS) words.clear();
  let said = '';
  try {
    said = parseCron(cron, { timeZone: 'UTC' }).describe({ only: 'times' });
  } catch {
    // a damaged expression is shown as it is
  }
  words.set(cron, said);
  return said;
}
