/**
 * The connection: a pool of our own that lasts as long as somebody uses it, or the user's, which stays open. Everything that fails comes
 * out as an error that says the way out.
 *
 * - Every question has an answer within a time, whatever the pool is and whatever the network does. What was asked may be executed
 *   later all the same; requests have numbers, so that a late one does nothing (`run-statements.ts`).
 * - What the database takes back for the sake of others (a serialization failure, a deadlock) is known not to be done. It is asked
 *   again at once, some times, after pauses of chance. It is trouble only if that does not help.
 * - After any other failure the connection is not used again: it may lead to a server that is a standby by now.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { StoreClosedError, StoreFailedError, StoreFullError } from '../errors.ts';
import type { StoreError } from '../store-error.ts';
import { type Ask, type Client, configOf, type Pool, rowsOf } from './driver.ts';
import {
  PostgresDriverMissingError,
  PostgresPrivilegeError,
  PostgresUnfitError,
  PostgresUnreachableError,
} from './errors.ts';
import type { Target } from './target.ts';

/** How long a connection or a statement may take. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 60_000;
/** The session writes, renews its lease meanwhile, and somebody may read the history. */
const MOST_CONNECTIONS = 4;

/**
 * How a transaction begins, in one message. Whatever the default of the database is, what waits for another transaction must see what that
 * one did. A process may stand still in the middle of it, and holds what everybody needs: the server ends the transaction then, before a
 * lease of the usual length is over. What waits for a lock gives up before its client does, and leaves no statement behind.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL lock_timeout = 30000`;

/** What the database takes back is asked so often; the pauses before that double. */
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 10;

const ignore = (): void => {};

export class Database {
  readonly location: string;
  readonly #target: Target;
  #pool: Promise<Pool> | undefined;
  #users = 0;

  constructor(target: Target) {
    this.location = target.location;
    this.#target = target;
  }

  /** Uses the database until the answer is called: then a pool of our own is closed, if nobody else uses it. */
  use(): () => Promise<void> {
    this.#users++;
    let isUsed = true;
    return async () => {
      if (!isUsed) return;
      isUsed = false;
      if (--this.#users > 0) return;
      const pool = await this.#pool?.catch(() => undefined);
      // Somebody may have come meanwhile.
      if (this.#users > 0 || this.#target.pool !== undefined) return;
      this.#pool = undefined;
      await pool?.end().catch(() => {});
    };
  }

  /** Uses it for one thing. */
  async using<T>(what: () => Promise<T>): Promise<T> {
    const done = this.use();
    try {
      return await what();
    } finally {
      await done();
    }
  }

  /** One statement, on any connection: a transaction by itself. */
  readonly ask: Ask = (text, values, withinMs) =>
    this.#again(async () => {
      try {
        const pool = await this.#connected();
        const asked = pool.query(configOf(text, values, withinMs ?? STATEMENT_MS));
        return rowsOf(await within(asked, withinMs ?? CONNECT_MS + STATEMENT_MS));
      } catch (error) {
        throw this.#failure(error);
      }
    });

  /** Several statements in one transaction. If `work` throws, nothing of it stays. It may be called again, after nothing of it was kept. */
  transaction<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#again(() => this.#transaction(work));
  }

  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (tries === MOST_TRIES || !isTakenBack(error)) throw error;
        await delay(Math.random() * FIRST_PAUSE_MS * 2 ** tries);
      }
    }
  }

  async #transaction<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await this.#client();
    // A connection may break between two statements. The next one meets that; without a listener the process would end.
    client.on?.('error', ignore);
    const ask: Ask = async (text, values) => {
      try {
        return rowsOf(await client.query(configOf(text, values, STATEMENT_MS)));
      } catch (error) {
        throw this.#failure(error);
      }
    };
    let isBroken = true;
    try {
      await client.query(configOf(BEGIN, [], STATEMENT_MS)).catch((error: unknown) => {
        throw this.#failure(error);
      });
      const result = await work(ask);
      await ask('COMMIT');
      isBroken = false;
      return result;
    } catch (error) {
      // A connection that cannot do this is not used again, nor one that does not answer: it would be waited for once more.
      const mayBeUsed = !(error instanceof PostgresUnreachableError || error instanceof PostgresUnfitError);
      if (mayBeUsed)
        isBroken = await ask('ROLLBACK').then(
          () => false,
          () => true,
        );
      throw error;
    } finally {
      client.off?.('error', ignore);
      client.release(isBroken);
    }
  }

  async #client(): Promise<Client> {
    try {
      const connected = (await this.#connected()).connect();
      // One that comes too late goes back.
      return await within(connected, CONNECT_MS, (client) => client.release());
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #connected(): Promise<Pool> {
    if (this.#users === 0) throw new StoreClosedError({ path: this.location });
    this.#pool ??= this.#open().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #open(): Promise<Pool> {
    const { pool: own, connectionString } = this.#target;
    if (own !== undefined) return heard(own);
    const { default: pg } = await import('pg').catch((error: unknown) => {
      throw new PostgresDriverMissingError({ path: this.location }, error);
    });
    const pool = new pg.Pool({
      connectionString,
      max: MOST_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      keepAlive: true,
      application_name: 'obbligato',
    });
    return heard(pool);
  }

  /** What a failure means, and the way out. What the driver said is the cause. */
  #failure(error: unknown): unknown {
    const path = this.location;
    const isOurs = error instanceof Error && 'fault' in error;
    if (isOurs) return error;
    const code = String(Reflect.get(Object(error), 'code') ?? '');
    const reason = error instanceof Error ? error.message : String(error);
    const make = FAILURES.find(([codes]) => codes.test(code))?.[1];
    if (make !== undefined) return make({ path, reason }, error);
    const isConnection = code === '' && /connect|timeout|terminat|ended/i.test(reason);
    return isConnection
      ? new PostgresUnreachableError({ path, reason }, error)
      : new StoreFailedError({ path, reason }, error);
  }
}

/** A connection may break while nobody uses it; the next statement gets another one. Without a listener the process would end. */
function heard(pool: Pool): Pool {
  if (!heardPools.has(pool)) pool.on?.('error', ignore);
  heardPools.add(pool);
  return pool;
}

/** Several stores may use one pool. */
const heardPools = new WeakSet<Pool>();

/** The answer, if it comes in time. `late` gets one that comes after that. */
async function within<T>(answer: Promise<T>, ms: number, late: (answer: T) => void = ignore): Promise<T> {
  const timer = new AbortController();
  const tooLate = delay(ms, undefined, { signal: timer.signal }).then(() => {
    answer.then(late, ignore);
    throw new Error(`timeout: no answer within ${ms} ms`);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    timer.abort();
    tooLate.catch(ignore);
  }
}

/** Serialization failures and deadlocks. */
const isTakenBack = (error: unknown): boolean =>
  error instanceof Error && ['40001', '40P01'].includes(String(Object(error.cause).code));

type Make = (details: { path: string; reason: string }, cause: unknown) => StoreError;

/** SQLSTATEs, or codes of the operating system. */
const FAILURES: ReadonlyArray<readonly [codes: RegExp, make: Make]> = [
  [/^42501$/, (details, cause) => new PostgresPrivilegeError(details, cause)],
  [/^25006$/, (details, cause) => new PostgresUnfitError({ ...details, reason: 'it is read-only' }, cause)],
  [/^53100$/, ({ path }, cause) => new StoreFullError({ path }, cause)],
  [/^(08|28|3D|53|57P|25P03)|^E[A-Z]+$/, (details, cause) => new PostgresUnreachableError(details, cause)],
];
