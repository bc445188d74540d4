/** The runs of the past in a store, from anywhere: another process, whether its scheduler runs or not. */
import { type HistoryQuery, outcomesOf, type PastRun } from '../core/history.ts';
import { OUTCOMES } from '../core/rows.ts';
import { refuseUnknown } from '../text/unknown-name.ts';
import { StoreFailedError } from './errors.ts';
import type { Store } from './port.ts';
import { storeOf } from './sqlite.ts';

/**
 * The runs that are over, the newest first, of a store given as such or by the path of its file. It neither owns nor disturbs the store,
 * and shows what it held when the walk began. A walk may end early.
 *
 *     for await (const { task, endedAt, error } of history('obbligato.db', { outcome: 'failure', limit: 10 })) …
 */
export function history(
  target: string | URL | Store,
  query: HistoryQuery = {},
): AsyncGenerator<PastRun, undefined> {
  checkQuery(query);
  const store = storeOf(target);
  const runs = store.history?.(query);
  if (runs === undefined) throw new StoreFailedError({ path: store.location, reason: 'it keeps no history' });
  return walk(runs);
}

async function* walk(runs: AsyncIterable<PastRun>): AsyncGenerator<PastRun, undefined> {
  yield* runs;
}

function checkQuery(query: HistoryQuery): void {
  refuseUnknown('history', query, ['task', 'since', 'outcome', 'limit']);
  const { task, since, outcome, limit } = query;
  if (task !== undefined && typeof task !== 'string')
    throw new TypeError(`task must be the name of a task; got ${String(task)}`);
  if (since !== undefined && (typeof since !== 'number' || Number.isNaN(since)))
    throw new TypeError(`since must be an instant in epoch milliseconds; got ${String(since)}`);
  const outcomes: unknown = outcomesOf(query);
  if (outcomes !== undefined && !isOutcomes(outcomes))
    throw new TypeError(
      `outcome must be one or several of ${OUTCOMES.map((each) => `"${each}"`).join(', ')}; got ${String(outcome)}`,
    );
  const isCount = Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY;
  if (limit !== undefined && !(isCount && limit >= 0))
    throw new RangeError(`limit must be a number of runs, 0 or more; got ${String(limit)}`);
}

const isOutcomes = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => OUTCOMES.includes(each));
