/** The part of docs/store-schema.md about PostgreSQL against a schema that was just made: every table, every column, every number that has a meaning. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OUTCOMES, REASONS } from '../../src/core/rows.ts';
import { newRecord, startOf } from '../../src/store/conformance-kit.ts';
import { VERSION } from '../../src/store/postgres/migrate.ts';
import { NONE } from '../../src/store/postgres/migrations.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { freshSchema, type Server, startServer } from '../store/postgres/server.ts';
import { blocks, pages, readPage } from './pages.ts';

const page = readPage('docs/store-schema.md').split('\n## On PostgreSQL\n')[1] ?? '';

/** Each table of the page, with its columns in their order. */
function tablesOf(text: string): Record<string, string[]> {
  const sections = text.split(/^### `obbligato\./m).slice(1);
  return Object.fromEntries(
    sections.map((section) => [
      /^\w+/.exec(section)?.[0],
      Array.from(section.matchAll(/^\| `(\w+)` \| \S/gm), ([, column]) => column),
    ]),
  );
}

describe('what is in PostgreSQL', () => {
  const schema = freshSchema();
  let server: Server;
  before(async () => {
    server = await startServer();
    const session = await postgres(server.url, { schema }).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('idle'), newRecord('runs')], starts: [startOf('runs')] });
    await session.close();
  });
  after(() => server.stop());

  test('the page has every table and every column, in their order, and no other', async () => {
    const { rows } = await server.pool.query<{ table_name: string; columns: string[] }>(
      `SELECT table_name::text, array_agg(column_name::text ORDER BY ordinal_position) AS columns
       FROM information_schema.columns WHERE table_schema = $1 GROUP BY table_name`,
      [schema],
    );
    assert.ok(rows.length > 3);
    assert.deepEqual(
      tablesOf(page),
      Object.fromEntries(rows.map(({ table_name: table, columns }) => [table, columns])),
    );
  });

  test('the page has the version, what stands for no instant, and the numbers of reasons and outcomes', () => {
    assert.match(page, new RegExp(`\`version\` \\| ${VERSION},`));
    assert.ok(page.includes(`UTC, by the database's clock. ${NONE} stands for one that is not there`));
    for (const words of [REASONS, OUTCOMES])
      assert.ok(page.includes(words.map((word, number) => `${number} ${word}`).join(', ')), words.join());
  });

  test('every block of SQL on any page can be run', async () => {
    const statements = blocks.filter(({ language }) => language === 'sql');
    assert.ok(statements.length > 0, `${pages.length} pages, no SQL`);
    for (const { text } of statements) await server.pool.query(text.replaceAll('obbligato.', `${schema}.`));
  });

  test('the query of the page finds tasks by their names, what succeeded and what runs', async () => {
    const [{ text }] = blocks.filter(
      ({ page: at, language }) => /store-schema/.test(at) && language === 'sql',
    );
    const { rows } = await server.pool.query(text.replaceAll('obbligato.', `${schema}.`));
    assert.deepEqual(
      rows.map(({ name, last_success: success, runs }) => [name, success, runs]),
      [
        ['idle', null, false],
        ['runs', null, true],
      ],
    );
  });
});
