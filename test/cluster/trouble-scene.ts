/**
 * A scheduler over a database that gets into trouble. One task fails always and is tried again at once, so that something is always
 * written. Another one is held in its callback, until trouble has begun: its end is to be kept.
 *
 * It uses a pool of the user that sets no limits and has no listener, and a user of the database who is no superuser.
 */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { RunContext } from '../../src/scheduler/context.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Logger } from '../../src/scheduler/logger.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { history } from '../../src/store/history.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { hostClock } from '../../src/time/host-clock.ts';
import { bounded, type Conditions } from '../patience.ts';
import { type Afterwards, FaultyProxy } from '../store/postgres/proxy.ts';
import { freshSchema, type Server } from '../store/postgres/server.ts';

const roleSql = (database: string): string =>
  `DO $$ BEGIN CREATE ROLE jobs LOGIN PASSWORD 'jobs'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
   GRANT CREATE ON DATABASE ${database} TO jobs`;

export interface Start {
  readonly task: string;
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
}

export class TroubleScene {
  readonly schema = freshSchema();
  readonly events: SchedulerEvent[] = [];
  readonly lines: string[] = [];
  readonly starts: Start[] = [];
  /** How long each timer was set for. */
  readonly timers: number[] = [];
  readonly proxy: FaultyProxy;
  readonly server: Server;
  readonly pool: pg.Pool;
  readonly #lifts: Array<() => Promise<unknown>> = [];
  #scheduler: Scheduler | undefined;
  readonly #conditions: Conditions;
  readonly #released = Promise.withResolvers<void>();
  #locking: pg.PoolClient | undefined;

  /** After the test trouble is lifted, and everything is stopped. */
  static async on(test: Afterwards, server: Server): Promise<TroubleScene> {
    let scene: TroubleScene | undefined;
    test.after(() => scene?.end()); // before the proxy is closed
    await server.pool.query(roleSql(new URL(server.url).pathname.slice(1)));
    scene = new TroubleScene(server, await FaultyProxy.to(test, server.port));
    return scene;
  }

  private constructor(server: Server, proxy: FaultyProxy) {
    this.server = server;
    this.proxy = proxy;
    this.#conditions = proxy.conditions;
    const { pathname } = new URL(server.url);
    this.pool = new pg.Pool({
      connectionString: `postgres://jobs:jobs@127.0.0.1:${proxy.port}${pathname}`,
      max: 4,
    });
  }

  async begin({ leaseMs = 15_000, cron = '* * * * *' } = {}): Promise<Scheduler> {
    const say = (line: string): void => {
      this.lines.push(line);
      this.#conditions.happened();
    };
    const scheduler = createScheduler({
      store: postgres(this.pool, { schema: this.schema, lease: leaseMs }),
      clock: {
        ...hostClock,
        setTimer: (callback, delayMs) => {
          this.timers.push(delayMs);
          return hostClock.setTimer(callback, delayMs);
        },
      },
      logger: { debug: say, info: say, warn: say, error: say, failure() {} } satisfies Logger,
      onEvent: (event) => {
        this.events.push(event);
        this.#conditions.happened();
      },
    });
    this.#scheduler = scheduler;
    await scheduler.initialize([
      ['failing', cron, (context: RunContext) => this.#fail(context), 5],
      ['held', cron, (context: RunContext) => this.#hold(context), 5],
    ]);
    return scheduler;
  }

  /** Lifts what the test has done, whatever that comes to. */
  finally(lift: () => Promise<unknown>): void {
    this.#lifts.push(lift);
  }

  async end(): Promise<void> {
    await this.unlock().catch(() => {});
    for (const lift of this.#lifts) await lift().catch(() => {});
    this.release();
    await this.#scheduler?.stop();
    await this.pool.end();
  }

  #start({ name, runId, key, attempt }: RunContext): void {
    this.starts.push({ task: name, runId, key, attempt });
    this.#conditions.happened();
  }

  #fail(context: RunContext): void {
    this.#start(context);
    throw new Error('as always');
  }

  #hold(context: RunContext): Promise<void> {
    this.#start(context);
    return this.#released.promise;
  }

  release(): void {
    this.#released.resolve();
  }

  /** Waits for something that a start, an event, a line, or a connection may bring about. */
  find<T>(what: string, find: () => T | undefined): Promise<T> {
    return this.#conditions.find(what, find, () =>
      [...this.lines, ...this.starts.map(String)].slice(-20).join('\n'),
    );
  }

  /** Both tasks have been started; answers the start of the one that is held. */
  async isUnderWay(): Promise<Start> {
    await this.moreStarts(3);
    return this.find('a start of the task that is held', () =>
      this.starts.find(({ task }) => task === 'held'),
    );
  }

  moreStarts(count: number): Promise<true> {
    const until = this.starts.length + count;
    return this.find(`${count} more starts`, () => (this.starts.length >= until ? true : undefined));
  }

  event<T extends SchedulerEvent['type']>(type: T): Promise<SchedulerEvent & { readonly type: T }> {
    return this.find(`an event ${type}`, () =>
      this.events.find((event): event is SchedulerEvent & { readonly type: T } => event.type === type),
    );
  }

  /** What was said of trouble, in the events and in the log. */
  get troubles(): readonly string[] {
    const said = this.lines.filter((line) => /the store is in trouble|the store works again/.test(line));
    return [
      ...this.events.map(({ type }) => type).filter((type) => type.startsWith('StoreTrouble')),
      ...said.map((line) => line.slice(0, line.includes('works') ? 21 : 23)),
    ];
  }

  /** Behind the back of the store, as a superuser. */
  query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    return this.server.pool.query(text, values);
  }

  /** A statement in a transaction that stays open until `unlock`. */
  async lock(text: string): Promise<void> {
    if (this.#locking === undefined) {
      this.#locking = await this.server.pool.connect();
      await this.#locking.query('BEGIN');
    }
    await this.#locking.query(text);
  }

  /** The transaction is committed, if it did not fail. */
  async unlock(): Promise<void> {
    const client = this.#locking;
    this.#locking = undefined;
    await client?.query('COMMIT');
    client?.release();
  }

  /** Waits until a statement of the store waits for a lock. */
  async someoneWaits(): Promise<void> {
    let isOver = false;
    const waiting = `SELECT FROM pg_stat_activity WHERE usename = 'jobs' AND wait_event_type = 'Lock'`;
    const asking = async (): Promise<void> => {
      while (!isOver && (await this.query(waiting)).rowCount === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await bounded('a statement that waits', asking()).finally(() => {
      isOver = true;
    });
  }

  /** How often the history has a run, on the server at this port. */
  async ends({ runId }: Start, port = this.server.port): Promise<number> {
    let ends = 0;
    const url = this.server.url.replace(`:${this.server.port}/`, `:${port}/`);
    for await (const run of history(postgres(url, { schema: this.schema }))) if (run.runId === runId) ends++;
    return ends;
  }

  /** No start is lost, and none happens twice: the attempts of each work are counted without a gap. */
  assertCounted(): void {
    const counted = new Map<string, number[]>();
    for (const { task, key, attempt } of this.starts)
      counted.set(`${task} ${key}`, [...(counted.get(`${task} ${key}`) ?? []), attempt]);
    for (const [work, attempts] of counted)
      assert.deepEqual(
        attempts,
        attempts.map((_, index) => index + 1),
        work,
      );
  }
}
