/** `npm run docs:api`: writes docs/api.md and docs/api/, the reference of everything that the package exports, from the sources. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeReference } from './api/render.ts';

const docs = join(import.meta.dirname, '../docs');
const { pages, unsaid } = makeReference();
for (const [path, text] of pages) {
  mkdirSync(dirname(join(docs, path)), { recursive: true });
  writeFileSync(join(docs, path), text);
}
console.log(`${pages.size} pages`);
for (const each of unsaid) console.error(`no comment: ${each}`);
process.exitCode = unsaid.length === 0 ? 0 : 1;
