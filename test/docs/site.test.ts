/** What the documentation site is made of: its order, and the pages as they are read there. The built site is tested in site/test. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { slugOf, targetOf } from '../../site/links.ts';
import { FRONT_PAGE, parts } from '../../site/sidebar.ts';
import { pages, readPage } from './pages.ts';
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
