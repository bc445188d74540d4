/** Several schedulers over one PostgreSQL (K1–K7), in one process: what each of them does, and what all do together. */
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

async function pastOf(schema: string): Promise<PastRun[]> {
  const runs: PastRun[] = [];
  for await (const run of history(postgres(server.url, { schema }))) runs.push(run);
  return runs;
}

const names = Array.from({ length: 60 }, (_, index) => `task ${index}`);

test('K1 K2 K7 each due is started once, by one of three instances', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  for (const id of ['a', 'b', 'c']) await fleet.begin(id, []);
  await Promise.all(
    ['a', 'b', 'c'].map((id) =>
      fleet.reload(
        id,
        names.map((name) => [name, '* * * * *', 60_000]),
      ),
    ),
  );
  await fleet.conditions.find('a start of each task', () =>
    names.every((name) => fleet.starts.some((start) => start.task === name)) ? true : undefined,
  );
  await fleet.stop();
  // What a minute that began meanwhile adds is the next due of the same task.
  const keys = fleet.starts.map(({ task, scheduledFor }) => `${task} ${scheduledFor}`);
  assert.equal(new Set(keys).size, keys.length, 'no due was started twice');
  const past = await pastOf(schema);
  assert.deepEqual(past.map(({ runId }) => runId).sort(), fleet.starts.map(({ runId }) => runId).sort());
  assert.ok(past.every(({ outcome }) => outcome === 'success'));
});

test('K3 what an instance runs when it leaves is started by the others at once, and its retries are theirs', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  fleet.outcome = 'failure';
  await fleet.begin('a', [['t', '* * * * *', 100]]);
  await fleet.begin('b', [['t', '* * * * *', 100]]);
  await fleet.conditions.find('a start by a', () => fleet.starts.find(({ by }) => by === 'a'));
  await fleet.stopOne('a');
  const seen = fleet.starts.length;
  const next = await fleet.conditions.find('a start by b', () =>
    fleet.starts.slice(seen).find(({ by }) => by === 'b'),
  );
  assert.equal(next.task, 't');
  await fleet.stop();
});

test('K5 a name is forgotten by the initialize that lacks it once no other instance has it, and a configuration is followed', async (t) => {
  const schema = freshSchema();
  const store = postgres(server.url, { schema });
  const fleet = new Fleet(t, server.url, schema);
  await fleet.begin('a', [
    ['t', '0 0 1 1 *', 0],
    ['u', '0 0 1 1 *', 0],
  ]);
  await fleet.begin('b', [['t', '0 0 2 1 *', 7]]);
  const stored = async (): Promise<unknown[]> =>
    (await inspect(store)).records.map(({ name, cron, retryDelayMs }) => [name, cron, retryDelayMs]).sort();
  assert.deepEqual(await stored(), [
    ['t', '0 0 2 1 *', 7],
    ['u', '0 0 1 1 *', 0],
  ]);
  await fleet.conditions.find('a follows b', () =>
    fleet.lines.find((line) =>
      /^a: another instance has configured differently, and that counts: t$/.test(line),
    ),
  );
  await fleet.stopOne('a');
  await fleet.begin('c', [['t', '0 0 2 1 *', 7]]);
  assert.deepEqual(await stored(), [['t', '0 0 2 1 *', 7]]);
  await fleet.stop();
});

test('K5 a list that comes while another one is followed is followed too', async (t) => {
  const fleet = new Fleet(t, server.url, freshSchema());
  await fleet.begin('a', [['t', '0 0 1 1 *', 0]]);
  await fleet.begin('b', [['t', '0 0 2 1 *', 0]]);
  let reads = 0;
  fleet.beforeReading = async (id) => {
    // The first time it finds out what to follow, the second time it makes its plan.
    if (id === 'a' && ++reads === 2) await fleet.reload('b', [['t', '0 0 3 1 *', 0]]);
  };
  await fleet.conditions.find('a follows the second list', () => {
    const followed = fleet.lines.filter((line) => line.startsWith('a: another instance has configured'));
    return followed.length === 2 ? true : undefined;
  });
  await fleet.stop();
});

test('I5 K3 a task that runs under the list before is not idle when the instance looks for what was left behind', async (t) => {
  const fleet = new Fleet(t, server.url, freshSchema());
  fleet.outcome = 'failure';
  await fleet.begin('a', [['t', '* * * * *', 100]]);
  await fleet.conditions.find('a start', () => fleet.starts[0]);
  fleet.outcome = 'held';
  const failed = fleet.starts.length;
  await fleet.conditions.find('its retry', () => fleet.starts[failed]);
  await fleet.reload('a', [['t', '0 0 1 1 *', 100]]);
  const { sweeps } = fleet;
  await fleet.conditions.find('a look around', () => (fleet.sweeps > sweeps ? true : undefined));
  fleet.fail();
  await fleet.conditions.find('the next retry', () => fleet.starts[failed + 1]);
  await fleet.stop();
});

test('K4 an instance that was declared dead aborts its callbacks, joins again, and the task is started again', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  fleet.outcome = 'held';
  await fleet.begin('a', [['t', '* * * * *', 60_000]]);
  const first = await fleet.conditions.find('a start', () => fleet.starts[0]);
  // As another instance does that has seen the lease run out.
  await server.pool.query(
    `UPDATE ${schema}.state SET run_cut_off_at = run_started_at; DELETE FROM ${schema}.member`,
  );
  const second = await fleet.conditions.find('another start', () => fleet.starts[1]);
  assert.equal(first.signal.reason?.name, 'StoreLostError');
  // F4: it is the same work, unless a minute began meanwhile: then the newer due is served.
  assert.equal(second.key === first.key, second.scheduledFor === first.scheduledFor);
  assert.notEqual(second.runId, first.runId);
  fleet.release();
  await fleet.conditions.find('the end of the first', () =>
    fleet.events.find((event) => event.type === 'TaskChangeRefused' && event.runId === first.runId),
  );
  await fleet.stop();
  const past = await pastOf(schema);
  assert.equal(past.find(({ runId }) => runId === second.runId)?.outcome, 'success');
  assert.equal(
    past.some(({ runId }) => runId === first.runId),
    false,
  );
});

test('K6 an instance whose clock is an hour off starts by the clock of the database, and says so', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  const before = Date.now();
  await fleet.begin('late', [['t', '* * * * *', 60_000]], -3_600_000);
  const start = await fleet.conditions.find('a start', () => fleet.starts[0]);
  const isNow = start.scheduledFor > before - 60_000 && start.scheduledFor <= Date.now();
  assert.ok(isNow, new Date(start.scheduledFor).toISOString());
  await fleet.conditions.find('a warning', () =>
    fleet.lines.find((line) => /the clock of this host is 3[56]\d{5} ms behind that of the store/.test(line)),
  );
  await fleet.stop();
});

test('I1 a request is answered by one instance, and run starts the task once', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  for (const id of ['a', 'b']) await fleet.begin(id, [['t', '0 0 1 1 *', 0]]);
  const operator = control(postgres(server.url, { schema }));
  const ran = await operator.run('t', { wait: 60_000 });
  assert.equal(ran.state, 'applied');
  assert.equal((await operator.pause('t', { wait: 60_000 })).state, 'applied');
  const unknown = await operator.run('nobody has this', { wait: 60_000 });
  assert.equal(unknown.state, 'refused');
  await fleet.stop();
  assert.equal(fleet.starts.length, 1);
  assert.equal((await pastOf(schema)).length, 1);
});

test('K1 inspect shows every instance', async (t) => {
  const schema = freshSchema();
  const fleet = new Fleet(t, server.url, schema);
  for (const id of ['a', 'b']) await fleet.begin(id, []);
  const { members, owner, aheadMs = Number.NaN } = await inspect(postgres(server.url, { schema }));
  assert.deepEqual([owner, members?.length, members?.[0].pid], ['held', 2, process.pid]);
  assert.equal(new Set(members?.map(({ instanceId }) => instanceId)).size, 2);
  for (const { leaseLeftMs } of members ?? []) assert.ok(leaseLeftMs > 0 && leaseLeftMs <= 15_000);
  // It is this machine's clock; a busy machine may take long for the round trip.
  assert.ok(Math.abs(aheadMs) < 60_000, `${aheadMs} ms`);
  await fleet.stop();
  assert.deepEqual((await inspect(postgres(server.url, { schema }))).members, []);
});
