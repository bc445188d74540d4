/**
 * The rule book (docs/rules.md) and the numbers that everything else cites: each number is defined there once, and each rule
 * that is defined there is held by a test that carries its number.
 *
 * Everything that looks like an id counts as a citation, in comments, titles, tables and strings. That is stricter than needed;
 * the few texts that only look like ids are listed with the reason.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pages, readPage, root } from './pages.ts';

const RULES = 'docs/rules.md';
const THIS = 'test/docs/rules.test.ts';

/** What looks like an id and is none. */
const noIds: Readonly<Record<string, string>> = {
  T0: 'a constant: the instant at which something begins',
  T00: 'the hour in an instant such as 2026-03-02T00:00Z',
  T04: 'the hour in an instant',
  M3: 'the month in a POSIX TZ text',
  M10: 'the month in a POSIX TZ text',
  V8: 'the JavaScript engine',
  PS1: 'the prompt of a shell',
};

/** Groups of ids whose members are behaviour of the scheduler, of the executor or of the theory: a test's title must carry each. */
const HELD_BY_A_TITLE = /^(?:[A-KTX]|RD)\d/;

/** Looks like an id, and is the name of a program. */
const PROGRAMS = ['PM2'];

const citationsIn = (text: string): string[] =>
  (text.match(/\b[A-Z]{1,2}\d{1,2}\b/g) ?? []).filter((id) => !PROGRAMS.includes(id));

/** Each definition: an anchor, then the id, then the name if it has one. */
function definitionsIn(text: string): { anchor: string; id: string; name: string }[] {
  const pattern = /<a id="([^"]*)"><\/a>(?:\*\*)?([A-Z]+\d*)(?: \| |\b)([^|*]*)/g;
  return [...text.matchAll(pattern)].map(([, anchor, id, name]) => ({ anchor, id, name: name.trim() }));
}

/** The titles of tests and groups of tests, as they are written. */
function titlesIn(code: string): string[] {
  const call = /\b(?:test|describe)\(\s*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)/g;
  return [...code.matchAll(call)].map(([, title]) => title);
}

/** The rows of a table that a test of the theory generates, as cells. */
function generatedRows(page: string, name: string): string[][] {
  const [, table = ''] = page.split(`<!-- generated: ${name} -->`);
  return table
    .split('<!-- end of ')[0]
    .split('\n')
    .filter((line) => /^\| [A-Z]+\d* \|/.test(line))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

const withoutBlocks = (page: string): string => page.replace(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2$/gm, '');

/** What a forge makes of the headings of a page: a second heading of the same words gets a number. */
function headingAnchors(page: string): string[] {
  const slugs = [...withoutBlocks(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return slugs.map((slug, index) => {
    const before = slugs.slice(0, index).filter((other) => other === slug).length;
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

const anchorsOf = (page: string): string[] => [
  ...headingAnchors(page),
  ...[...withoutBlocks(page).matchAll(/<a id="([^"]*)">/g)].map(([, anchor]) => anchor),
];

const twice = (all: readonly string[]): string[] => all.filter((each, index) => all.indexOf(each) !== index);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** All that people have written here, by its path: this file aside, which is full of examples. */
const texts: ReadonlyMap<string, string> = new Map(
  globSync(['*.md', '{bench,docs,examples,publishing,scripts,site,src,test}/**/*.{ts,md,json}'], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/package-lock.json'],
  })
    .map(String)
    .filter((file) => file !== THIS)
    .sort()
    .map((file) => [file, read(file)]),
);

const rules = readPage(RULES);
const definitions = definitionsIn(rules);
const defined = new Set(definitions.map(({ id }) => id));
const theory = readPage('docs/theory.md');
const axioms = [...generatedRows(theory, 'axioms'), ...generatedRows(theory, 'properties')];

describe('the rule book', () => {
  test('defines every id that is cited', () => {
    const undefinedIds = [...texts].flatMap(([file, text]) =>
      citationsIn(text)
        .filter((id) => !defined.has(id) && !(id in noIds))
        .map((id) => `${file} cites ${id}`),
    );
    assert.deepEqual([...new Set(undefinedIds)], []);
  });

  test('defines each id once, at an anchor of its own name', () => {
    assert.deepEqual(twice(definitions.map(({ id }) => id)), []);
    assert.deepEqual(twice(anchorsOf(rules)), []);
    assert.deepEqual(
      definitions.filter(({ anchor, id }) => anchor !== id.toLowerCase()),
      [],
    );
  });

  test('every rule is held by a test whose title carries its number', () => {
    const tests = [...texts].filter(([file]) => /^test\/.*\.ts$/.test(file));
    const carried = new Set(tests.flatMap(([, code]) => titlesIn(code).flatMap(citationsIn)));
    assert.deepEqual(
      [...defined].filter((id) => HELD_BY_A_TITLE.test(id) && !carried.has(id)),
      [],
    );
  });

  test('an id of an axiom means that axiom and nothing else: its name is the one in the theory', () => {
    assert.ok(axioms.length > 30);
    assert.deepEqual(
      axioms.map(([id, name]) => ({ id, name })),
      axioms.map(([id]) => ({ id, name: definitions.find((each) => each.id === id)?.name })),
    );
  });

  test('every axiom has a trace that breaks it, unless no finite trace can', () => {
    const broken = generatedRows(theory, 'mutants').map(([id]) => id);
    const [, undecidable = ''] = theory.split('## What a finite trace cannot decide');
    const never = citationsIn(undecidable.split('##')[0]);
    const ids = axioms.map(([id]) => id);
    assert.deepEqual([...new Set([...broken, ...never])].sort(), ids.sort());
    assert.deepEqual(
      never.filter((id) => broken.includes(id)),
      [],
    );
  });

  test('what looks like an id and is none still occurs', () => {
    const all = new Set([...texts.values()].flatMap(citationsIn));
    assert.deepEqual(
      Object.keys(noIds).filter((text) => !all.has(text)),
      [],
    );
  });
});

/** Words of documents that a reader does not have. What they said stands in the rules, the theory and its errata. */
const ABSENT_DOCUMENTS =
  /seed ?00\d|\b(?:of|in) 00[0-4]\b|\bthe paper\b|§ ?\d|\bin the seed\b|\bthe seed (?:of the theory|knows|asks|counts|promises|speaks|demands|forbids)\b/gi;

/** Words that readers stumble over, with what to write instead. */
const HARD_WORDS: Readonly<Record<string, string>> = {
  amid: 'in the middle of',
  anew: 'again',
  beside: 'next to, together with, in addition to',
  'mend(?:s|ed|ing)?': 'repair, fix',
  "nobody(?:'s)?": 'no task, no scheduler, no one',
  whoever: 'the caller, the task that',
};

/** Tables that tests of the theory generate: their words are those of the sources. */
const withoutGenerated = (page: string): string => page.replace(/<!-- generated: [\s\S]*?<!-- end of /g, '');

describe('the pages', () => {
  test('no file cites a document that the reader does not have', () => {
    const found = [...texts].flatMap(([file, text]) =>
      (text.match(ABSENT_DOCUMENTS) ?? []).map((words) => `${file}: ${words}`),
    );
    assert.deepEqual(found, []);
  });

  test('the pages are in plain English', () => {
    // The reference is made from the comments of the sources, and examples of what programs print are theirs.
    const handwritten = pages.filter((page) => !page.startsWith('docs/api'));
    const found = handwritten.flatMap((page) =>
      Object.entries(HARD_WORDS).flatMap(([word, instead]) =>
        (withoutGenerated(withoutBlocks(readPage(page))).match(new RegExp(`\\b${word}\\b`, 'gi')) ?? []).map(
          (text) => `${page}: "${text}"; write ${instead}`,
        ),
      ),
    );
    assert.deepEqual(found, []);
  });

  test('every anchor that a page links to is there', () => {
    const broken: string[] = [];
    for (const page of pages) {
      for (const [, target, anchor] of readPage(page).matchAll(/\]\(([\w./-]*)#([^)\s]+)\)/g)) {
        const file = target === '' ? page : join(page, '..', target);
        if (!file.endsWith('.md') || !anchorsOf(read(file)).includes(anchor))
          broken.push(`${page} links to ${target}#${anchor}`);
      }
    }
    assert.deepEqual(broken, []);
  });
});

describe('the test of the rule book', () => {
  test('reads definitions, citations, titles and anchors', () => {
    const page =
      '## A. Who `runs`?\n## A. Who runs\n- <a id="a1"></a>**A1 Pending.** A\n| <a id="s1"></a>S1 | Start safety |\n';
    assert.deepEqual(definitionsIn(page), [
      { anchor: 'a1', id: 'A1', name: 'Pending.' },
      { anchor: 's1', id: 'S1', name: 'Start safety' },
    ]);
    assert.deepEqual(anchorsOf(page), ['a-who-runs', 'a-who-runs-1', 'a1', 's1']);
    assert.deepEqual(citationsIn('Since Z9 (EA1, T12–T13): 0xB5F, b5, UTF8, A100'), [
      'Z9',
      'EA1',
      'T12',
      'T13',
    ]);
    const code = "test('A1 it\\'s (A2)', f);\n  test(\n    `B1 x`, f); describe(\"C1\", g); const at = 'D1';";
    assert.deepEqual(titlesIn(code).flatMap(citationsIn), ['A1', 'A2', 'B1', 'C1']);
  });
});
