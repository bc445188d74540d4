/** One bad record stops one task: another program deletes a row of the file under a running scheduler. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { inspect, sqlite } from '../../src/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { createWorld, heldCallback } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'obbligato-aside-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What another program does to the file. */
function elsewhere(file: string, use: (db: DatabaseSync) => void): void {
  const db = new (loadSqlite().DatabaseSync)(file);
  try {
    use(db);
  } finally {
    db.close();
  }
}

test('A4 a record that another program deletes stops its task alone, until it is back', async () => {
  const file = join(folder, 'deleted.db');
  const world = createWorld('2026-01-01T11:59:30Z', { store: sqlite(file) });
  const calls: string[] = [];
  const each = (name: string) => [name, '0,1,2,3,4,5 12 * * *', () => calls.push(name), 60_000] as const;
  await world.scheduler.initialize([each('a'), each('b'), each('c')]);
  let row: Record<string, unknown> = {};
  elsewhere(file, (db) => {
    row = { ...db.prepare(`SELECT * FROM task WHERE name = '"b"'`).get() };
    db.exec(`DELETE FROM task WHERE name = '"b"'`);
  });
  const aside = world.next('TaskSetAside');
  await world.clock.advance(30_000);
  const { task, error } = await aside;
  assert.deepEqual([task, error.name, Reflect.get(error, 'taskName')], ['b', 'StoreRecordMissingError', 'b']);
  await world.clock.advance(120_000);
  while (calls.length < 6) await world.clock.advance(1);
  assert.deepEqual([...calls].sort(), ['a', 'a', 'a', 'c', 'c', 'c'], 'and nothing of it runs meanwhile');

  // It is put back under another number, as a restore by hand may do.
  elsewhere(file, (db) => {
    const columns = Object.keys(row).filter((column) => column !== 'id');
    db.prepare(
      `INSERT INTO task (id, ${columns.join()}) VALUES (4711, ${columns.map(() => '?').join()})`,
    ).run(...columns.map((column) => row[column] as string | number | null));
  });
  let hasReturned = false;
  void world.next('TaskReturned').then(() => {
    hasReturned = true;
  });
  while (!hasReturned) await world.clock.advance(1000);
  while (!calls.includes('b')) await world.clock.advance(1);
  await world.scheduler.stop();
  assert.equal(calls.filter((name) => name === 'b').length, 1, 'three missed dues are one start (A3)');
  assert.equal(world.events.filter(({ type }) => type === 'TaskSetAside').length, 1, 'reported once');
  assert.ok(world.events.every(({ type }) => type !== 'StoreTroubleStarted'));
  const { records } = await inspect(file);
  const b = records.find(({ name }) => name === 'b');
  assert.ok(b !== undefined && b.run === null && b.lastSuccessAt !== null, 'and its run is durable');
});

test('A4 D7 a record that goes while its task runs takes neither the others nor the stop with it', async () => {
  const file = join(folder, 'running.db');
  const world = createWorld('2026-01-01T12:00:00Z', { store: sqlite(file) });
  const running = heldCallback();
  let calls = 0;
  const begun = world.next('TaskRunStarted');
  await world.scheduler.initialize([
    ['running', '0 12 * * *', running.callback, 60_000],
    ['other', '1 12 * * *', () => calls++, 60_000],
  ]);
  await begun;
  elsewhere(file, (db) => db.exec(`DELETE FROM task WHERE name = '"running"'`));
  const aside = world.next('TaskSetAside');
  running.runs[0].succeed();
  assert.equal((await aside).task, 'running');
  await world.clock.advance(60_000);
  while (calls === 0) await world.clock.advance(1);
  await world.scheduler.stop();
  assert.equal(calls, 1);
});
