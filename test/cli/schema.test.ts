/** `obbligato schema`: the SQL that it prints makes what the scheduler would have made, whole and in steps. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { withSession } from '../../src/store/conformance-kit.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { obbligato } from './commands-kit.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const printed = async (t: Parameters<typeof obbligato>[0], words: readonly string[]): Promise<string> => {
  const { code, out, err } = await obbligato(t, ['schema', ...words], { cwd: tmpdir() });
  assert.equal(code, 0, err);
  return out;
};

test('a store that may not migrate opens on what the printed SQL has made', async (t) => {
  const schema = freshSchema();
  const store = postgres(server.url, { schema, migrate: false });
  await assert.rejects(store.open({ waitMs: 0 }), { name: 'PostgresNotMigratedError' });
  await server.pool.query(await printed(t, [schema]));
  await withSession(store, async (session) => assert.deepEqual(await session.read(), []));
});

test('an older schema is brought to the version of the package by what comes after it', async (t) => {
  const schema = freshSchema();
  const { sql } = JSON.parse(await printed(t, [schema, '--json']));
  const later = await printed(t, [schema, '--from', '1']);
  // Version 1 is all of it without what came later.
  const steps = later.split('\n').slice(2, -3).join('\n');
  assert.ok(sql.includes(steps), later);
  await server.pool.query(sql.replace(steps, '').replace(/SET version = \d+/, 'SET version = 1'));
  await server.pool.query(later);
  await withSession(postgres(server.url, { schema, migrate: false }), (session) => session.read());
});

test('a version or a name that cannot be is refused with what to write', async (t) => {
  for (const [words, expected] of [
    [['--from', '99'], /--from must be a version of the schema, from 0 \(there is none\) to \d/],
    [['--from', 'x'], /--from must be a version of the schema/],
    [['x'.repeat(80)], /schema must be the name of a schema, of at most 63 bytes/],
  ] as const) {
    const { code, out, err } = await obbligato(t, ['schema', ...words], { cwd: tmpdir() });
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, expected);
  }
});
