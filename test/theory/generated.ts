/** Parts of a page that are made from the code: between markers, and never out of date without a test that says so. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OUT_OF_DATE =
  "docs/theory.md is out of date: UPDATE_DOCS=1 node --test --test-concurrency=1 'test/theory/*.test.ts' rewrites it";

const page = join(import.meta.dirname, '../../docs/theory.md');

/** With UPDATE_DOCS set the page is rewritten; otherwise it must already say this. */
export function assertGenerated(part: string, text: string): void {
  const begin = `<!-- generated: ${part} -->`;
  const end = `<!-- end of ${part} -->`;
  const before = readFileSync(page, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  assert.ok(from >= 0 && to > from, `docs/theory.md has no part ${part}`);
  const after = `${before.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${before.slice(to)}`;
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(page, after);
  else assert.equal(before, after, OUT_OF_DATE);
}

/** A table of Markdown; a bar in a cell would end it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
