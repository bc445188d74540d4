/** Lists (K5): which instance has which names. Instances with the same names share one list. */
import { createHash } from 'node:crypto';
import { type Ask, arrayOf } from './driver.ts';
import type { Scope } from './run-statements.ts';

/** Makes these names the list of this instance, and forgets lists that nobody has. `meta` is held. */
export async function enlist(
  ask: Ask,
  { schema, me, names: dictionary }: Scope,
  names: readonly string[],
): Promise<void> {
  const ids = [...new Set(names.map((name) => dictionary.id(name)))].sort((a, b) => a - b);
  const digest = `\\x${createHash('sha256').update(ids.join()).digest('hex')}`;
  const known = await ask(`SELECT id FROM ${schema}.list WHERE digest = $1::bytea`, [digest]);
  let list = known[0]?.[0] ?? null;
  if (list === null) {
    const [[made]] = await ask(`INSERT INTO ${schema}.list (digest) VALUES ($1::bytea) RETURNING id`, [
      digest,
    ]);
    list = made;
    await ask(
      `INSERT INTO ${schema}.list_task (list, task) SELECT $1::int, id FROM unnest($2::int[]) AS id`,
      [list, arrayOf(ids)],
    );
  }
  await ask(`UPDATE ${schema}.member SET list = $2::int WHERE id = $1::int`, [me, list]);
  await ask(
    `WITH gone AS (DELETE FROM ${schema}.list WHERE id <> $1::int AND id NOT IN (SELECT list FROM ${schema}.member) RETURNING id)
     DELETE FROM ${schema}.list_task WHERE list IN (SELECT id FROM gone)`,
    [list],
  );
}

/** Whether the list of this instance has one of these names. */
export async function hasAny(
  ask: Ask,
  { schema, me, names: dictionary }: Scope,
  names: readonly string[],
): Promise<boolean> {
  const ids = arrayOf(names.map((name) => dictionary.id(name)));
  const had = await ask(
    `SELECT FROM ${schema}.list_task t JOIN ${schema}.member m ON m.list = t.list
     WHERE m.id = $1::int AND t.task = ANY ($2::int[]) LIMIT 1`,
    [me, ids],
  );
  return had.length > 0;
}
