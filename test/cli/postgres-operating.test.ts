/** Operating a schedule on PostgreSQL from the command line: every command sees the whole cluster, and a deploy rolls over it. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { inspect } from '../../src/store/inspect.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { temporaryFolder } from '../store/kit.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { begin, obbligato, writeConfig } from './commands-kit.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** A folder whose configuration knows a database. */
async function place(t: TestContext, schema: string, tasks: string): Promise<{ cwd: string }> {
  const cwd = await temporaryFolder(t);
  writeConfig(cwd, `store: '${server.url}#${schema}', timeZone: 'UTC', tasks: [${tasks}]`);
  return { cwd };
}

/** A command with its exit code. */
async function says(
  t: TestContext,
  where: { cwd: string },
  code: number,
  ...words: string[]
): Promise<string> {
  const answer = await obbligato(t, words, where);
  assert.equal(answer.code, code, `${words.join(' ')}: ${answer.out}${answer.err}`);
  assert.ok(!`${answer.out}${answer.err}`.includes('secret-word'), 'G5 no password');
  return `${answer.out}${answer.err}`;
}

const stop = async (running: ReturnType<typeof begin>): Promise<void> => {
  running.child.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
};

test('K1 I1 doctor, health, trigger, pause, resume and cancel, while two processes run', async (t) => {
  const schema = freshSchema();
  const where = await place(
    t,
    schema,
    `['quick', '0 0 1 1 *', () => {}, 1000], ['held', '0 0 1 1 *', ({ signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason))), 3600000]`,
  );
  assert.match(await says(t, where, 0, 'doctor'), /has no schema yet/);
  const running = [begin(t, ['run', '--json'], where), begin(t, ['run', '--json'], where)];
  for (const each of running) await each.says(/"SchedulerInitializationCompleted"/);
  const { checks } = JSON.parse(await says(t, where, 0, 'doctor', '--json'));
  const instances = checks.find(({ what }: { what: string }) => what === 'instances');
  assert.match(instances.found, /^2: pid \d+ on .*, pid \d+ on /);
  assert.match(await says(t, where, 0, 'health'), /./);
  await says(t, where, 0, 'trigger', 'quick');
  await says(t, where, 0, 'trigger', 'held');
  await says(t, where, 0, 'cancel', 'held', '--yes');
  await says(t, where, 0, 'pause', 'quick');
  await says(t, where, 0, 'resume', 'quick');
  await says(t, where, 1, 'pause', 'nobody has this');
  assert.match(
    await says(t, where, 1, 'forget', 'quick', '--yes'),
    /is in use by a scheduler \(pid \d+\): stop it first/,
  );
  assert.match(
    await says(t, where, 1, 'repair', '--yes'),
    /is in use by a scheduler \(pid \d+\): stop it first/,
  );
  for (const each of running) await stop(each);
  assert.match(await says(t, where, 1, 'health'), /no scheduler runs/);
});

test('E7 repair and forget on a database, with a copy first', async (t) => {
  const schema = freshSchema();
  const where = await place(
    t,
    schema,
    `['a', '* * * * *', () => {}, 1000], ['b', '0 0 1 1 *', () => {}, 1000]`,
  );
  const running = begin(t, ['run', '--json'], where);
  await running.says(/"TaskRunCompleted"/);
  await stop(running);
  await server.pool.query(`UPDATE ${schema}.state SET served_through = 9007199254740993`);
  assert.match(await says(t, where, 1, 'doctor'), /2 damaged records/);
  assert.match(await says(t, where, 1, 'repair', '--dry-run'), /2 problems/);
  assert.match(await says(t, where, 0, 'repair', '--yes'), /Repaired\. .* tables backup_\d+t\d+z_/);
  assert.match(await says(t, where, 0, 'doctor'), /All is as a scheduler needs it/);
  assert.match(await says(t, where, 0, 'forget', 'a', '--yes'), /Forgot "a"\. .* tables backup_/);
  assert.match(await says(t, where, 1, 'forget', 'a', '--yes'), /knows no task "a"; it knows "b"/);
  const { rows } = await server.pool.query(
    `SELECT (SELECT count(*) FROM ${schema}.state)::int AS tasks, (SELECT count(*) FROM ${schema}.run)::int AS runs`,
  );
  assert.deepEqual(rows, [{ tasks: 1, runs: 0 }]);
});

test('E7 two copies within one second have different names', async (t) => {
  const schema = freshSchema();
  const where = await place(
    t,
    schema,
    `['a', '0 0 1 1 *', () => {}, 1000], ['b', '0 0 1 1 *', () => {}, 1000]`,
  );
  const running = begin(t, ['run', '--json'], where);
  await running.says(/"SchedulerInitializationCompleted"/);
  await stop(running);
  const held = await postgres(server.url, { schema }).maintain?.();
  assert.ok(held);
  t.after(() => held.close());
  // Both copies carry the instant at which the store was taken.
  const [first, second] = [await held.forget('a'), await held.forget('b')];
  assert.equal(second?.replace('z_2_', 'z_'), first);
});

test('K5 a rolling deploy: changed, added and removed tasks, process by process', async (t) => {
  const schema = freshSchema();
  const store = postgres(server.url, { schema });
  const stored = async (): Promise<string[]> =>
    (await inspect(store)).records.map(({ name, cron }) => `${name} ${cron}`).sort();
  const entry = (name: string, day: number): string => `['${name}', '0 0 ${day} 1 *', () => {}, 1000]`;
  const before = await place(
    t,
    schema,
    `${entry('kept', 1)}, ${entry('changed', 1)}, ${entry('removed', 1)}`,
  );
  const after = await place(t, schema, `${entry('kept', 1)}, ${entry('changed', 2)}, ${entry('added', 1)}`);
  const old = [begin(t, ['run', '--json'], before), begin(t, ['run', '--json'], before)];
  for (const each of old) await each.says(/"SchedulerInitializationCompleted"/);
  const first = begin(t, ['run', '--json'], after);
  await first.says(/"SchedulerInitializationCompleted"/);
  assert.deepEqual(await stored(), [
    'added 0 0 1 1 *',
    'changed 0 0 2 1 *',
    'kept 0 0 1 1 *',
    'removed 0 0 1 1 *',
  ]);
  await stop(old[0]);
  // The task that the new list lacks still runs where it is known.
  await says(t, before, 0, 'trigger', 'removed');
  await old[1].says(/"TaskRunCompleted"/);
  await stop(old[1]);
  const second = begin(t, ['run', '--json'], after);
  await second.says(/"SchedulerInitializationCompleted"/);
  assert.deepEqual(await stored(), ['added 0 0 1 1 *', 'changed 0 0 2 1 *', 'kept 0 0 1 1 *']);
  for (const each of [first, second]) await stop(each);
});
