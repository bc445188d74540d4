/** That the test of the pages finds what it is for: pages with something wrong in them, made up here. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandsOf, showsWhatIsPrinted } from './commands.ts';
import { mentionsIn, wrongIn } from './inline.ts';
import { complaintAbout } from './npm.ts';
import { PageRun } from './page-run.ts';
import { type Block, blocksOf } from './pages.ts';
import { createStage, removeStage } from './stage.ts';
import { typeErrors } from './typecheck.ts';

const stage = createStage();
after(() => removeStage(stage));

const page = (...lines: string[]): Block[] => blocksOf('page.md', lines.join('\n'));
const fenced = (info: string, ...lines: string[]): Block[] => page(`\`\`\`${info}`, ...lines, '```');
const wrongOn = async (blocks: readonly Block[]): Promise<string> =>
  (await new PageRun(blocks, stage).play()).join('\n');

describe('the test of the pages', () => {
  test('reads fences with their words, their line and their neighbours', () => {
    const found = page(
      '# x',
      '',
      '```ts run',
      'a',
      '```',
      '',
      '~~~text',
      '```',
      '~~~',
      'words',
      '```sh',
      '```',
    );
    assert.deepEqual(
      found.map(({ line, language, words, text, isAdjacent }) => [line, language, words, text, isAdjacent]),
      [
        [4, 'ts', ['run'], 'a\n', false],
        [8, 'text', [], '```\n', true],
        [12, 'sh', [], '', false],
      ],
    );
    assert.throws(() => page('```ts', 'a'), /page\.md:1: this fence is never closed/);
  });

  test('reads commands: comments, continuations, here-documents, exit codes, transcripts', () => {
    const [block] = fenced(
      'sh',
      '# words',
      'one \\',
      '  two',
      'cat > x <<EOF',
      '# y',
      'EOF',
      'three # exits with 3',
    );
    assert.deepEqual(
      commandsOf(block).map(({ line, text, exitCode }) => [line, text, exitCode]),
      [
        [3, 'one \\\n  two', 0],
        [5, 'cat > x <<EOF\n# y\nEOF', 0],
        [8, 'three # exits with 3', 3],
      ],
    );
    const [transcript] = fenced('console', '$ a', 'out', '', '$ b', 'more', 'lines');
    assert.deepEqual(
      commandsOf(transcript).map(({ text, output }) => [text, output]),
      [
        ['a', 'out'],
        ['b', 'more\nlines'],
      ],
    );
    assert.throws(() => commandsOf(fenced('console', 'out')[0]), /begins with a command/);
  });

  test('compares transcripts, with lines left out, and with figures that vary', () => {
    assert.ok(showsWhatIsPrinted('a\n(and so on)\nc', 'a\nb\nb\nc\n', false));
    assert.ok(!showsWhatIsPrinted('a\nc', 'a\nb\nc', false));
    assert.ok(!showsWhatIsPrinted('a b', 'a\nb', false));
    assert.ok(showsWhatIsPrinted('a b\n(and so on)\nd', 'a\nb c d\n', false, 'anywhere'));
    assert.ok(!showsWhatIsPrinted('a b', 'a\nc', false, 'anywhere'));
    assert.ok(!showsWhatIsPrinted('in 5 s', 'in 6 s', false));
    assert.ok(showsWhatIsPrinted('in 5 s      ok', 'in 2 h 6 min  ok', true));
    assert.ok(showsWhatIsPrinted('failed 1 s ago, attempt 1', 'failed now, attempt 1', true));
    assert.ok(!showsWhatIsPrinted('in 5 s  ok', 'in 6 s  failed', true));
  });

  test('finds a type error, and says where', async () => {
    const folder = join(stage.folder, 'wrong-types');
    mkdirSync(folder);
    const wrong = [
      ...page(
        '',
        '',
        '',
        '```js',
        "import { minutes } from 'obbligato';",
        'minutes(yours());',
        'minutes("1");',
        '```',
      ),
      ...page('', '```ts', "import { minutes } from 'obbligato';", "minutes('1');", '```'),
      ...fenced('ts', 'x;'),
    ];
    assert.deepEqual((await typeErrors(wrong, folder)).map(({ says }) => says.replace(/TS.*/, '')).sort(), [
      'page.md:2: error ',
      'page.md:4: error ',
      'page.md:7: error ',
    ]);
  });

  test('finds a program that fails, and one that prints something else', async () => {
    assert.match(await wrongOn(fenced('ts run', 'process.exitCode = 3;')), /page\.md:2: it exits with 3/);
    const printing = page('```ts', "console.log('b');", '```', '', '```text', 'a', '```');
    assert.match(await wrongOn(printing), /page\.md:2: it does not print what stands below it, but:\nb/);
  });

  test('finds commands that fail, do not exist, print something else, or end when they should not', async () => {
    const wrong = await wrongOn(
      fenced('sh', 'obbligato run --plian', 'npm run nothing', 'false', 'true # exits with 1'),
    );
    assert.match(wrong, /page\.md:2: obbligato run --plian\nit ended with 2 and never said/);
    assert.match(wrong, /page\.md:3: npm run nothing: no script nothing/);
    assert.match(wrong, /page\.md:4: false\nit exits with 1, not 0/);
    assert.match(wrong, /page\.md:5: .*\nit exits with 0, not 1/);
    assert.match(
      await wrongOn(fenced('console', '$ echo a', 'b')),
      /it does not print what the page shows, but:\na/,
    );
    const shown = page('```sh', 'echo a > x.ts', '```', '', '```ts written:x.ts', 'b', '```');
    assert.match(await wrongOn(shown), /page\.md:6: this is not what is in x\.ts, but:\na/);
  });

  test('does not call what is not for a test to call', async () => {
    const lines = [
      "kill -9 $(pgrep -f 'obbligato run')",
      'obbligato doctor && systemctl start x',
      'npx obbligato next "$(date)"',
    ];
    const wrong = await wrongOn(fenced('sh', ...lines, "obbligato next '30 2 * * *' # kill"));
    assert.deepEqual(wrong.match(/this test does not call .*/g), [
      'this test does not call kill, pgrep: exempt it',
      'this test does not call systemctl: exempt it',
      'this test does not call date: exempt it',
    ]);
  });

  test('finds data that is none', async () => {
    for (const [language, text] of [
      ['json', '{ a }'],
      ['yaml', 'a:\n\tb: 1'],
      ['ini', 'words'],
      ['crontab', '* * * ls'],
      ['dockerfile', 'FORM node'],
      ['text', ''],
    ])
      assert.match(await wrongOn(fenced(language, text)), /page\.md:2: /, language);
  });

  test('finds commands in sentences that name what is not there', async () => {
    const text =
      'Call `npm run nothing`, `obbligato chek`, `obbligato check --jsn`, `node --test\ntest/x.test.ts` or `npm ci`.';
    const complaints = await Promise.all(mentionsIn('page.md', text).map(wrongIn));
    assert.deepEqual(complaints, [
      'no script nothing',
      'there is no command chek',
      'check has no option --jsn',
      'there is no test/x.test.ts',
      undefined,
    ]);
    assert.match(
      (await complaintAbout(['run', 'campaign', '--', 'wrlds'])) ?? '',
      /there is no campaign "wrlds"/,
    );
    assert.match((await complaintAbout(['run', 'release', '--', 'many'])) ?? '', /it does not take many/);
    assert.match((await complaintAbout(['install', 'leftpad'])) ?? '', /knows no package leftpad/);
  });
});
