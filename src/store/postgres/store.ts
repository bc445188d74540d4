/** `postgres`: records in a schema of a PostgreSQL database. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type HistoryQuery, type PastRun, RETENTION } from '../../core/history.ts';
import { StoreLockedError, StoreMissingError } from '../errors.ts';
import type { MaintenanceOptions, StoreMaintenance } from '../maintenance/port.ts';
import type {
  AskedRequest,
  ControlRequest,
  InspectOptions,
  OpenOptions,
  OwnedBy,
  Store,
  StoreSession,
  StoreSnapshot,
} from '../port.ts';
import { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { instancesOf } from './instances.ts';
import { lookAgain, rememberLook } from './look.ts';
import { HeldDatabase } from './maintenance.ts';
import { join, membersOf } from './members.ts';
import { migrate, VERSION, versionOf } from './migrate.ts';
import { type PostgresOptions, type PostgresTarget, settled } from './options.ts';
import { KEEP_ALL, readPast } from './past.ts';
import { openRequests, readAnswer, writeRequest } from './requests.ts';
import type { Scope } from './run-statements.ts';
import { PostgresSession } from './session.ts';
import { quotedSchema, targetOf, unquotedSchema } from './target.ts';

const POLL_MS = 100;

/**
 * A store in a PostgreSQL database, given by a connection string or by a pool of `pg`, which stays open. It needs the package `pg`, and
 * works through PgBouncer in transaction mode.
 */
export function postgres(target: PostgresTarget, options: PostgresOptions = {}): Store {
  return new PostgresStore(target, options);
}

class PostgresStore implements Store {
  readonly location: string;
  readonly #database: Database;
  readonly #schema: string;
  readonly #mayMigrate: boolean;
  readonly #leaseMs: number;

  constructor(target: unknown, options: PostgresOptions) {
    const { schema, mayMigrate, leaseMs } = settled(options);
    this.#leaseMs = leaseMs;
    this.#schema = quotedSchema(schema);
    this.#mayMigrate = mayMigrate;
    this.#database = new Database(targetOf(target, schema));
    this.location = this.#database.location;
  }

  async open(options: OpenOptions): Promise<StoreSession> {
    const { history = RETENTION, onTrouble, onRequests, sharing } = options;
    const database = this.#database;
    const release = database.use();
    try {
      await migrate(database, this.#schema, this.#mayMigrate);
      const scope = await this.#scope(sharing?.instanceId, history !== false);
      await this.#join(scope, options.waitMs);
      const listeners = { onTrouble, onRequests };
      const session = new PostgresSession({
        database,
        scope,
        history,
        listeners,
        sharing,
        release,
        leaseMs: this.#leaseMs,
      });
      await session.begin();
      return session;
    } catch (error) {
      await release();
      throw error;
    }
  }

  async #scope(sharedAs: string | undefined, keepsHistory: boolean): Promise<Scope> {
    const schema = this.#schema;
    const instanceId = sharedAs ?? randomBytes(9).toString('base64url');
    const dictionaries = this.#dictionaries();
    await dictionaries.labels.find(this.#database.ask, [instanceId], 'make');
    return {
      schema,
      ...dictionaries,
      me: dictionaries.labels.id(instanceId),
      isAlone: sharedAs === undefined,
      keepsHistory,
    };
  }

  #dictionaries(): Pick<Scope, 'names' | 'labels'> {
    return { names: new Dictionary(this.#schema, 'name'), labels: new Dictionary(this.#schema, 'label') };
  }

  /** Joins as soon as nobody is in the way. */
  async #join(scope: Scope, waitMs: number): Promise<void> {
    const until = performance.now() + waitMs;
    for (;;) {
      const ownedBy = await join(this.#database, scope, {
        leaseMs: this.#leaseMs,
        host: hostname(),
        pid: process.pid,
      });
      if (ownedBy === undefined) return;
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new StoreLockedError({ path: this.location, waitedMs: waitMs, ownedBy });
      await delay(Math.min(POLL_MS, leftMs));
    }
  }

  inspect({ since }: InspectOptions = {}): Promise<StoreSnapshot> {
    return this.#reading(async (version) => {
      const { members, aheadMs } = await instancesOf(this.#database.ask, this.#schema, Date.now);
      const look = await lookAgain(this.#database, this.#schema, since);
      const [first] = members;
      const snapshot: StoreSnapshot = {
        location: this.location,
        version,
        newestVersion: VERSION,
        owner: first === undefined ? 'free' : 'held',
        ...(first === undefined ? {} : { ownedBy: ownerOf(first) }),
        members,
        aheadMs,
        ...(look.timeZone !== null && { timeZone: look.timeZone }),
        requests: await openRequests(this.#database.ask, this.#schema),
        records: look.records,
        ...(typeof since === 'object' && { sharesRecords: true }),
      };
      if (since !== undefined) rememberLook(snapshot, look);
      return snapshot;
    });
  }

  /** Uses the database without joining. */
  #reading<T>(read: (version: number) => Promise<T>): Promise<T> {
    return this.#database.using(async () => {
      const version = await versionOf(this.#database.ask, this.#schema);
      if (version === 0)
        throw new StoreMissingError({ path: this.location, schema: unquotedSchema(this.#schema) });
      return read(version);
    });
  }

  ask(request: ControlRequest): Promise<AskedRequest> {
    return this.#reading(async () => {
      const { ask } = this.#database;
      await writeRequest(ask, this.#schema, request);
      const isHeld = (await membersOf(ask, this.#schema)).some(({ isLapsed }) => !isLapsed);
      // The pool stays until `close`, so that each look is one statement on a connection that is there.
      const letGo = this.#database.use();
      let closing: Promise<void> | undefined;
      return {
        owner: isHeld ? 'held' : 'free',
        answer: () => readAnswer(ask, this.#schema, request.id),
        close() {
          closing ??= letGo();
          return closing;
        },
      };
    });
  }

  /** Takes the store over, to repair it or to forget tasks. */
  async maintain({ now = Date.now }: MaintenanceOptions = {}): Promise<StoreMaintenance> {
    // Asked first: opening would make a schema that is not there.
    await this.#reading(async () => {});
    const session = await this.open({ waitMs: 0, history: KEEP_ALL });
    const parts = { database: this.#database, schema: this.#schema, session, heldAt: now() };
    return HeldDatabase.of(parts).catch(async (error) => {
      await session.close();
      throw error;
    });
  }

  async *history(query: HistoryQuery): AsyncGenerator<PastRun> {
    const done = this.#database.use();
    try {
      const version = await versionOf(this.#database.ask, this.#schema);
      if (version > 0) yield* readPast(this.#database.ask, this.#schema, this.#dictionaries(), query);
    } finally {
      await done();
    }
  }
}

const ownerOf = ({ pid, host, since }: OwnedBy): OwnedBy => ({ pid, host, since });
