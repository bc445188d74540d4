/** A scheduler whose task completes its runs in transactions of the user (K8). */
import type { TestContext } from 'node:test';
import pg from 'pg';
import type { RunContext } from '../../src/scheduler/context.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Logger } from '../../src/scheduler/logger.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { control } from '../../src/store/control.ts';
import { history } from '../../src/store/history.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { bounded, Conditions } from '../patience.ts';
import { freshSchema, type Server } from '../store/postgres/server.ts';

/** A database with a table of the user, and one scheduler whose task is called when it is asked for. */
export class Scene {
  readonly schema = freshSchema();
  readonly store;
  readonly conditions = new Conditions();
  readonly events: SchedulerEvent[] = [];
  readonly lines: string[] = [];
  readonly #test: TestContext;
  readonly #server: Server;

  constructor(test: TestContext, server: Server) {
    this.#test = test;
    this.#server = server;
    this.store = postgres(server.url, { schema: this.schema, lease: 1000 });
  }

  async begin(work: (context: RunContext) => unknown, retryDelayMs = 0): Promise<Scheduler> {
    const say = (line: string): void => {
      this.lines.push(line);
      this.conditions.happened();
    };
    const scheduler = createScheduler({
      store: this.store,
      logger: { debug: say, info: say, warn: say, error: say, failure() {} } satisfies Logger,
      onEvent: (event) => {
        this.events.push(event);
        this.conditions.happened();
      },
    });
    this.#test.after(() => scheduler.stop());
    await scheduler.initialize([['t', '0 0 1 1 *', work, retryDelayMs]]);
    await this.#server.pool.query(`CREATE TABLE IF NOT EXISTS ${this.schema}.work (run text)`);
    return scheduler;
  }

  /** A connection of the user. */
  async client(): Promise<pg.Client> {
    const client = new pg.Client(this.#server.url);
    client.on('error', () => {});
    await client.connect();
    this.#test.after(() => client.end());
    return client;
  }

  run(): Promise<unknown> {
    return control(this.store).run('t', { wait: 60_000 });
  }

  ended(): Promise<SchedulerEvent> {
    return this.conditions.find('the end of a run', () =>
      this.events.find(({ type }) => type === 'TaskRunCompleted' || type === 'TaskRunFailed'),
    );
  }

  /** The rows that the user's transactions have left, and the outcomes of the runs. */
  async left(): Promise<[work: number, ...outcomes: string[]]> {
    const { rows } = await this.#server.pool.query(`SELECT count(*)::int AS work FROM ${this.schema}.work`);
    const outcomes: string[] = [];
    for await (const { outcome } of history(this.store)) outcomes.push(outcome);
    return [rows[0].work, ...outcomes];
  }

  /** Work of the user, and the completion, in a transaction that ends as asked. */
  async transaction(
    context: RunContext,
    client: pg.Client,
    ending: 'COMMIT' | 'ROLLBACK',
    times = 1,
  ): Promise<void> {
    await client.query('BEGIN');
    try {
      await client.query(`INSERT INTO ${this.schema}.work VALUES ($1)`, [context.runId]);
      for (let time = 0; time < times; time++) await context.complete(client);
    } catch (error) {
      await client.query('ROLLBACK'); // a transaction that is left open would be waited for
      throw error;
    }
    await client.query(ending);
  }
}

/** Waits until a query has an answer of one row. */
export async function oneRow(
  server: Server,
  what: string,
  query: string,
  values: unknown[] = [],
): Promise<void> {
  let isOver = false;
  const asking = async (): Promise<void> => {
    while (!isOver && (await server.pool.query(query, values)).rowCount !== 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await bounded(what, asking()).finally(() => {
    isOver = true;
  });
}
