/** Requests of operators (I1): how one is answered, and instances that look for them at the same moment. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { ControlRequest } from '../../../src/core/control.ts';
import { withSession } from '../../../src/store/conformance-kit.ts';
import { control } from '../../../src/store/control.ts';
import { inspect } from '../../../src/store/inspect.ts';
import { Database } from '../../../src/store/postgres/database.ts';
import { Dictionary } from '../../../src/store/postgres/dictionary.ts';
import { join } from '../../../src/store/postgres/members.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { takeRequests, writeRequest } from '../../../src/store/postgres/requests.ts';
import type { Scope } from '../../../src/store/postgres/run-statements.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { targetOf } from '../../../src/store/postgres/target.ts';
import { bounded } from '../../patience.ts';
import { freshSchema, type Server, startServer } from './server.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const REQUEST: ControlRequest = { id: 'r', kind: 'run', task: 't', askedAt: 1, catchUp: false };

/** Two instances have joined, and one request waits. */
async function twoMembers(database: Database, schema: string): Promise<{ a: Scope; b: Scope }> {
  const quoted = `"${schema}"`;
  await migrate(database, quoted, true);
  const member = async (id: string): Promise<Scope> => {
    const [names, labels] = [new Dictionary(quoted, 'name'), new Dictionary(quoted, 'label')];
    await labels.find(database.ask, [id], 'make');
    const scope = { schema: quoted, names, labels, me: labels.id(id), isAlone: false, keepsHistory: true };
    await join(database, scope, { leaseMs: 3_600_000, host: 'host', pid: 1 });
    return scope;
  };
  const members = { a: await member('a'), b: await member('b') };
  await writeRequest(database.ask, quoted, REQUEST);
  return members;
}

/** Until a statement waits for a row that another transaction has. */
async function somebodyWaits(schema: string): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`;
  for (let count = 0; count === 0; )
    count = (await server.pool.query(waiting, [`%${schema}%request%`])).rowCount ?? 0;
}

for (const [ending, then] of [
  ['keeps it', []],
  ['is undone', [REQUEST]],
] as const)
  test(`I1 K1 of two instances that take a request at the same moment the second waits for the first, which ${ending}`, async () => {
    const schema = freshSchema();
    const database = new Database(targetOf(server.url, schema));
    await database.using(async () => {
      const { a, b } = await twoMembers(database, schema);
      const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
      const { promise: taken, resolve: take } = Promise.withResolvers<readonly ControlRequest[]>();
      const first = database
        .transaction(async (ask) => {
          await ask('SET LOCAL idle_in_transaction_session_timeout = 0'); // the machine may be busy
          take(await takeRequests(ask, a));
          await decided;
          if (ending === 'is undone') throw new Error('undone');
        })
        .catch((error: Error) => assert.equal(error.message, 'undone'));
      assert.deepEqual(await taken, [REQUEST]);
      const second = takeRequests(database.ask, b);
      await bounded('the second to wait for the first', somebodyWaits(schema));
      decide();
      await first;
      assert.deepEqual(await second, then);
      assert.deepEqual(
        await takeRequests(database.ask, ending === 'is undone' ? b : a),
        [REQUEST],
        'until it is answered',
      );
    });
  });

test('I1 a request waits in the database, reaches the owner within a heartbeat, and is answered', async () => {
  const schema = freshSchema();
  const store = postgres(server.url, { schema });
  await withSession(store, async () => {});
  const none = await control(store).pause('b', { wait: 0 });
  assert.deepEqual([none.state, none.text], ['waiting', 'no scheduler runs: the next one does it']);
  const made: ControlRequest = { id: randomUUID(), kind: 'pause', task: 'a\0', askedAt: 5, catchUp: false };
  const asked = await store.ask?.(made);
  assert.equal(asked?.owner, 'free');
  assert.deepEqual((await inspect(store)).requests?.[1], made);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const session = await store.open({ waitMs: 0, onRequests: (requests) => resolve(requests[1]) });
  assert.deepEqual(await promise, made);
  assert.equal(await asked?.answer(), undefined);
  const answer = { id: made.id, at: 5, state: 'applied', text: 'paused' } as const;
  await session.commit({ answers: [answer] });
  await session.commit({ answers: [{ ...answer, text: 'again' }] });
  assert.deepEqual(await asked?.answer(), answer);
  assert.equal((await inspect(store)).requests?.length, 1);
  await asked?.close();
  await asked?.close();
  await session.close();
});
