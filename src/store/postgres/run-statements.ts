/**
 * Ends, unstarts, moves and starts as parts of one statement. `me` is the row of the instance, locked so that its death waits
 * (`store/cluster/rows.ts` has the argument); without it no part does anything. What each part asks of its row is what
 * `store/cluster/decide.ts` asks of the record, and a test compares them.
 *
 * A part whose row has been changed since the statement began waits for that change, and asks its row again. Only the row itself is asked
 * again, so nothing here depends on a second table: a run that belongs to nobody says so in its own row (`run_cut_off_at`).
 */
import { AHEAD_MS } from '../../core/clock-step.ts';
import { OUTCOMES, REASONS, RUN_REASONS } from '../../core/rows.ts';
import type { MoveChange, PauseChange, UnstartChange } from '../port.ts';
import { Columns, type Params } from './columns.ts';
import { NONE } from './migrations.ts';
import { numbersOf, orNone, runValues } from './records.ts';
import { type EndRow, type Numbers, type StartRow, versionOr } from './run-rows.ts';

/** What the statements of a session have in common. */
export interface Scope extends Numbers {
  readonly schema: string;
  /** The number of the instance. */
  readonly me: number;
  readonly isAlone: boolean;
  readonly keepsHistory: boolean;
}

/** A part of a statement: what it defines, and the query that has the ids which were granted. */
export interface Part {
  readonly ctes: readonly string[];
  readonly granted: string;
  readonly ids: readonly number[];
}

/**
 * The row of the instance, locked until the transaction is over; `at` is the database's clock. `sent` is the number of the request: after a
 * later one there is no row for it. A request waits here for the one before it if the server still executes that.
 */
export const meCte = ({ schema, me }: Scope, params: Params, sent: number): string => {
  const number = params.add(sent, 'bigint');
  return `me AS (UPDATE ${schema}.member SET last_sent = ${number} WHERE id = ${params.add(me, 'int')} AND last_sent <= ${number}
   RETURNING lease_until > clock_timestamp() AS leased, ${CLOCK} AS at)`;
};

export const CLOCK = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const INTERRUPTED = OUTCOMES.indexOf('interrupted');
/** The reason that an interrupted run has in its row. */
const LEFT = RUN_REASONS.indexOf('interrupted');

const NO_RUN = `run_label = 0, run_count = 0, run_instance = 0, run_started_at = ${NONE}, run_reason = 0, run_cut_off_at = ${NONE}`;

/** The run columns after a batch with interrupted ends: such a run stays, as one that was cut off (A13, `leftByStop`). */
function leftBy(ends: Columns<EndRow>): string {
  const left = (value: (end: EndRow) => number, none: number): string =>
    ends.of((end) => (end.outcome === INTERRUPTED ? value(end) : none));
  return `run_label = ${left(({ runLabel }) => runLabel, 0)}, run_count = ${left(({ runCount }) => runCount, 0)},
    run_instance = ${left(({ instance }) => instance, 0)}, run_started_at = ${left(({ calledAt }) => calledAt, NONE)},
    run_reason = ${left(() => LEFT, 0)}, run_cut_off_at = ${left(({ endedAt }) => endedAt, NONE)}`;
}

/** Every write of a record raises its version (K2). */
const RAISED = 'version = s.version + 1';
const PRESENT = 'EXISTS (SELECT FROM me)';
const NOT_CURRENT = `(s.run_label = 0 OR s.run_cut_off_at <> ${NONE})`;

/** K4: the run that is named is the current one, and of this instance. One that is alone ends every run that has not ended (A13). */
const isOwnRun = (scope: Scope, label: string, count: string): string =>
  `s.run_label = ${label} AND s.run_count = ${count}${scope.isAlone ? ` AND s.run_reason <> ${LEFT}` : ` AND s.run_instance = ${scope.me} AND s.run_cut_off_at = ${NONE}`}`;

export function endPart(scope: Scope, params: Params, rows: readonly EndRow[]): Part {
  const { schema } = scope;
  // The instance that an end names is this one, or the end is somebody else's (K4).
  const own = scope.isAlone ? rows : rows.filter(({ instance }) => instance === scope.me);
  const ends = new Columns(params, own, ({ id }) => id);
  const [called, ended] = [ends.of(({ calledAt }) => calledAt), ends.of(({ endedAt }) => endedAt)];
  const outcome = ends.of((end) => end.outcome);
  const retry = ends.of(({ retryUntil }) => retryUntil);
  const [label, count] = [ends.of(({ runLabel }) => runLabel), ends.of(({ runCount }) => runCount)];
  const [keyLabel, keyCount] = [ends.of((end) => end.keyLabel), ends.of((end) => end.keyCount)];
  const scheduledFor = ends.of((end) => end.scheduledFor);
  const attempt = ends.of((end) => end.attempt);
  const isOver = `${retry} = ${NONE} AND ${outcome} <> ${INTERRUPTED}`;
  let left = NO_RUN;
  for (const end of own) if (end.outcome === INTERRUPTED) left = leftBy(ends);
  const error = ends.text(
    (end) => end.error && JSON.stringify({ name: end.error.name, message: end.error.message }),
  );
  const update = `ended AS (UPDATE ${schema}.state s SET
    served_through = ${ends.of(({ servedThrough }) => servedThrough)}, last_attempt_at = ${called},
    last_success_at = CASE WHEN ${outcome} = 0 THEN ${ended} ELSE s.last_success_at END,
    last_failure_at = CASE WHEN ${outcome} IN (0, ${INTERRUPTED}) THEN s.last_failure_at ELSE ${ended} END,
    retry_until = ${retry}, failures = ${ends.of(({ streak: [failures] }) => failures)},
    failing_since = ${ends.of(({ streak: [, since] }) => since)},
    last_error = coalesce(${error}, s.last_error), last_duration_ms = greatest(${ended} - ${called}, 0),
    key_label = CASE WHEN ${isOver} THEN 0 ELSE ${keyLabel} END, key_count = CASE WHEN ${isOver} THEN 0 ELSE ${keyCount} END,
    scheduled_for = CASE WHEN ${isOver} THEN ${NONE} ELSE ${scheduledFor} END,
    attempt = CASE WHEN ${isOver} THEN 0 ELSE ${attempt} - (${outcome} = ${INTERRUPTED})::int END, ${left}, ${RAISED}
    WHERE s.id = ANY (${ends.all}) AND ${PRESENT} AND ${isOwnRun(scope, label, count)}
    RETURNING s.id, s.last_attempt_at AS called, CASE ${outcome} WHEN 0 THEN s.last_success_at
    WHEN ${INTERRUPTED} THEN s.run_cut_off_at ELSE s.last_failure_at END AS ended)`;
  const granted = 'SELECT id FROM ended';
  if (!scope.keepsHistory) return { ctes: [update], granted, ids: ends.ids };
  const past = pastCte(scope, ends, own, {
    run: `${label}, ${count}`,
    work: `${keyLabel}, ${keyCount}, ${scheduledFor}, ${attempt}`,
    end: `s.called, s.ended, ${outcome}`,
  });
  return { ctes: [update, past], granted, ids: ends.ids };
}

/** One row of the history per end, in the order of the ends (J1). */
function pastCte(
  { schema }: Scope,
  ends: Columns<EndRow>,
  inOrder: readonly EndRow[],
  values: { readonly run: string; readonly work: string; readonly end: string },
): string {
  const isById = inOrder.every(({ id }, place) => id === ends.ids[place]);
  return `past AS (INSERT INTO ${schema}.run (task, run_label, run_count, run_instance, reason, key_label, key_count, scheduled_for,
    attempt, called_at, ended_at, outcome, error)
    SELECT s.id, ${values.run}, ${ends.of(({ instance }) => instance)},
    ${ends.of(({ reason }) => reason)}, ${values.work}, ${values.end},
    ${ends.text(({ error }) => error && JSON.stringify(error))}
    FROM ended s ORDER BY ${isById ? 's.id' : placeOf(ends, inOrder)})`;
}

function placeOf(ends: Columns<EndRow>, inOrder: readonly EndRow[]): string {
  const places = new Map(inOrder.map((end, place) => [end, place]));
  return ends.of((end) => places.get(end) ?? 0);
}

export function unstartPart(scope: Scope, params: Params, changes: Iterable<UnstartChange>): Part {
  const { schema, labels, names } = scope;
  // Nothing makes a run current again (K4).
  const allowed = [...changes].filter(({ run }) => scope.isAlone || run?.cutOffAt !== null);
  const unstarts = new Columns(params, allowed, ({ name }) => names.id(name));
  const run = (place: number): string => unstarts.of((change) => runValues(change.run, labels)[place]);
  const key = (place: 0 | 1): string =>
    unstarts.of(({ work }) => numbersOf(work?.key ?? null, labels)[place]);
  const label = unstarts.of(({ runId }) => numbersOf(runId, labels)[0]);
  const count = unstarts.of(({ runId }) => numbersOf(runId, labels)[1]);
  const update = `unstarted AS (UPDATE ${schema}.state s SET key_label = ${key(0)}, key_count = ${key(1)},
    scheduled_for = ${unstarts.of(({ work }) => work?.scheduledFor ?? NONE)}, attempt = ${unstarts.of(({ work }) => work?.attempt ?? 0)},
    run_label = ${run(0)}, run_count = ${run(1)}, run_instance = ${run(2)}, run_started_at = ${run(3)}, run_reason = ${run(4)},
    run_cut_off_at = ${run(5)}, ${RAISED}
    WHERE s.id = ANY (${unstarts.all}) AND ${PRESENT} AND ${isOwnRun(scope, label, count)} RETURNING s.id)`;
  const reopened = allowed.flatMap(({ name, requests = [] }) =>
    requests.map((id) => ({ id, task: names.id(name) })),
  );
  const ctes = reopened.length > 0 ? [update, reopenCte(scope, params, reopened)] : [update];
  return { ctes, granted: 'SELECT id FROM unstarted', ids: unstarts.ids };
}

/** I1: a start is taken back, for the first time, and what it had answered is open again. */
const reopenCte = (
  { schema }: Scope,
  params: Params,
  requests: ReadonlyArray<{ readonly id: string; readonly task: number }>,
): string =>
  `reopened AS (UPDATE ${schema}.request r SET state = NULL, answered_at = NULL, answer = NULL
   FROM jsonb_array_elements(${params.add(JSON.stringify(requests), 'jsonb')}) AS a WHERE r.id = a->>'id'
   AND (a->>'task')::int IN (SELECT id FROM unstarted))`;

/** K2: no move takes back what another one has moved further, since that one has raised the version. */
export function movePart(scope: Scope, params: Params, changes: Iterable<MoveChange>): Part {
  const { schema, names } = scope;
  const moves = new Columns(params, changes, ({ name }) => names.id(name));
  const update = `moved AS (UPDATE ${schema}.state s SET served_through = ${moves.of((move) => move.servedThrough)},
    retry_until = ${moves.of(({ pendingRetryUntil }) => orNone(pendingRetryUntil))}, ${RAISED}
    WHERE s.id = ANY (${moves.all}) AND ${PRESENT} AND s.version = ${moves.of(({ version }) => versionOr(version))} RETURNING s.id)`;
  return { ctes: [update], granted: 'SELECT id FROM moved', ids: moves.ids };
}

export function pausePart({ schema, names }: Scope, params: Params, changes: Iterable<PauseChange>): Part {
  const pauses = new Columns(params, changes, ({ name }) => names.id(name));
  const pausedAt = pauses.of((change) => orNone(change.pausedAt));
  // A pause that comes again raises nothing.
  const update = `paused AS (UPDATE ${schema}.state s SET paused_at = ${pausedAt}, version = s.version + (s.paused_at <> ${pausedAt})::int
    WHERE s.id = ANY (${pauses.all}) AND ${PRESENT}
    AND NOT EXISTS (SELECT FROM ${schema}.request q WHERE q.id = ${pauses.text(({ request = null }) => request)} AND q.state IS NOT NULL) RETURNING s.id)`;
  return { ctes: [update], granted: 'SELECT id FROM paused', ids: pauses.ids };
}

/** K2. `epoch` is that of the configurations that the claims were decided by. */
export function startPart(scope: Scope, params: Params, rows: readonly StartRow[], epoch: number): Part {
  const { schema, isAlone, me } = scope;
  const own = isAlone ? rows : rows.filter(({ instance }) => instance === me);
  const starts = new Columns(params, own, ({ id }) => id);
  const [label, count] = [starts.of(({ runLabel }) => runLabel), starts.of(({ runCount }) => runCount)];
  const isAgain = `s.run_label = ${label} AND s.run_count = ${count}`;
  // A run that is durable is granted again even if the lease is over by now: nobody else would ever end it (E9).
  const isLeased = '(SELECT leased FROM me)';
  const isSame = `s.version = ${starts.of(({ version }) => version)}`;
  const isGranted = isAlone
    ? isSame
    : `NOT (${isAgain}) AND ${isSame} AND ${claimable(starts, scope, params, epoch)}`;
  const isOwn = `${isAgain} AND s.run_cut_off_at = ${NONE}${isAlone ? '' : ` AND s.run_instance = ${me}`}`;
  const update = `started AS (UPDATE ${schema}.state s SET key_label = ${starts.of(({ keyLabel }) => keyLabel)},
    key_count = ${starts.of(({ keyCount }) => keyCount)}, scheduled_for = ${starts.of(({ scheduledFor }) => scheduledFor)},
    attempt = ${starts.of(({ attempt }) => attempt)}, run_label = ${label}, run_count = ${count},
    run_instance = ${starts.of(({ instance }) => instance)}, run_started_at = ${starts.of(({ startedAt }) => startedAt)},
    run_reason = ${starts.of(({ reason }) => reason)}, run_cut_off_at = ${NONE},
    version = s.version + CASE WHEN ${isOwn} THEN 0 ELSE 1 END
    WHERE s.id = ANY (${starts.all}) AND ${PRESENT} AND (${isOwn} OR ${isLeased} AND ${isGranted}) RETURNING s.id)`;
  return { ctes: [update], granted: 'SELECT id FROM started', ids: starts.ids };
}

/** K5: no list has come that the instance does not know. */
const knowsEpoch = ({ schema }: Scope, params: Params, epoch: number): string =>
  `(SELECT m.epoch FROM ${schema}.meta m) = ${params.add(epoch, 'bigint')}`;

function claimable(starts: Columns<StartRow>, scope: Scope, params: Params, epoch: number): string {
  const manual = REASONS.indexOf('manual');
  return `${knowsEpoch(scope, params, epoch)} AND ${NOT_CURRENT}
      AND (s.paused_at = ${NONE} OR ${starts.of(({ reason }) => reason)} = ${manual})
      AND ${starts.of(({ startedAt }) => startedAt)} <= (SELECT at FROM me) + ${AHEAD_MS}`;
}
