/**
 * The limit: the two statements that any scheduler of this kind needs, and nothing else. A task is one narrow row. A claim moves the cursors
 * of up to 5,000 of them past the due instant, if no run of the task is current; an end says when it succeeded. Each is one round trip. There is
 * no cron, no history, no lease, no retry, no version, no event. An instance has its own share of the tasks, by their numbers.
 */
import pg from 'pg';
import { sleep, wallClock } from '../../measuring.ts';
import type { Register } from '../driver.ts';

const CHUNK = 5000;

const TABLE = `CREATE TABLE IF NOT EXISTS state (
  id integer PRIMARY KEY,
  served_through bigint NOT NULL DEFAULT 0,
  last_attempt_at bigint NOT NULL DEFAULT 0,
  last_success_at bigint NOT NULL DEFAULT 0,
  run bigint NOT NULL DEFAULT 0,
  run_instance integer NOT NULL DEFAULT 0
) WITH (fillfactor = 40)`;
const CLAIM = `WITH granted AS (
  UPDATE state SET served_through = $2, last_attempt_at = $2, run = $3, run_instance = $4
  WHERE id = ANY($1::integer[]) AND run = 0 AND served_through < $2 RETURNING id)
SELECT string_agg(id::text, ',') AS ids FROM granted`;
const END = `UPDATE state SET last_success_at = ($2::jsonb->>id::text)::bigint, run = 0, run_instance = 0
  WHERE id = ANY($1::integer[]) AND run = $3`;

export const register: Register = async ({ url, tasks, instance, instances, dueAt }, call) => {
  const [claims, ends] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([claims.connect(), ends.connect()]);
  if (instance === 0) {
    await claims.query(TABLE);
    await claims.query('INSERT INTO state (id) SELECT generate_series(0, $1::integer - 1)', [tasks]);
  }
  const own = Array.from({ length: tasks }, (_, id) => id).filter((id) => id % instances === instance);
  const serve = async (): Promise<void> => {
    await sleep(dueAt - wallClock());
    const ending: Promise<unknown>[] = [];
    for (let first = 0; first < own.length; first += CHUNK) {
      const run = first + instance + 1;
      const { rows } = await claims.query(CLAIM, [own.slice(first, first + CHUNK), dueAt, run, instance + 1]);
      const granted: number[] = String(rows[0].ids ?? '')
        .split(',')
        .filter(Boolean)
        .map(Number);
      for (const _ of granted) call();
      const at = Math.round(wallClock());
      const instants = JSON.stringify(Object.fromEntries(granted.map((id) => [id, at])));
      await ending.at(-1); // a connection has one statement at a time
      ending.push(ends.query(END, [granted, instants, run]));
    }
    await Promise.all(ending);
  };
  const served = serve();
  return async () => {
    await served;
    await Promise.all([claims.end(), ends.end()]);
  };
};
