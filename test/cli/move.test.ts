/** `obbligato move`: a store with its history into a database, all of it or nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { failureOf, fullRecord, newRecord, startOf, withSession } from '../../src/store/conformance-kit.ts';
import { history } from '../../src/store/history.ts';
import { inspect } from '../../src/store/inspect.ts';
import type { PastRun, Store } from '../../src/store/port.ts';
import { moveStore } from '../../src/store/postgres/move.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { sqlite } from '../../src/store/sqlite.ts';
import { temporaryFolder } from '../store/kit.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { begin, obbligato, writeConfig } from './commands-kit.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

async function pastOf(store: Store): Promise<PastRun[]> {
  const runs: PastRun[] = [];
  for await (const run of history(store)) runs.push(run);
  return runs;
}

const recordsOf = async (store: Store): Promise<unknown[]> =>
  [...(await inspect(store)).records].sort((a, b) => (a.name < b.name ? -1 : 1));

/** A file with tasks of all kinds, a history of which a part is of a forgotten task, and a run whose process is dead. */
async function oldStore(t: TestContext): Promise<{ folder: string; file: string; store: Store }> {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'obbligato.db');
  const store = sqlite(file);
  const names = ['a', 'gone', 'v\0 ünï', '🎻'];
  await withSession(store, async (session) => {
    await session.commit({ puts: [...names, 'unfinished'].map((name) => newRecord(name)) });
    for (let round = 1; round <= 5; round++) {
      await session.commit({ starts: names.map((name) => startOf(name, round)) });
      await session.commit({ ends: names.map((name) => failureOf(name, round)) });
    }
    await session.commit({ removes: ['gone'], puts: [fullRecord('full')], starts: [startOf('unfinished')] });
  });
  return { folder, file, store };
}

test('moves every task and every run, and cuts off what a dead process left', async (t) => {
  const { folder, file, store } = await oldStore(t);
  const [records, past] = [await recordsOf(store), await pastOf(store)];
  assert.ok(past.length >= 4, 'there is a history');
  const schema = freshSchema();
  const target = `${server.url}#${schema}`;
  const { code, out, err } = await obbligato(t, ['move', file, target, '--json'], { cwd: folder });
  assert.equal(code, 0, err);
  assert.ok(!`${out}${err}`.includes('secret-word'), 'G5 no password');
  const { tasks, runs, cutOff, verified } = JSON.parse(out);
  const moved = postgres(server.url, { schema });
  const [copied, copiedPast] = [await recordsOf(moved), await pastOf(moved)];
  assert.deepEqual([tasks, runs, cutOff, verified], [5, past.length + cutOff, cutOff, true]);
  assert.deepEqual(copiedPast.slice(cutOff), past);
  assert.ok(copiedPast.slice(0, cutOff).every(({ outcome }) => outcome === 'cut off'));
  const withoutRuns = (all: unknown[]): unknown[] => all.map((record) => ({ ...Object(record), run: 0 }));
  assert.deepEqual(withoutRuns(copied), withoutRuns(records));
  assert.ok(
    copied.every((record) => Object(record).run?.cutOffAt !== null),
    'E6 nothing seems to run',
  );
  assert.deepEqual([await recordsOf(store), await pastOf(store)], [records, past], 'the source is as it was');
  // A scheduler goes on there: what was cut off is started again, and its run comes after those that were moved.
  writeConfig(folder, `timeZone: 'UTC', tasks: [['unfinished', '0 0 1 1 *', () => {}, 1000]]`);
  const run = begin(t, ['run', '--store', target, '--json', '--allow-removal'], { cwd: folder });
  await run.says(/"TaskRunCompleted"/);
  run.child.kill('SIGTERM');
  assert.equal((await run.ended).code, 0);
  const [newest] = await pastOf(moved);
  assert.deepEqual([newest.task, newest.reason, newest.outcome], ['unfinished', 'orphaned', 'success']);
});

test('refuses what is in use, not empty, not there, or no database, and changes nothing', async (t) => {
  const { folder, file, store } = await oldStore(t);
  const where = { cwd: folder };
  const schema = freshSchema();
  const target = `${server.url}#${schema}`;
  const refusal = async (code: number, ...words: readonly string[]): Promise<string> => {
    const answer = await obbligato(t, ['move', ...words], where);
    assert.equal(answer.code, code, answer.err);
    assert.equal(answer.out, '');
    assert.ok(!answer.err.includes('secret-word'), 'G5 no password');
    return answer.err;
  };
  const isThere = async (): Promise<boolean> =>
    (await server.pool.query('SELECT to_regnamespace($1) IS NOT NULL AS found', [schema])).rows[0].found;
  assert.match(await refusal(2, file, 'other.db'), /must be a database/);
  assert.match(await refusal(1, 'missing.db', target), /missing\.db/);
  await withSession(store, async () => {
    assert.match(await refusal(1, file, target), /is in use by a scheduler \(pid \d+\): stop it first/);
  });
  assert.equal(await isThere(), false);
  await withSession(postgres(server.url, { schema }), async () => {
    assert.match(await refusal(1, file, target), /is not empty: .* 1 instances/);
  });
  assert.equal((await obbligato(t, ['move', file, target], where)).code, 0);
  assert.match(await refusal(1, file, target), /is not empty: it has 5 tasks/);
});

test('that is interrupted leaves the target as it was', async (t) => {
  const { store } = await oldStore(t);
  const schema = freshSchema();
  const leaving = new AbortController();
  const moving = moveStore(store, server.url, {
    schema,
    signal: leaving.signal,
    // In the middle of the comparison: everything is written.
    onProgress: (done, total) => done === total - 1 && leaving.abort(new Error('Ctrl-C')),
  });
  await assert.rejects(moving, /Ctrl-C/);
  const { rows } = await server.pool.query('SELECT to_regnamespace($1) AS found', [schema]);
  assert.deepEqual(rows, [{ found: null }]);
  await withSession(store, async () => {}); // and the source is free
});
