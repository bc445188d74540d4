/** docs/store-schema.md against a store that was just made: every table, every column, and the labels of the file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { sqlite } from '../../src/index.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../src/store/sqlite-schema.ts';
import { readPage } from './pages.ts';

/** Each table of the page, with its columns in their order. */
function tablesOf(page: string): Record<string, string[]> {
  const sections = page.split(/^## /m).flatMap((section) => {
    const table = /^`(\w+)`\n/.exec(section)?.[1];
    return table === undefined ? [] : [[table, section] as const];
  });
  return Object.fromEntries(
    sections.map(([table, section]) => [
      table,
      Array.from(section.matchAll(/^\| `(\w+)` \| \S/gm), ([, column]) => column),
    ]),
  );
}

describe('what is in the store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-schema-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const page = readPage('docs/store-schema.md');

  test('the page has every table and every column, in their order, and no other', async () => {
    const path = join(folder, 'obbligato.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.close();
    const db = new DatabaseSync(path, { readOnly: true });
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    const found = tables.map((table): [string, string[]] => [
      table,
      db
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map(({ name }) => String(name)),
    ]);
    db.close();
    assert.ok(tables.length > 3);
    assert.deepEqual(tablesOf(page), Object.fromEntries(found));
  });

  test('the page has the labels of the file', () => {
    assert.match(page, new RegExp(`application_id\` \\| ${APPLICATION_ID},`));
    assert.match(page, new RegExp(`user_version\` \\| ${MIGRATIONS.length},`));
  });
});
