/** The documentation site: built by its command, crawled, and searched. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import MiniSearch from 'minisearch';
import { slugOf, targetOf } from '../../site/markdown.ts';
import { FRONT_PAGE, parts } from '../../site/sidebar.ts';
import {
  type BuiltSite,
  builtSite,
  deadLinks,
  isForeign,
  linksOf,
  loadsOf,
  searchIndex,
} from './built-site.ts';
import { pages, readPage, root } from './pages.ts';
import { stretchesOf } from './reading.ts';

const ofDocs = pages
  .filter((page) => page.startsWith('docs/'))
  .map((page) => page.slice('docs/'.length, -'.md'.length));
const inSidebar = parts.flatMap(({ pages: own }) => own.map(([path]) => path));

describe('the order of the site', () => {
  test('every page of docs is in the sidebar, once, and every line of the sidebar is a page', () => {
    assert.deepEqual([FRONT_PAGE, ...inSidebar].sort(), [...ofDocs].sort());
  });

  test('it has four parts', () => {
    assert.deepEqual(
      parts.map(({ title }) => title),
      ['Use', 'Know', 'Reference', 'How it was checked'],
    );
  });
});

/** One paragraph of some length. */
const LONGEST_STRETCH_SECONDS = 20;

describe('reading', () => {
  test(`no page goes on for more than ${LONGEST_STRETCH_SECONDS} s of reading with nothing for the eye to stop at`, () => {
    const long = pages
      .filter((page) => !page.startsWith('docs/api') && page !== 'docs/reference.md')
      .flatMap((page) => stretchesOf(readPage(page)).map((stretch) => ({ ...stretch, page })))
      .filter(({ seconds }) => seconds > LONGEST_STRETCH_SECONDS)
      .map(({ page, line, seconds }) => `${page}:${line}: ${seconds} s`);
    assert.deepEqual(long, []);
  });

  test('the measure counts running words, and stops at headings, bold beginnings, items, tables, blocks and pictures', () => {
    const words = (count: number): string => 'word '.repeat(count);
    const text = [
      words(8),
      words(8),
      '## Heading',
      '**Bold** word',
      '- item',
      '| a | b |',
      '```',
      words(99),
      '```',
      words(4),
      '![p](p.svg)',
    ];
    assert.deepEqual(
      stretchesOf(text.join('\n')).map(({ line, seconds }) => [line, seconds]),
      [
        [1, 4],
        [3, 0],
        [4, 0.5],
        [5, 0.25],
        [6, 0],
        [7, 1],
        [11, 0],
      ],
    );
  });
});

describe('the site', () => {
  let site: BuiltSite;
  before(async () => {
    site = await builtSite();
  });
  after(() => site.remove());

  test('it has every page, and an answer to an address that is none', () => {
    assert.deepEqual(
      [...site.pages.keys()].sort(),
      ['/404.html', '/index.html', ...inSidebar.map((path) => `/${path}.html`)].sort(),
    );
  });

  test('no link within it leads nowhere, also not to an anchor that is not there', (t) => {
    const links = [...site.pages.values()].flatMap(linksOf);
    t.diagnostic(`${site.pages.size} pages, ${links.length} links`);
    assert.ok(links.length > 1000);
    assert.deepEqual(deadLinks(site.pages, site.files), []);
  });

  test('the crawler finds a dead link and a dead anchor', () => {
    const made = new Map([
      [
        '/a.html',
        '<a class="x" href="b.html#there">1</a><a href="/b.html#gone">2</a><a href="c.html">3</a><a href="#x">4</a>',
      ],
      ['/b.html', '<h2 id="there"></h2><a href="/a.html">5</a><a href="https://example.com">6</a>'],
    ]);
    assert.deepEqual(deadLinks(made), [
      '/a.html links to /b.html#gone',
      '/a.html links to c.html',
      '/a.html links to #x',
    ]);
  });

  test('no page loads anything from another host, nor does any style', () => {
    const styles = globSync('**/*.css', { cwd: site.folder }).map((path): [string, string] => [
      path,
      readFileSync(join(site.folder, path), 'utf8'),
    ]);
    const foreign = [...site.pages, ...styles].flatMap(([path, text]) =>
      loadsOf(text)
        .filter(isForeign)
        .map((address) => `${path} loads ${address}`),
    );
    assert.deepEqual(foreign, []);
    assert.deepEqual(
      ['<script src="//a">', '<link rel="x" href="http://b">', 'url(https://c)']
        .flatMap(loadsOf)
        .filter(isForeign).length,
      3,
    );
  });

  test('a link to a source or a test is shown as the path of the file', () => {
    const html = site.pages.get('/operating.html') ?? '';
    assert.match(readPage('docs/operating.md'), /\[fold\]\(\.\.\/test\/store\/fold\.test\.ts\)/);
    assert.match(html, /\(E5: <code>test\/store\/fold\.test\.ts<\/code>\)/);
    const front = site.pages.get('/index.html') ?? '';
    assert.match(
      front,
      /read Contributing \(<code>CONTRIBUTING\.md<\/code>\)|<code>CONTRIBUTING\.md<\/code>/,
    );
  });

  test('the search finds each exported name, at its entry in the reference', async (t) => {
    const index = MiniSearch.loadJSON(await searchIndex(site.folder), {
      fields: ['title', 'titles', 'text'],
      storeFields: ['title', 'titles'],
    });
    const names = globSync('docs/api/*.md', { cwd: root }).flatMap((page) =>
      Array.from(readPage(page).matchAll(/^### (\S+)$/gm), ([, name]) => ({ page, name })),
    );
    t.diagnostic(`${names.length} names, ${index.documentCount} sections`);
    assert.ok(names.length > 200);
    const lost = names.filter(
      ({ page, name }) =>
        !index
          .search(name, { prefix: true, boost: { title: 4, text: 2, titles: 1 } })
          .slice(0, 10)
          .some(
            ({ id, title }) =>
              title === name && id.startsWith(`/${page.slice('docs/'.length, -'.md'.length)}.html#`),
          ),
    );
    assert.deepEqual(lost, []);
  });
});

describe('the pages on the site', () => {
  test('anchors are those of GitHub', () => {
    assert.deepEqual(
      [
        'What happens when',
        '`run`',
        "The executor's proof",
        'A due, a retry: *one* start',
        'Größe & Maß',
        'OUTPUT_CHANNEL',
      ].map(slugOf),
      [
        'what-happens-when',
        'run',
        'the-executors-proof',
        'a-due-a-retry-one-start',
        'größe--maß',
        'output_channel',
      ],
    );
  });

  test('where a link leads is known', () => {
    assert.deepEqual(
      [
        ['a.md', '../src/x.ts'],
        ['api/a.md', '../b.md#c'],
        ['a.md', '#c'],
        ['a.md', 'https://x.org/y'],
      ].map(([page, href]) => targetOf(page, href)),
      ['src/x.ts', 'docs/b.md', undefined, undefined],
    );
  });
});
