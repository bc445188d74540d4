/** E7 on a real file: a row whose name is not the JSON text of a name is found by no change, so it is refused before there is one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createScheduler } from '../../src/scheduler/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { temporaryFolder } from '../store/kit.ts';

/** What is stored, as it is. */
function rowsOf(path: string): unknown[] {
  const db = new (loadSqlite().DatabaseSync)(path);
  const rows = db.prepare('SELECT * FROM task ORDER BY id').all();
  db.close();
  return rows;
}

describe('a name that is not its JSON text', () => {
  for (const [stored, name] of [
    ['sick', 'sick'],
    ['"s\\u0069ck"', 'sick'],
    [' "sick"', 'sick'],
    ['7', '7'],
  ]) {
    test(`E7 ${stored} is refused by initialize, which changes nothing`, async (t) => {
      const path = join(await temporaryFolder(t), 'store.db');
      const session = await sqlite(path).open({ waitMs: 0 });
      await session.commit({ puts: [newRecord('well'), newRecord('sick')] });
      await session.close();
      const db = new (loadSqlite().DatabaseSync)(path);
      db.prepare('UPDATE task SET name = ? WHERE name = ?').run(stored, '"sick"');
      db.close();
      const before = rowsOf(path);
      const scheduler = createScheduler({ store: sqlite(path), timeZone: 'UTC' });
      t.after(() => scheduler.stop());
      await assert.rejects(scheduler.initialize([['well', '* * * * *', () => {}, 0]]), {
        name: 'TaskInvalidValueError',
        taskName: name,
        field: 'name',
        value: stored,
      });
      assert.deepEqual(rowsOf(path), before);
    });
  }
});
