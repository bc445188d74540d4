/** Narrow and low terminals, real ones: what is asked for is still there, and no line runs over the edge. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { storeWith } from './damaged-store.ts';
import { cli, inOneLine, project } from './kit.ts';
import { CTRL_C, Terminal } from './terminal.ts';

/** What a command has left on a screen that is high enough for all of it. */
async function shown(words: readonly string[], columns: number, cwd?: string): Promise<string[]> {
  const terminal = new Terminal(words, { columns, rows: 120, ...(cwd === undefined ? {} : { cwd }) });
  await terminal.exited;
  return terminal.screen.split('\n').map((line) => line.trimEnd());
}

describe('a narrow terminal', () => {
  test('next lets go of the distance, not of the date', async () => {
    const words = ['next', '30 2 * * *', '--tz', 'Europe/Stockholm', '--from', '2027-03-27', '-n', '2'];
    const narrow = await shown(words, 60);
    assert.deepEqual(narrow.slice(2, 5), [
      '  Sat 2027-03-27 02:30 +01:00',
      '  Sun 2027-03-28 02:30 skipped',
      '  Mon 2027-03-29 02:30 +02:00',
    ]);
    const wide = await shown(words, 90);
    assert.equal(wide[2], '  Sat 2027-03-27 02:30 +01:00  in 2 h 30 min');
  });

  test('preview says its busiest minutes in sentences, with the names', async () => {
    const cwd = project(`{ tasks: [
      ['invoices', '0 6 * * *', () => {}, minutes(1)],
      ['report-of-the-day', '0 6 * * *', () => {}, minutes(1)],
    ], timeZone: 'UTC' }`);
    const lines = await shown(['preview', '--days', '10', '--from', '2027-03-27'], 30, cwd);
    const at = lines.indexOf('Busiest minutes');
    assert.deepEqual(lines.slice(at + 1, at + 4), [
      '  2 tasks at 06:00, 10 times:',
      '  invoices, report-of-the-day',
      '',
    ]);
  });

  test('help is set to the width, and to 100 columns at most; what can be typed stays whole', async () => {
    for (const columns of [50, 240]) {
      const lines = await shown(['status', '--help'], columns);
      const text = lines.slice(0, lines.indexOf('Examples'));
      assert.ok(text.length > 20);
      for (const line of text) assert.ok(line.length <= Math.min(columns, 100), line);
    }
    const { stdout } = await cli(['check', '--help']);
    assert.ok(
      stdout.split('\n').every((line) => line.length <= 100),
      stdout,
    );
    assert.match(stdout, /\n {2}--all {14}the informative parts .*\n {21}polling specification\n/);
  });

  test('status wraps its heading', async (t) => {
    const { folder } = await storeWith(t, [fullRecord('a')]);
    const lines = await shown(['status'], 40, folder);
    const heading = lines.slice(0, lines.indexOf(''));
    assert.ok(heading.length > 2);
    assert.match(
      inOneLine(heading.join('\n')),
      /obbligato\.db: no scheduler runs on it, 1 task UTC \(the host's; give the configuration to read its zone\)$/,
    );
  });
});

describe('a low terminal', () => {
  test('status --watch keeps its heading in sight, in one line, with the first tasks below', async (t) => {
    const { folder } = await storeWith(t, ['a', 'b', 'c', 'd'].map(fullRecord));
    const terminal = new Terminal(['status', '--watch'], { cwd: folder, columns: 40, rows: 5 });
    const screen = await terminal.shows(/more lines/);
    const [heading, head, first, more] = screen.split('\n');
    assert.match(heading, /no scheduler runs on it, 4 tasks/);
    assert.match(head, /^TASK /);
    assert.match(first, /^a /);
    assert.match(more, /^… and 3 more lines/);
    terminal.press(CTRL_C);
    assert.equal(await terminal.exited, 0);
  });
});
