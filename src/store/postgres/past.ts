/** The history (J1, J2): rows are appended with the ends, read the newest first, and go the oldest first. */
import {
  type HistoryQuery,
  outcomesOf,
  type PastRun,
  type Retention,
  type RunError,
} from '../../core/history.ts';
import { OUTCOMES, REASONS } from '../../core/rows.ts';
import type { Ask, Param, Row } from './driver.ts';
import { type Dictionaries, runText } from './records.ts';
import { bytesOf, bytesOfHex, hexOf, textOf } from './texts.ts';

/** For an owner that only looks after the store: opening it lets old runs go otherwise. */
export const KEEP_ALL: Retention = { keepDays: Number.MAX_SAFE_INTEGER, keepRuns: Number.MAX_SAFE_INTEGER };

const PAGE = 500;
/** How many rows go at once: a delete holds up nobody, but a long one would keep the room of dead rows. */
const PRUNED_AT_ONCE = 2000;
const DAY_MS = 86_400_000;

/** The runs that are asked for, as they were when the walk began. */
export async function* readPast(
  ask: Ask,
  schema: string,
  { labels }: Pick<Dictionaries, 'labels'>,
  query: HistoryQuery,
): AsyncGenerator<PastRun> {
  const { limit = Number.POSITIVE_INFINITY } = query;
  const { conditions, values } = conditionsOf(query, schema);
  const [[newest]] = await ask(`SELECT coalesce(max(seq), 0) FROM ${schema}.run`);
  let before = Number(newest) + 1;
  for (let left = limit; left > 0; ) {
    const most = Math.min(PAGE, left);
    const rows = await ask(
      `SELECT r.seq, n.name, r.run_label, r.run_count, r.key_label, r.key_count, r.attempt, r.reason, r.scheduled_for, r.called_at,
       r.ended_at, r.outcome, r.run_instance, r.error FROM ${schema}.run r JOIN ${schema}.name n ON n.id = r.task
       WHERE ${[`r.seq < $${values.length + 1}::bigint`, ...conditions].join(' AND ')} ORDER BY r.seq DESC LIMIT ${most}`,
      [...values, before],
    );
    await labels.findTexts(
      ask,
      rows.flatMap((row) => [2, 4, 12].map((column) => Number(row[column]))),
    );
    for (const row of rows) yield runOf(row, labels);
    if (rows.length < most) return;
    left -= rows.length;
    before = Number(rows[rows.length - 1][0]);
  }
}

function conditionsOf(query: HistoryQuery, schema: string): { conditions: string[]; values: Param[] } {
  const { task, since } = query;
  const conditions: string[] = [];
  const values: Param[] = [];
  const where = (condition: (place: string) => string, value: Param): void => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  if (task !== undefined)
    where(
      (at) => `r.task = (SELECT id FROM ${schema}.name WHERE sha256(name) = sha256(${at}::bytea))`,
      hexOf(bytesOf(task)),
    );
  if (since !== undefined && Number.isFinite(since))
    where((at) => `r.ended_at >= ${at}::bigint`, Math.ceil(since));
  const outcomes = outcomesOf(query)?.map((outcome) => OUTCOMES.indexOf(outcome));
  if (outcomes !== undefined) where((at) => `r.outcome = ANY (${at}::int[])`, `{${outcomes.join()}}`);
  return { conditions, values };
}

function runOf(row: Row, labels: Dictionaries['labels']): PastRun {
  const [, name, runLabel, runCount, keyLabel, keyCount, attempt, reason, scheduledFor, calledAt] = row;
  const [endedAt, outcome, instance, error] = row.slice(10);
  return {
    task: textOf(bytesOfHex(name ?? '')),
    runId: runText(labels, runLabel, runCount),
    key: runText(labels, keyLabel, keyCount),
    attempt: Number(attempt),
    reason: REASONS[Number(reason)],
    scheduledFor: Number(scheduledFor),
    calledAt: Number(calledAt),
    endedAt: Number(endedAt),
    outcome: OUTCOMES[Number(outcome)],
    instanceId: labels.text(Number(instance)),
    error: errorOf(error),
  };
}

/** What was stored by {@link RunError} as JSON. */
function errorOf(text: string | null): RunError | null {
  if (text === null) return null;
  const { name, message, text: stack } = Object(JSON.parse(text));
  return { name: String(name), message: String(message), text: String(stack) };
}

/**
 * Lets some of the oldest go that are beyond the bounds; answers whether there may be more. Age is counted from the newest run, so that a
 * clock that is wrong for a while costs nothing.
 */
export async function prunePast(
  ask: Ask,
  schema: string,
  { keepDays, keepRuns }: Retention,
): Promise<boolean> {
  const keptMs = Math.min(keepDays * DAY_MS, Number.MAX_SAFE_INTEGER);
  const rows = await ask(
    `WITH newest AS (SELECT seq, ended_at FROM ${schema}.run ORDER BY seq DESC LIMIT 1)
     DELETE FROM ${schema}.run r WHERE r.seq = ANY (ARRAY(SELECT seq FROM ${schema}.run ORDER BY seq LIMIT ${PRUNED_AT_ONCE}))
     AND (r.seq <= (SELECT seq FROM newest) - $1::bigint OR r.ended_at < (SELECT ended_at FROM newest) - $2::bigint) RETURNING 1`,
    [Math.min(keepRuns, Number.MAX_SAFE_INTEGER), Math.floor(keptMs)],
  );
  return rows.length === PRUNED_AT_ONCE;
}
