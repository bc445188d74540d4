/** Requests of operators, and their answers (I1). */
import type { ControlAnswer, ControlKind, ControlRequest } from '../../core/control.ts';
import type { Ask, Row } from './driver.ts';
import { NONE } from './migrations.ts';
import type { Scope } from './run-statements.ts';
import { bytesOf, bytesOfHex, hexOf, textOf } from './texts.ts';

const DAY_MS = 86_400_000;
/** How long an answer is kept. */
const KEPT_MS = 7 * DAY_MS;

/** Makes a request durable; the same one again is no matter. Old ones go, since nobody asks for their answers any more. */
export async function writeRequest(ask: Ask, schema: string, request: ControlRequest): Promise<void> {
  const { id, kind, task, askedAt, catchUp } = request;
  await ask(
    `WITH old AS (DELETE FROM ${schema}.request WHERE state IS NOT NULL AND answered_at < $6::bigint)
     INSERT INTO ${schema}.request (id, kind, task, asked_at, catch_up)
     VALUES ($1::text, $2::text, $3::bytea, $4::bigint, $5::boolean) ON CONFLICT (id) DO NOTHING`,
    [id, kind, hexOf(bytesOf(task)), askedAt, catchUp, askedAt - KEPT_MS],
  );
}

export async function readAnswer(ask: Ask, schema: string, id: string): Promise<ControlAnswer | undefined> {
  const [row] = await ask(
    `SELECT state, answered_at, answer FROM ${schema}.request WHERE id = $1::text AND state IS NOT NULL`,
    [id],
  );
  if (row === undefined) return undefined;
  const [state, at, text] = row;
  return { id, state: state === 'applied' ? 'applied' : 'refused', at: Number(at), text: text ?? '' };
}

/** The requests that nobody has answered, for who only looks. */
export async function openRequests(ask: Ask, schema: string): Promise<readonly ControlRequest[]> {
  const rows = await ask(
    `SELECT id, kind, task, asked_at, catch_up FROM ${schema}.request WHERE state IS NULL ORDER BY seq`,
  );
  return rows.map(requestOf);
}

/**
 * Takes requests that are this instance's to answer: those that no member has taken, unless another one runs the task now. The one that
 * runs it can abort it, and can start it again right after (I2, I4). A request of an instance that is gone is free again. What it has taken
 * before comes again until it is answered: the instance may not have heard of it.
 *
 * Why two that ask at once never get the same request: the second waits for the row, and then takes it only if it still is as the second one
 * has seen it. The other conditions are of the moment before, and PostgreSQL does not look at them again when the wait is over.
 */
export async function takeRequests(
  ask: Ask,
  { schema, me, isAlone }: Scope,
): Promise<readonly ControlRequest[]> {
  const isFree = `NOT EXISTS (SELECT FROM ${schema}.member m WHERE m.id = r.taken_by)`;
  const runner = `(SELECT s.run_instance FROM ${schema}.state s JOIN ${schema}.name n ON n.id = s.id
    WHERE sha256(n.name) = sha256(r.task) AND s.run_cut_off_at = ${NONE})`;
  const isMine = isAlone
    ? 'true'
    : `(${isFree} AND coalesce(${runner}, 0) IN (0, $1::int) AND ${hasTask(schema)})`;
  const rows = await ask(
    `WITH seen AS MATERIALIZED (SELECT r.id, r.taken_by FROM ${schema}.request r
       WHERE r.state IS NULL AND r.taken_by <> $1::int AND ${isMine}),
     taken AS (UPDATE ${schema}.request r SET taken_by = $1::int FROM seen
       WHERE r.id = seen.id AND r.state IS NULL AND r.taken_by = seen.taken_by RETURNING r.*),
     mine AS (SELECT * FROM taken UNION ALL SELECT r.* FROM ${schema}.request r WHERE r.state IS NULL AND r.taken_by = $1::int)
     SELECT id, kind, task, asked_at, catch_up FROM mine ORDER BY seq`,
    [me],
  );
  return rows.map(requestOf);
}

/** Whether this instance has the task, or nobody has: then it refuses the request. */
const hasTask = (
  schema: string,
): string => `(EXISTS (SELECT FROM ${schema}.member m JOIN ${schema}.list_task l ON l.list = m.list
  JOIN ${schema}.name n ON n.id = l.task WHERE m.id = $1::int AND sha256(n.name) = sha256(r.task))
  OR NOT EXISTS (SELECT FROM ${schema}.member m JOIN ${schema}.list_task l ON l.list = m.list
  JOIN ${schema}.name n ON n.id = l.task WHERE sha256(n.name) = sha256(r.task)))`;

const requestOf = ([id, kind, task, askedAt, catchUp]: Row): ControlRequest => ({
  id: id ?? '',
  kind: kindOf(kind),
  task: textOf(bytesOfHex(task ?? '')),
  askedAt: Number(askedAt),
  catchUp: catchUp === 't',
});

const KINDS: readonly ControlKind[] = ['run', 'pause', 'resume', 'cancel'];
const kindOf = (text: string | null): ControlKind => KINDS.find((kind) => kind === text) ?? 'run';
