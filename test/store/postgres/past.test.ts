/** J1, J2: a history on PostgreSQL that is longer than a page, and what is let go of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PastRun } from '../../../src/core/history.ts';
import { newRecord, startOf, successOf } from '../../../src/store/conformance-kit.ts';
import { prunePast } from '../../../src/store/postgres/past.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { freshSchema, type Server, startServer } from './server.ts';

const COUNT = 520;
let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('J1 J2 a history of several pages has each run once, the newest first; the oldest are let go by count and by age', async () => {
  const names = Array.from({ length: COUNT }, (_, i) => `t${String(i).padStart(4, '0')}`);
  const schema = freshSchema();
  const store = postgres(server.url, { schema });
  const session = await store.open({ waitMs: 0 });
  await session.commit({ puts: names.map((name) => newRecord(name)) });
  await session.commit({ starts: names.map((name) => startOf(name)) });
  await session.commit({ ends: names.map((name) => successOf(name, 1)) });
  await session.close();
  const found = async (): Promise<PastRun[]> => {
    const runs: PastRun[] = [];
    for await (const run of store.history?.({}) ?? []) runs.push(run);
    return runs;
  };
  const all = await found();
  assert.deepEqual(all.map(({ task }) => task).sort(), names);
  const ask = async (text: string, values: readonly unknown[] = []): Promise<string[][]> =>
    (await server.pool.query({ text, values: [...values], rowMode: 'array' })).rows;
  assert.equal(await prunePast(ask, schema, { keepDays: 30, keepRuns: 500 }), false);
  assert.deepEqual(await found(), all.slice(0, 500));
  await ask(
    `UPDATE ${schema}.run SET ended_at = ended_at - 86400000 * 31::bigint WHERE seq = (SELECT min(seq) FROM ${schema}.run)`,
  );
  await prunePast(ask, schema, { keepDays: 30, keepRuns: 500 });
  assert.deepEqual(await found(), all.slice(0, 499));
});
