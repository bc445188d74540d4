/**
 * Style that a machine can hold: which folder may import which, who may touch clock, timers and I/O, and
 * that no file lies about unused. Adding a folder means adding its line to `layers`.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, test } from 'node:test';

const root = dirname(import.meta.dirname);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const list = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (name) => /(^|\/)node_modules(\/|$)/.test(String(name)) })
    .map((file) => normalize(String(file)))
    .sort();

/**
 * Each folder of `src`, and what it may import beside itself and `errors.ts`. Imports point downwards only. A folder within a folder has
 * a line of its own where that order matters.
 */
const layers: Record<string, readonly string[]> = {
  // Small pieces of text that several folders need: numbers, lists and times in words, the nearest word, lines.
  text: [],
  time: ['text'],
  cron: ['time', 'text'],
  core: ['cron', 'time'],
  executor: ['core', 'time'],
  store: ['core', 'time'],
  // A trace is written by one side and judged by the other, so it knows neither; the loader is of the platform's SQLite, for a lock.
  trace: ['store/sqlite-load.ts'],
  scheduler: ['executor', 'store', 'core', 'cron', 'time', 'trace'],
  // Ready-made callbacks that run programs.
  command: ['scheduler/index.ts', 'text', 'time'],
  // The oracle must not share the scheduler's code, or it could not find the scheduler's bugs.
  theory: ['time', 'trace'],
  // The world sees the scheduler through its public door and its trace, never its internals.
  simulation: ['scheduler/index.ts', 'testing/index.ts', 'theory', 'store', 'core', 'time', 'trace'],
  'simulation/scenario': ['scheduler/index.ts'],
  // The judges do not know the machine, and the machine knows no judge, only their common interface.
  'simulation/judges': ['simulation/scenario', 'scheduler/index.ts', 'theory', 'store', 'core', 'trace'],
  'simulation/machine': [
    'simulation/scenario',
    'simulation/judges/judge.ts',
    'scheduler/index.ts',
    'store',
    'time',
    'trace',
  ],
  // The clock for users' tests sees the scheduler through its public door, too.
  testing: ['scheduler/index.ts', 'store', 'executor/thenable.ts', 'time'],
  // The command line is a client of the library, as any other: it comes in by the public doors. What it misses there, users miss too.
  // `text` is internal: the same words and lines in the library's messages and in the command line's.
  cli: ['index.ts', 'config.ts', 'cron/index.ts', 'theory/index.ts', 'simulation/index.ts', 'text'],
};

/** Folders that decide and never act: no clock, no timer, no I/O, no chance. */
const pure = ['cron', 'time', 'core', 'text'];
/** The places of theirs that may ask the host for its clock, its zone, and its timers. */
const ports = ['src/time/host.ts', 'src/time/host-clock.ts'];
/** Who may import them. Everybody else is given the time and the zone, or could not be simulated. */
const mayAskTheHost = [
  'src/cron/expression.ts',
  'src/cron/index.ts',
  'src/executor/executor.ts',
  'src/scheduler/options.ts',
  'src/scheduler/scheduler.ts',
  'src/scheduler/with-timeout.ts',
];
const impure: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\b|\bhrtime\b/, 'reads a clock'],
  // Without an argument these speak of now.
  [/\bTemporal\.Now\b|\.format(ToParts)?\(\s*(undefined\s*)?\)/, 'reads a clock'],
  [/\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/, 'sets a timer'],
  [/['"]node:|\bprocess\b|\bconsole\b|\bfetch\(/, 'does I/O'],
  [/\bMath\.random\b|\bcrypto\b/, 'rolls dice'],
];

const sources = list('src/**/*.ts');
const importPattern = /(?:(?<!['"])\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\1/g;
const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** The project files that a file imports, as paths from the root. */
function importsOf(file: string): string[] {
  return [...withoutComments(read(file)).matchAll(importPattern)]
    .map((match) => match[2] ?? '')
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)));
}

/** Everything that can be reached by imports from the given files. */
function reachable(from: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const waiting = [...from];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    waiting.push(...importsOf(file));
  }
  return seen;
}

const folderOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];

/** The line of `layers` that a file is held to: that of the innermost folder that has one. */
const layerOf = (file: string): string | undefined =>
  Object.keys(layers).findLast((folder) => file.startsWith(`src/${folder}/`));

describe('tidy', () => {
  test('every folder of src has its place in the import order', () => {
    const folders = new Set(sources.map(folderOf).filter((folder) => folder !== undefined));
    assert.deepEqual(
      [...folders].filter((folder) => !(folder in layers)),
      [],
    );
  });

  test('imports point downwards', () => {
    const wrong: string[] = [];
    for (const file of sources) {
      const folder = layerOf(file);
      if (folder === undefined) continue;
      for (const target of importsOf(file)) {
        const path = relative('src', target);
        const allowed = [
          `${folder}/`,
          'errors.ts',
          ...(layers[folder] ?? []).map((to) => (to.endsWith('.ts') ? to : `${to}/`)),
        ];
        if (!allowed.some((prefix) => path.startsWith(prefix))) wrong.push(`${file} imports ${target}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('the library has no run-time dependency; an optional peer is declared as one', () => {
    const { dependencies, peerDependenciesMeta = {} } = JSON.parse(read('package.json'));
    assert.equal(dependencies, undefined);
    const wrong = sources.flatMap((file) =>
      [...withoutComments(read(file)).matchAll(importPattern)]
        .map((match) => match[2] ?? '')
        .filter(
          (specifier) => !/^(\.|node:)/.test(specifier) && peerDependenciesMeta[specifier]?.optional !== true,
        )
        .map((specifier) => `${file} imports ${specifier}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('the pure folders touch no clock, timer or I/O', () => {
    const wrong: string[] = [];
    for (const file of sources) {
      if (!pure.includes(folderOf(file) ?? '') || ports.includes(file)) continue;
      const code = withoutComments(read(file));
      for (const [pattern, what] of impure) {
        const found = pattern.exec(code);
        if (found) wrong.push(`${file} ${what}: ${found[0]}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('what reads a clock, sets a timer, does I/O or rolls dice is known for it', () => {
    const isImpure = (code: string): boolean => impure.some(([pattern]) => pattern.test(code));
    const guilty = [
      'Date.now()',
      'new Date( )',
      'Temporal.Now.instant()',
      'format.format()',
      'new Intl.DateTimeFormat("en").formatToParts( )',
      'performance.now()',
      'setTimeout(f, 5)',
      'process.env.TZ',
      'Math.random()',
    ];
    assert.deepEqual(
      guilty.filter((code) => !isImpure(code)),
      [],
    );
    const innocent = [
      'new Date(5)',
      'format.format(instant)',
      'Temporal.Instant.from(text)',
      'Date.UTC(2027)',
    ];
    assert.deepEqual(innocent.filter(isImpure), []);
  });

  test('only who is named asks the host for its clock and zone', () => {
    const wrong = sources.filter(
      (file) => importsOf(file).some((target) => ports.includes(target)) && !mayAskTheHost.includes(file),
    );
    assert.deepEqual(wrong, []);
  });

  test('every source file is reached from a public door', () => {
    const { exports, bin = {} } = JSON.parse(read('package.json'));
    const doors = [...Object.values<string | { default: string }>(exports), ...Object.values<string>(bin)]
      .map((target) => (typeof target === 'string' ? target : target.default))
      .filter((target) => target.startsWith('./dist/'))
      .map((target) => normalize(target.replace('./dist/', 'src/').replace(/\.js$/, '.ts')));
    const used = reachable(doors);
    assert.deepEqual(
      sources.filter((file) => !used.has(file)),
      [],
    );
  });

  test('every other file is run by something or imported by what is', () => {
    const scripts = Object.values<string>(JSON.parse(read('package.json')).scripts).join('\n');
    const named = `${scripts}\n${read('.ci/run')}\n${read('CONTRIBUTING.md')}\n${read('README.md')}`;
    const helpers = list('{test,bench,scripts,examples}/**/*.ts');
    const isRun = (file: string): boolean =>
      file.endsWith('.test.ts') || file.endsWith('.bench.ts') || named.includes(file);
    const used = reachable(helpers.filter(isRun));
    const fixtures = helpers.filter((file) => file.includes('/fixtures/'));
    const testTexts = helpers
      .filter((file) => file.endsWith('.test.ts'))
      .map(read)
      .join('\n');
    assert.deepEqual(
      helpers.filter(
        (file) =>
          !used.has(file) &&
          !(fixtures.includes(file) && testTexts.includes(file.slice(file.indexOf('fixtures/')))),
      ),
      [],
    );
  });

  test('links in the documents lead somewhere, and every document is linked', () => {
    const documents = list('{*.md,docs/**/*.md}');
    const linked = new Set(['README.md']);
    const broken: string[] = [];
    for (const document of documents) {
      for (const [, target] of read(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)) {
        const path = normalize(join(dirname(document), target ?? ''));
        linked.add(path);
        if (!existsSync(join(root, path))) broken.push(`${document} links to ${target}`);
      }
    }
    assert.deepEqual(broken, []);
    assert.deepEqual(
      documents.filter((document) => !linked.has(document)),
      [],
    );
  });

  test('file lengths', (t) => {
    const lengths = list('{src,test,bench,scripts,examples}/**/*.ts')
      .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
      .sort((a, b) => b.lines - a.lines);
    const long = lengths.filter(({ lines }) => lines > 250);
    t.diagnostic(`${lengths.length} files; ${long.length} over 250 lines`);
    for (const { file, lines } of long) t.diagnostic(`${lines} lines: ${file}`);
    assert.ok(lengths.length > 0);
  });
});
