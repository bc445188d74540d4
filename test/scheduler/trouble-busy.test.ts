/** Real trouble on a real file, through the whole scheduler: somebody else holds SQLite's write lock for a while. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect, sqlite } from '../../src/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { createWorld, heldCallback } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'obbligato-busy-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('A4 E8 while another connection holds the file (SQLITE_BUSY), starts wait and ends are kept; then both are written', async () => {
  const file = join(folder, 'busy.db');
  const world = createWorld('2026-01-01T11:59:30Z', { store: sqlite(file, { busyTimeout: 1 }) });
  const running = heldCallback();
  let noonCalls = 0;
  const begun = world.next('TaskRunStarted');
  await world.scheduler.initialize([
    ['running', '59 11 * * *', running.callback, 60_000],
    ['noon', '0 12 * * *', () => noonCalls++, 60_000],
  ]);
  await begun;

  const { DatabaseSync } = loadSqlite();
  const intruder = new DatabaseSync(file);
  intruder.exec('BEGIN IMMEDIATE');
  const trouble = world.next('StoreTroubleStarted');
  running.runs[0].succeed();
  const { error } = await trouble;
  assert.ok(error instanceof Error && error.name === 'StoreBusyError', String(error));
  await world.clock.advance(30_000);
  assert.equal(noonCalls, 0, 'nothing is called that is not durable');

  intruder.exec('ROLLBACK');
  intruder.close();
  const over = world.next('StoreTroubleEnded');
  const noon = world.next('TaskRunCompleted');
  // The file's thread answers in its own time, so the clock is moved on until the next try has been made.
  let isOver = false;
  over.then(() => {
    isOver = true;
  });
  while (!isOver) await world.clock.advance(1000);
  await noon;
  assert.equal(noonCalls, 1);
  await world.scheduler.stop();
  const { records } = await inspect(file);
  for (const { name, lastSuccessAt, run } of records) assert.ok(lastSuccessAt !== null && run === null, name);
});
