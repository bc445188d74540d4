/**
 * The end of a run in a transaction of the user (K8). `store/sharing/transaction-ends.ts` has the states.
 *
 * It is the same statement as that of every other end (`endPart`), but for `me`. Other changes lock the row of their instance, so that its
 * death waits for them. Here that row is not touched: the user's transaction may take long, and the heartbeat must not wait for it. The row
 * of the task is enough: death cuts off that very run (`run_cut_off_at`), so one of the two waits for the other and then sees what it did. An end makes no run, so none can be
 * left to an instance that is gone.
 *
 * Numbers stand for names in the tables, and another database gives them to other names. So the statement asks for the text of the
 * instance, which is made by chance: there is none in another database. It also asks whether its transaction is the one that the statement before it was in. If it
 * is not, there is no transaction, or a pool gave each statement another connection.
 */
import { CompletionError } from '../../errors.ts';
import type { EndChange, TransactionClient } from '../port.ts';
import type { Completing } from '../sharing/transaction-ends.ts';
import { Params } from './columns.ts';
import { AS_TEXT, type Ask } from './driver.ts';
import { numbersOf } from './records.ts';
import { endRow } from './run-rows.ts';
import { endPart, type Scope } from './run-statements.ts';
import { bytesOf, hexOf } from './texts.ts';

/** A statement on the client, all of whose parameters and answers are texts. */
type AskClient = (text: string, values: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;

const NO_TRANSACTION =
  'the client is not inside a transaction; begin one, and give its client and not a pool';
const ELSEWHERE = 'the client is connected to another database than the store';

/** Asks for one row. */
function askOf(client: TransactionClient, task: string): AskClient {
  const isFunction = typeof client === 'function';
  if (!isFunction && typeof Object(client).query !== 'function')
    throw new CompletionError(
      task,
      'what was given is neither a client of pg nor a function (text, values) => rows',
    );
  return async (text, values) => {
    const answer: unknown = isFunction
      ? await client(text, values)
      : await client.query({ text, values: [...values], types: AS_TEXT });
    const rows: unknown = Array.isArray(answer) ? answer : Object(answer).rows;
    if (!Array.isArray(rows) || rows.length !== 1)
      throw new CompletionError(task, 'the client did not answer with the one row of a statement');
    return Object(rows[0]);
  };
}

/**
 * Writes an end in the client's transaction; answers whether its run is current, or shows that end already. `began` hears of the
 * transaction before anything is written.
 */
export async function completeRun(
  client: TransactionClient,
  scope: Scope,
  end: EndChange,
  began: (transactionId: string) => void,
): Promise<boolean> {
  const ask = askOf(client, end.name);
  const first = await ask(
    `SELECT pg_current_xact_id()::text AS id, (to_regclass($1::text) IS NOT NULL)::text AS is_here`,
    [`${scope.schema}.state`],
  );
  if (first.is_here !== 'true') throw new CompletionError(end.name, ELSEWHERE);
  const id = String(first.id);
  began(id);
  const params = new Params('as texts');
  const isSame = `pg_current_xact_id()::text = ${params.add(id, 'text')}`;
  const me = `me AS MATERIALIZED (SELECT 1 AS one FROM ${scope.schema}.label WHERE id = ${scope.me}
    AND label = ${params.add(hexOf(bytesOf(end.instanceId)), 'bytea')} AND ${isSame})`;
  const { ctes, granted } = endPart(scope, params, [endRow(end, scope)]);
  const answer = await ask(
    `WITH ${[me, ...ctes].join(',\n')} SELECT (${isSame})::text AS is_same, (SELECT count(*) FROM me)::text AS here,
     (SELECT count(*) FROM (${granted}) AS g)::text AS granted`,
    params.values.map(String),
  );
  if (answer.is_same !== 'true') throw new CompletionError(end.name, NO_TRANSACTION);
  if (answer.here !== '1') throw new CompletionError(end.name, ELSEWHERE);
  return answer.granted === '1' || (await isShown(ask, scope, end));
}

/** E9: the same end again is granted again. */
async function isShown(ask: AskClient, { schema, names }: Scope, end: EndChange): Promise<boolean> {
  const { shown } = await ask(
    `SELECT count(*)::text AS shown FROM ${schema}.state WHERE id = $1::text::int AND run_label = 0
     AND last_attempt_at = $2::text::bigint AND last_success_at = $3::text::bigint`,
    [String(names.id(end.name)), String(end.calledAt), String(end.endedAt)],
  );
  return shown === '1';
}

/**
 * What a transaction has come to. First whether it is over, then, in a statement of its own, whether the run is still current: the other way
 * round it could commit in between. A run that is current after a COMMIT was rolled back to a savepoint.
 */
export async function outcomeOf(
  ask: Ask,
  { schema, names, labels }: Scope,
  { name, runId }: EndChange,
  transactionId: string,
): ReturnType<Completing['outcome']> {
  const status = await statusOf(ask, transactionId);
  if (status === 'in progress') return 'open';
  if (status === 'aborted') return 'rolled back';
  const [label, count] = numbersOf(runId, labels);
  const rows = await ask(
    `SELECT id FROM ${schema}.state WHERE id = $1::int AND run_label = $2::int AND run_count = $3::bigint`,
    [names.id(name), label, count],
  );
  return rows.length === 0 ? 'durable' : 'rolled back';
}

/** The number of a transaction is from the future if a standby has been promoted that does not know of it: then it is lost. */
async function statusOf(ask: Ask, transactionId: string): Promise<string | null> {
  try {
    const [[status]] = await ask('SELECT pg_xact_status($1::xid8)', [transactionId]);
    return status;
  } catch (error) {
    const isFromFuture = error instanceof Error && Object(error.cause).code === '22023';
    if (isFromFuture) return 'aborted';
    throw error;
  }
}
