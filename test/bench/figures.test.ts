/** From samples to medians, tables, charts and pages. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { benchmarks, documents } from '../../bench/benchmarks.ts';
import { readArguments, UsageError } from '../../bench/runner/arguments.ts';
import { chartOf } from '../../bench/runner/charts.ts';
import { storedResult, withFigures } from '../../bench/runner/page.ts';
import { type Environment, resultOf, type ScenarioResult } from '../../bench/runner/result.ts';
import { FASTEST_PEER, type Scenario } from '../../bench/runner/scenario.ts';
import { summarize } from '../../bench/runner/statistics.ts';
import { markdownTable } from '../../bench/runner/tables.ts';
import { multiple, shown } from '../../bench/runner/units.ts';

const environment: Environment = {
  date: '2026-11-16',
  node: '24.0.0',
  platform: 'linux x64',
  cores: 2,
  processor: 'A & B <fast>',
  memoryBytes: 8e9,
  load: 0.5,
};
const facts = { environment, isQuick: false, isInterrupted: false, runs: 3 };

const scenario: Scenario = {
  name: 'shown',
  title: 'less than < & more',
  about: 'How.',
  runs: 3,
  metrics: [{ key: 'timeMs', title: 'time', unit: 'ms' }],
  contenders: [
    { name: 'ours', role: 'ours', steps: [] },
    { name: 'slow', role: 'peer', steps: [] },
    { name: 'slower', role: 'peer', steps: [] },
    { name: 'limit', role: 'limit', steps: [] },
  ],
  bounds: [
    { metric: 'timeMs', contender: 'ours', atMost: 0.5, times: FASTEST_PEER },
    { metric: 'timeMs', contender: 'ours', atMost: 3, times: 'limit' },
    { metric: 'timeMs', contender: 'ours', atMost: 15 },
    { metric: 'unknown', contender: 'ours', atMost: 15 },
  ],
};
const samples = [
  [10, 20, 30],
  [50, 40, 60],
  [500, 400, 600],
  [5, 5, 5],
].map((times) => ({ figures: times.map((timeMs) => ({ timeMs })), failures: [] }));
const result = resultOf(scenario, samples, facts);

const growing: ScenarioResult = resultOf(
  {
    ...scenario,
    bounds: [],
    contenders: [1000, 10_000].flatMap((tasks) => [
      { name: `ours ${tasks}`, role: 'ours', tasks, steps: [] },
      { name: `limit ${tasks}`, role: 'limit', tasks, steps: [] },
    ]),
  },
  samples,
  facts,
);

/** Every element is closed in its order, every attribute is quoted and named once, and no bare & or < is left. */
function assertWellFormed(xml: string): void {
  const open: string[] = [];
  const rest = xml.replace(
    /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, closes, name, attributes, isEmpty) => {
      const names = [...attributes.matchAll(/([\w:-]+)="/g)].map(([, each]) => each);
      assert.equal(new Set(names).size, names.length, attributes);
      if (closes === '/') assert.equal(open.pop(), name);
      else if (isEmpty !== '/') open.push(name);
      return '';
    },
  );
  assert.deepEqual(open, []);
  assert.doesNotMatch(rest, /<|&(?!(amp|lt|gt|quot);)/);
}

describe('figures of benchmarks', () => {
  test('the median of an odd number of samples is the one in the middle, of an even number between two', () => {
    assert.deepEqual(summarize([3, 1, 2]), {
      samples: [3, 1, 2],
      median: 2,
      min: 1,
      max: 3,
      lowerQuartile: 1.5,
      upperQuartile: 2.5,
    });
    assert.equal(summarize([4, 1, 3, 2]).median, 2.5);
    assert.equal(summarize([10, 9, 100]).median, 10, 'samples are sorted as numbers');
    assert.equal(summarize([7]).upperQuartile, 7);
  });

  test('ours is compared with the limit, a peer with ours, each at its own number of tasks', () => {
    const [ours, slow] = result.contenders.map(({ figures }) => figures.timeMs);
    assert.deepEqual([ours.toLimit, slow.toOurs, slow.toLimit], [4, 2.5, 10]);
    assert.deepEqual(
      growing.contenders.map(({ figures }) => figures.timeMs.toLimit),
      [0.4, 1, 100, 1],
    );
  });

  test('a bound is met, missed, or, if one side was not measured, left out', () => {
    assert.deepEqual(
      result.bounds.map(({ isMet }) => isMet),
      [true, false, false],
    );
    assert.match(result.bounds[0].says, /at most 1\/2 of the fastest peer, 25 ms/);
  });

  test('figures have three digits and the unit that reads best', () => {
    assert.deepEqual(
      [0.0123, 0.5, 3.456, 45.67, 992.4, 12_345].map((ms) => shown(ms, 'ms')),
      ['12.3 µs', '500 µs', '3.46 ms', '45.7 ms', '992 ms', '12.3 s'],
    );
    assert.deepEqual(
      [220.4, 83_088, 41_234_567].map((bytes) => shown(bytes, 'B')),
      ['220 B', '83,088 B', '41.2 MB'],
    );
    assert.deepEqual([0.0812, 3.44, 12.6, 1234].map(multiple), ['0.08×', '3.4×', '13×', '1,234×']);
  });

  test('a table for a page has the median, the spread and the ratio of each contender', () => {
    assert.equal(
      markdownTable(result),
      [
        '| | time |',
        '|---|---|',
        '| **ours** | 20 ms (10 ms – 30 ms; 4.0× the limit) |',
        '| slow | 50 ms (40 ms – 60 ms; 2.5× ours) |',
        '| slower | 500 ms (400 ms – 600 ms; 25× ours) |',
        '| limit | 5 ms (5 ms – 5 ms) |',
      ].join('\n'),
    );
  });

  test('charts are well-formed, without scripts, the same for the same data, and show every contender', () => {
    for (const each of [result, growing]) {
      const svg = chartOf(each);
      assertWellFormed(svg);
      assert.doesNotMatch(svg, /script|href|NaN|undefined|Infinity/);
      assert.match(svg, /prefers-color-scheme: dark/);
      assert.equal(chartOf(structuredClone(each)), svg);
    }
    for (const { name } of result.contenders) assert.ok(chartOf(result).includes(`>${name}</text>`), name);
    assert.equal(chartOf(growing).match(/<polyline /g)?.length, 2);
    assert.throws(() => assertWellFormed('<svg><g></svg></g>'));
    assert.throws(() => assertWellFormed('<svg a="1" a="2"/>'));
  });

  test('a figure of nothing has a place on the axis', () => {
    const idle = samples.map(() => ({ figures: [{ timeMs: 0 }, { timeMs: 0.5 }], failures: [] }));
    const svg = chartOf(resultOf(scenario, idle, facts));
    assertWellFormed(svg);
    assert.doesNotMatch(svg, /NaN|Infinity/);
  });

  test('a page shows what is stored, and says so where nothing is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-test-'));
    try {
      writeFileSync(join(folder, 'shown.json'), JSON.stringify(result));
      const page =
        '<!-- bench: shown table -->\nold\n<!-- /bench -->\n\n<!-- bench: missing -->\n<!-- /bench -->\n';
      const written = withFigures(page, folder, 'benchmarks');
      assert.ok(
        written.includes(markdownTable(result)) && !written.includes('.svg') && !written.includes('old'),
      );
      assert.match(written, /<!-- bench: missing -->\n\nNot measured yet\.\n/);
      assert.equal(withFigures(written, folder, 'benchmarks'), written);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the words behind npm run bench', () => {
  const read = (...words: string[]) => readArguments(words, benchmarks, 'docs');

  test('a wrong one is an error that says what is right', () => {
    assert.throws(() => read('--runs', '0'), /--runs takes a whole number from 1 to 1000, not "0"/);
    assert.throws(() => read('--runs', '2.5'), UsageError);
    assert.throws(() => read('--rums', '3'), /--rums/);
    assert.throws(() => read('--only', 'schedule'), /Did you mean scheduler\?/);
  });

  test('without names it is everything, and each scenario has its own number of runs', () => {
    assert.deepEqual(read(), {
      wants: 'run',
      chosen: benchmarks,
      runs: undefined,
      isQuick: false,
      isJson: false,
      out: 'docs',
    });
    assert.deepEqual(
      read('cron', '--only', 'scheduler-peers').chosen.scenarios.map(({ name }) => name),
      ['scheduler-peers'],
    );
    assert.equal(read('--quick').runs, 1);
    assert.equal(read('--quick', '--runs', '4').runs, 4);
    assert.equal(read('--help').wants, 'help');
  });
});

/** If one of these fails because a chart or a table is drawn differently now, `npm run bench -- --redraw` writes them again. */
describe('the figures in the documents', () => {
  test('pages and charts are what the stored results make of them: no figure is typed', () => {
    for (const page of documents.pages) {
      const text = readFileSync(page, 'utf8');
      assert.equal(
        text,
        withFigures(text, documents.folder, relative(dirname(page), documents.folder)),
        page,
      );
    }
    for (const { name } of benchmarks.scenarios) {
      const stored = storedResult(documents.folder, name);
      const chart = join(documents.folder, `${name}.svg`);
      if (stored !== undefined) assert.equal(readFileSync(chart, 'utf8'), chartOf(stored), chart);
    }
  });

  test('every scenario is on the page about performance', () => {
    const [performance] = documents.pages.map((page) => readFileSync(page, 'utf8'));
    for (const { name } of benchmarks.scenarios)
      assert.ok(performance.includes(`<!-- bench: ${name} -->`), name);
  });
});
