/** The page about leaving other schedulers, type-checked with these schedulers: test/docs knows nothing of their types. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isCode } from '../../../test/docs/page-run.ts';
import { type Block, blocks, blocksOf } from '../../../test/docs/pages.ts';
import { typeErrors } from '../../../test/docs/typecheck.ts';

/** With the packages of this folder. */
async function errorsIn(code: readonly Block[]): Promise<string[]> {
  const above = mkdtempSync(join(tmpdir(), 'obbligato-migration-'));
  try {
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(above, 'node_modules'));
    const folder = join(above, 'types');
    mkdirSync(folder);
    return (await typeErrors(code, folder)).map(({ says }) => says);
  } finally {
    rmSync(above, { recursive: true, force: true });
  }
}

test('every block of docs/migration.md type-checks with the schedulers that it leaves', async () => {
  const code = blocks.filter((block) => block.page === 'docs/migration.md' && isCode(block));
  assert.ok(code.length > 5);
  assert.deepEqual(await errorsIn(code), []);
});

test('an option that such a scheduler does not have is found', async () => {
  const text = "```ts\nimport { scheduleJob } from 'node-schedule';\nscheduleJob(5);\n```";
  const [error, ...more] = await errorsIn(blocksOf('page.md', text));
  assert.match(error, /^page\.md:3: error TS/);
  assert.deepEqual(more, []);
});
