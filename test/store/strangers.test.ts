/**
 * Another program writes into a file that is owned. Starts of records that it deletes are refused, by name, though the thread knows only numbers;
 * and if it has made itself the owner, nothing is written any more.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Starts } from '../../src/core/rows.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { temporaryFolder } from './kit.ts';

test('A4 a start of a record that another program has deleted is refused as missing, and granted when it was put again', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  const names = ['a', 'b', 'c'];
  const list = names.map((name) => [name, '* * * * *', () => {}, 0] as const);
  const tasks = new Tasks(checkRegistrations(list, new Map()), 'instance');
  let runs = 0;
  const startAll = () => {
    const starts = new Starts(tasks);
    for (const task of names.keys()) tasks.claim(task, ++runs, 1000, 'due', 1000, starts);
    return session.commit({ starts });
  };
  await session.commit({ puts: names.map((name) => newRecord(name)) });
  await session.enroll?.(names);
  tasks.begin([0, 1, 2], 1);
  const stranger = new (loadSqlite().DatabaseSync)(path);
  stranger.exec(`DELETE FROM task WHERE name = '"b"'`);
  stranger.close();
  assert.deepEqual((await startAll()).refused, [{ change: 'start', name: 'b', missing: true }]);
  const { firstVersion } = await session.commit({ puts: [newRecord('b')] });
  await session.enroll?.(names, new Map([[1, 'b']])); // as a list does that brings the name again
  tasks.setVersion(1, Number(firstVersion));
  assert.deepEqual((await startAll()).refused, []);
  const runIds = (await session.read()).map((record) =>
    Reflect.get(Object(Reflect.get(Object(record), 'run')), 'runId'),
  );
  assert.deepEqual(runIds, ['instance-4', 'instance-6', 'instance-5']);
  await session.close();
});

test('E6 the mark of another owner is noticed by the next commit, though the lock is still ours', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: [newRecord('a')] });
  const stranger = new (loadSqlite().DatabaseSync)(path);
  stranger.exec(`UPDATE owner SET token = 'of another opening', pid = 4711`);
  await assert.rejects(session.commit({ puts: [newRecord('b')] }), {
    name: 'StoreLostError',
    message: /taken over by another scheduler \(pid 4711 on /,
  });
  const stored = stranger.prepare('SELECT name FROM task').all();
  assert.deepEqual(
    stored.map(({ name }) => name),
    ['"a"'],
  );
  stranger.close();
  await session.close();
});
