/**
 * The ways that are counted: one task, on a clock that stands still unless the scene moves it. No heartbeat and no timer of the host has a
 * part in them, so that the same functions are called each time.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, control, createScheduler, type Scheduler, type Store, sqlite } from '../../src/index.ts';
import { postgres } from '../../src/postgres.ts';
import { COMMIT_CHANNEL } from '../../src/scheduler/channels.ts';
import { freshSchema, poolOn, startServer } from '../../test/store/postgres/server.ts';
import { type Called, calledBy } from './coverage.ts';

/** A quarter of a minute before the task is due. */
const START = Date.UTC(2027, 0, 1, 11, 59, 45);
const DUE = Date.UTC(2027, 0, 1, 12);
const TASK = 'one';
const RETRY_MS = 300_000;
/** So long that no heartbeat comes while a scene is played. */
const LEASE_MS = 86_400_000;

export interface Way {
  readonly name: string;
  readonly called: Called;
}

/** A clock that shows an instant until it is moved; then the timers ring that are due. */
class StandingClock implements Clock {
  #now = START;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - START;
  }

  setTimer(ring: () => void, delayMs: number): { cancel(): void } {
    const alarm = { at: this.#now + delayMs, ring };
    this.#alarms.add(alarm);
    return { cancel: () => void this.#alarms.delete(alarm) };
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  moveTo(instant: number): void {
    this.#now = instant;
    for (const alarm of [...this.#alarms])
      if (alarm.at <= instant && this.#alarms.delete(alarm)) setImmediate(alarm.ring);
  }
}

/** Waits until the end of a run is durable, and for the turns of the event loop that follow. */
async function playedToTheEnd(begin: () => unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const heard = (message: unknown): void => {
    if (Number(Reflect.get(Object(message), 'ends')) > 0) resolve();
  };
  subscribe(COMMIT_CHANNEL, heard);
  await begin();
  await promise;
  unsubscribe(COMMIT_CHANNEL, heard);
  await atRest();
}

/** More turns than the scheduler takes in a row. */
async function atRest(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Stage {
  readonly scheduler: Scheduler;
  readonly clock: StandingClock;
}

function stageOn(store: Store): Stage {
  const clock = new StandingClock();
  return { clock, scheduler: createScheduler({ store, clock, timeZone: 'UTC', logger: false }) };
}

const initialized = ({ scheduler }: Stage): Promise<unknown> =>
  scheduler.initialize([[TASK, '0 * * * *', () => {}, RETRY_MS]]);

/** On a file: `initialize`, a due minute, and a request of an operator with the answer that the asker gets. */
export async function waysOnFile(): Promise<Way[]> {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-way-'));
  const path = join(folder, 'way.db');
  const stage = stageOn(sqlite(path));
  try {
    const initialize = await calledBy(() => initialized(stage));
    await atRest();
    const due = await calledBy(() => playedToTheEnd(() => stage.clock.moveTo(DUE)));
    const request = await calledBy(() => playedToTheEnd(() => control(path).run(TASK)));
    return [
      { name: 'initialize', called: initialize },
      { name: 'due minute', called: due },
      { name: 'request', called: request },
    ];
  } finally {
    await stage.scheduler.stop();
    rmSync(folder, { recursive: true });
  }
}

/** On PostgreSQL, whose clock stands still as well: where statements ask for it, they find a function of the scene first. */
export async function waysOnPostgres(): Promise<Way[]> {
  const server = await startServer();
  const schema = freshSchema();
  const time = `${schema}_time`;
  const pool = poolOn(server.url, { options: `-c search_path=${time},pg_catalog` });
  const setTime = (at: number): Promise<unknown> =>
    server.pool.query(`UPDATE ${time}.now SET at = to_timestamp($1::float8 / 1000)`, [at]);
  try {
    await server.pool.query(
      `CREATE SCHEMA ${time}; CREATE TABLE ${time}.now AS SELECT now() AS at;
       CREATE FUNCTION ${time}.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM ${time}.now'`,
    );
    await setTime(START);
    const stage = stageOn(postgres(pool, { schema, lease: LEASE_MS }));
    const initialize = await calledBy(() => initialized(stage));
    await atRest();
    await setTime(DUE);
    const due = await calledBy(() => playedToTheEnd(() => stage.clock.moveTo(DUE)));
    await stage.scheduler.stop();
    return [
      { name: 'initialize on PostgreSQL', called: initialize },
      { name: 'due minute on PostgreSQL', called: due },
    ];
  } finally {
    await pool.end();
    await server.stop();
  }
}
