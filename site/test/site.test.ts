/** The documentation site: built by its command, crawled, and searched. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import MiniSearch from 'minisearch';
import { readPage, root } from '../../test/docs/pages.ts';
import { parts } from '../sidebar.ts';
import {
  type BuiltSite,
  builtSite,
  deadLinks,
  isForeign,
  linksOf,
  loadsOf,
  searchIndex,
} from './built-site.ts';

const inSidebar = parts.flatMap(({ pages }) => pages.map(([path]) => path));

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
