/**
 * Every block of every page is what it looks like. Blocks of `ts` and `js` are type-checked; one with the word `run`, or with its output
 * in a `text` right below it, is run. Each line of `sh`, and each line behind a `$` in `console`, is run, and the transcript must be
 * what was printed. Commands within sentences must name what is there. An unknown language is an error, so that nothing escapes.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { change } from '../../scripts/change.ts';
import { sample } from '../sample.ts';
import { data } from './data.ts';
import { isExcused, staleExemptions } from './exempt.ts';
import { mentions, wrongIn } from './inline.ts';
import { isCode, PageRun } from './page-run.ts';
import { blocks, pages, placeOf } from './pages.ts';
import { scenes } from './scenes.ts';
import { createStage, removeStage } from './stage.ts';
import { typeErrors } from './typecheck.ts';

/** What may stand behind a language, beside `written:…`. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  ts: ['run'],
  js: ['run'],
  sh: Object.keys(scenes),
  console: ['varies', ...Object.keys(scenes)],
};

/** Of every page the code is type-checked. The suite runs what stands on the first two, on pages that have changed, and on some others. */
const withBlocks = pages.filter((page) => blocks.some((block) => block.page === page));
const some = new Set([...withBlocks.slice(0, 2), ...change().files, ...sample(withBlocks, 12)]);
const played = withBlocks.filter((page) => some.has(page));

const stage = createStage();
after(() => removeStage(stage));

describe('the blocks of the pages', { concurrency: true }, () => {
  test('every block has a language that is known here, and words that mean something', () => {
    const known = ['ts', 'js', 'sh', 'console', ...Object.keys(data)];
    const strange = blocks.flatMap((block) => [
      ...(known.includes(block.language) ? [] : [`${placeOf(block)}: the language "${block.language}"`]),
      ...block.words
        .filter((word) => !((WORDS[block.language] ?? []).includes(word) || word.startsWith('written:')))
        .map((word) => `${placeOf(block)}: the word "${word}"`),
    ]);
    assert.deepEqual(strange, []);
  });

  test('every block of TypeScript and JavaScript type-checks, strictly', async (t) => {
    // Not with what is exempt as a whole page: tsc says nothing of types as long as anything cannot be parsed.
    // Nor with a scheduler that a page leaves: examples/judge-others has these, and type-checks the page.
    const code = blocks.filter(
      (block) =>
        isCode(block) &&
        !isExcused(block.page, '') &&
        !/from '(cron|node-cron|node-schedule)'/.test(block.text),
    );
    t.diagnostic(`${code.length} blocks type-checked`);
    assert.ok(code.length > 0);
    mkdirSync(join(stage.folder, 'types'));
    const wrong = (await typeErrors(code, join(stage.folder, 'types')))
      .filter(({ block }) => !(block && isExcused(block.page, block.text.split('\n')[0])))
      .map(({ says }) => says);
    assert.deepEqual(wrong, []);
  });

  test('every command within a sentence names what is there', async (t) => {
    t.diagnostic(`${mentions.length} commands within sentences`);
    const wrong = await Promise.all(
      mentions.map(async (mention) => {
        const complaint = await wrongIn(mention);
        if (complaint === undefined || isExcused(mention.page, mention.text)) return [];
        return [`${mention.page}:${mention.line}: ${mention.text}: ${complaint}`];
      }),
    );
    assert.deepEqual(wrong.flat(), []);
  });

  for (const page of played) {
    const own = blocks.filter((block) => block.page === page);
    test(`${page}: what is to be run runs, and prints what is shown`, async (t) => {
      const run = new PageRun(own, stage);
      const wrong = await run.play();
      t.diagnostic(
        `${page}: ${own.length} blocks; ${[...run.counts].map(([what, count]) => `${count} ${what}`).join(', ')}`,
      );
      assert.equal(wrong.join('\n\n'), '');
    });
  }
});

test('no exemption is stale', () => {
  assert.deepEqual(staleExemptions(new Set(played)), []);
});
