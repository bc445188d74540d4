/** What pages say of other pages, and of the project: figures in sentences that nobody would count again. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readPage, root } from './pages.ts';

const NUMBERS = 'none one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Each page as one line: a sentence goes on over the end of a line. */
const wordsOf = (page: string): string => readPage(page).replace(/\s+/g, ' ');

describe('what the pages claim', () => {
  test('README says how many others are compared, and how many of them were judged', () => {
    const rows = readPage('docs/comparison.md').match(/^\| \[.*$/gm) ?? [];
    const judged = rows.filter((row) => !row.includes('†'));
    assert.ok(judged.length > 1 && judged.length < rows.length);
    const claim = /The comparison\]\(\S+\) has (\w+) others, (\w+) of them judged/.exec(wordsOf('README.md'));
    assert.deepEqual(claim?.slice(1), [NUMBERS[rows.length], NUMBERS[judged.length]]);
  });

  test('those that count as judged have a column in the table of verdicts', () => {
    const heading = /^\| scenario \|.*$/m.exec(readPage('docs/judgements.md'))?.[0].toLowerCase() ?? '';
    const rows = readPage('docs/comparison.md').match(/^\| \[.*$/gm) ?? [];
    const differ = rows.filter((row) => {
      const [, name] = /^\| \[([^\]]+)\]/.exec(row) ?? [];
      const isColumn = heading.includes(`| ${name?.toLowerCase()} `);
      return isColumn === row.includes('†');
    });
    assert.deepEqual(differ, []);
  });

  test('README has fewer than 900 words', () => {
    const words = readPage('README.md')
      .split(/\s+/)
      .filter((word) => word !== '').length;
    assert.ok(words < 900, `${words} words`);
  });

  test('SECURITY.md says how many packages may run an install script', () => {
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const allowed = Object.values(allowScripts).filter((may) => may === true).length;
    assert.match(wordsOf('SECURITY.md'), new RegExp(`except the ${NUMBERS[allowed]} that \`allowScripts\``));
  });

  test('docs/cluster.md names the last rule of a cluster', () => {
    const last = Math.max(
      ...Array.from(readPage('docs/rules.md').matchAll(/<a id="k(\d+)">/g), ([, number]) => Number(number)),
    );
    assert.match(readPage('docs/cluster.md'), new RegExp(`\\[K1 to K${last}\\]`));
  });
});
