/**
 * `npm run page`: makes the page of the dashboard, one document with its script and its style in it, and puts it next to the module that serves
 * it. Tests do the same. In the built package it is a part of that module (enclose.ts).
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const page = join(root, 'page');

/** The document. */
export async function pageHtml(): Promise<string> {
  const [script, style] = await Promise.all([bundled('main.tsx'), bundled('style.css')]);
  return readFileSync(join(page, 'index.html'), 'utf8')
    .replace('/*style*/', () => style)
    .replace('/*script*/', () => script);
}

async function bundled(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(page, file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // A bundle in another folder, or on another machine, is the same.
    absWorkingDir: root,
  });
  return outputFiles[0].text.trimEnd();
}

/** Puts the document into a folder. Several tests may do so at once, so it appears as a whole. */
export async function buildPage(folder: string): Promise<string> {
  const html = await pageHtml();
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `page.${process.pid}.draft`);
  writeFileSync(draft, html);
  renameSync(draft, join(folder, 'page.html'));
  return html;
}

const [, , folder] = process.argv;
if (import.meta.main && folder !== undefined) await buildPage(resolve(root, folder));
