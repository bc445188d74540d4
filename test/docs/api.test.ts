/** The reference of what is exported is what the sources say: made from them, and never out of date without a test that says so. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { makeReference } from '../../scripts/api/render.ts';
import { root } from './pages.ts';

const docs = join(root, 'docs');
const OUT_OF_DATE = 'is out of date: npm run docs:api rewrites it, and so does UPDATE_DOCS=1';

/** The first line of two texts that is not the same: a whole page would say less. */
function difference(written: string, wanted: string): string | undefined {
  const [lines, others] = [written.split('\n'), wanted.split('\n')];
  const at = others.findIndex((line, index) => line !== lines[index]);
  if (at < 0) return lines.length === others.length ? undefined : 'the page goes on after its end';
  return `line ${at + 1}: "${lines[at] ?? ''}" should be "${others[at]}"`;
}

describe('the reference', () => {
  const { pages, unsaid, unnamed } = makeReference();

  for (const [path, text] of pages)
    test(`docs/${path} says what the sources say`, (t) => {
      const file = join(docs, path);
      t.diagnostic(`${text.match(/^### /gm)?.length ?? 0} names`);
      if (process.env.UPDATE_DOCS !== undefined) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      assert.equal(difference(readFileSync(file, 'utf8'), text), undefined, `docs/${path} ${OUT_OF_DATE}`);
    });

  test('no page is left of a door that is gone', () => {
    assert.deepEqual(
      globSync('api/*.md', { cwd: docs }).filter((path) => !pages.has(path)),
      [],
    );
  });

  test('every export has a comment of its own, and so has every option', () => {
    assert.deepEqual(unsaid, []);
  });

  test('every type that a signature speaks of can be imported by its name', () => {
    assert.deepEqual(unnamed, []);
  });

  test('has what can be imported, function by function, with its signature', async () => {
    const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [door, target] of Object.entries<{ default?: string }>(doors)) {
      if (target.default === undefined) continue;
      const page = pages.get(`api/${door === '.' ? 'obbligato' : door.slice(2)}.md`) ?? '';
      const values = await import(join(root, target.default.replace('dist', 'src').replace(/\.js$/, '.ts')));
      for (const [name, value] of Object.entries(values)) {
        const part = page.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
        const word = typeof value === 'function' ? `(function|class) ${name}\\b` : '';
        assert.match(part, new RegExp(`\\S[\\s\\S]*${word}`), `${door}: ${name}`);
      }
    }
  });
});
