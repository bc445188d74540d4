/** A rolling deploy over one PostgreSQL (A13, K3): what an instance has interrupted is started by another one at once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { control } from '../../src/store/control.ts';
import { history } from '../../src/store/history.ts';
import { inspect } from '../../src/store/inspect.ts';
import type { PastRun } from '../../src/store/port.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { Fleet } from './fleet.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('A13 K3 a run that one instance interrupts goes on at another, under the same key, with its attempt and without its retry delay', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  const store = postgres(server.url, { schema });
  const list = [['t', '0 0 29 2 *', 3_600_000]] as const;
  for (const id of ['a', 'b']) await fleet.begin(id, list);
  fleet.outcome = 'held';
  await control(store).run('t');
  const first = await fleet.conditions.find('a start', () => fleet.starts[0]);
  const stopped = fleet.stopOne(first.by);
  assert.ok(first.signal.aborted);
  fleet.fail();
  await stopped;
  const next = await fleet.conditions.find('a start by the other', () => fleet.starts[1]);
  assert.notEqual(next.by, first.by);
  assert.equal(next.key, first.key);
  await fleet.conditions.find('its end', () => fleet.events.find(({ type }) => type === 'TaskRunCompleted'));
  await fleet.stop();
  const past: PastRun[] = [];
  for await (const run of history(store)) past.push(run);
  assert.deepEqual(
    past.map(({ outcome, attempt, reason }) => `${outcome} ${attempt} ${reason}`),
    ['success 1 orphaned', 'interrupted 1 manual'],
  );
  const [{ failures, lastError, run }] = (await inspect(store)).records;
  assert.deepEqual([failures, lastError, run], [0, null, null]);
  const types = fleet.events.map(({ type }) => type);
  assert.ok(types.includes('TaskRunInterrupted') && !types.includes('TaskRunFailed'), types.join());
});
