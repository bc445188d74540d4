/** docs/findings.md says which test plays each finding again: each file that it names is there, and has the titles that it quotes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const docs = join(import.meta.dirname, '../../docs');

/** The files that a row links to, each with the titles that are quoted behind it. */
function citedIn(row: string): readonly (readonly [file: string, titles: readonly string[]])[] {
  const parts = row.split(/\[[^\]]+\]\((\.\.\/test\/[^)]+)\)/).slice(1);
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [[part, [...parts[index + 1].matchAll(/"([^"]+)"/g)].map(([, title]) => title)]] : [],
  );
}

test('every finding names tests that are there', () => {
  const rows = readFileSync(join(docs, 'findings.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!what |---)/.test(line));
  assert.ok(rows.length > 30, `${rows.length} rows`);
  for (const row of rows) {
    const cited = citedIn(row.slice(row.lastIndexOf(' | ')));
    if (!/ \| none: it is a sentence \|$/.test(row)) assert.ok(cited.length > 0, row);
    for (const [file, titles] of cited) {
      assert.ok(titles.length > 0, `${row}: no title of ${file}`);
      const text = readFileSync(join(docs, file), 'utf8');
      for (const title of titles) assert.ok(text.includes(title), `${file} has no test "${title}"`);
    }
  }
});
