/**
 * Style that a machine can hold: which folder may import which, who may touch clock, timers and I/O, and
 * that no file is unused. Adding a folder means adding its line to `layers`. The limits of length are in tidy-limits.test.ts, those of shape in tidy-shape.test.ts.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, test } from 'node:test';
import { doors, importsOf, list, parse, read, root, source } from './tidy/sources.ts';

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
  executor: ['core', 'time', 'thread.ts'],
  store: ['core', 'time', 'text', 'thread.ts'],
  // What a cluster decides, so that a model can be made of exactly that.
  'store/cluster': ['store/overlay.ts', 'store/port.ts', 'core'],
  // What such a store brings along for each scheduler. It knows no database.
  'store/sharing': ['store/port.ts', 'store/errors.ts', 'store/cluster', 'core', 'time'],
  // A trace is written by one side and judged by the other, so it knows neither; the loader is of the platform's SQLite, for a lock.
  trace: ['store/sqlite-load.ts', 'thread.ts', 'text', 'time/duration.ts'],
  scheduler: ['guest.ts', 'executor', 'store', 'core', 'cron', 'time', 'trace', 'text'],
  // What a store says of its tasks, for programs.
  status: ['store', 'core', 'cron', 'time', 'text'],
  // Ready-made callbacks that run programs.
  command: ['scheduler/index.ts', 'text', 'time'],
  // The oracle must not share the scheduler's code, or it could not find the scheduler's bugs.
  theory: ['trace'],
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
  testing: ['scheduler/index.ts', 'store', 'executor/thenable.ts', 'time', 'text'],
  // Metrics, pings: they hang on events and on the store, by the public doors.
  telemetry: [
    'index.ts',
    'config.ts',
    'guest.ts',
    'scheduler/index.ts',
    'text',
    'time',
    'http.ts',
    'version.ts',
  ],
  // The one folder that imports OpenTelemetry's package.
  opentelemetry: ['telemetry', 'index.ts', 'config.ts', 'text'],
  // The page sees a schedule through its store, by the library's public doors.
  dashboard: ['index.ts', 'config.ts', 'guest.ts', 'cron/index.ts', 'telemetry/index.ts', 'text', 'http.ts'],
  // The command line is a client of the library, as any other: it comes in by the public doors. What it misses there, users miss too.
  // `text` is internal: the same words and lines in the library's messages and in the command line's.
  cli: [
    'index.ts',
    'config.ts',
    'cron/index.ts',
    'theory/index.ts',
    'simulation/index.ts',
    'telemetry/index.ts',
    'dashboard/index.ts',
    'postgres.ts',
    'text',
    'guest.ts',
    'thread.ts',
    'version.ts',
  ],
};

/** Folders that decide and never act: no clock, no timer, no I/O, no chance. */
const pure = ['cron', 'time', 'core', 'text', 'store/cluster'];
/** The places of theirs that may ask the host for its clock, its zone, and its timers. */
const ports = ['src/time/host.ts', 'src/time/host-clock.ts'];
/** Who may import them. Everybody else is given the time and the zone, or could not be simulated. */
const mayAskTheHost = [
  'src/cron/expression.ts',
  'src/cron/index.ts',
  'src/executor/executor.ts',
  'src/scheduler/calm-clock.ts',
  'src/scheduler/settled-options.ts',
  'src/scheduler/plan-preview.ts',
  'src/scheduler/scheduler.ts',
  'src/scheduler/with-timeout.ts',
  'src/status/health.ts',
  'src/status/task-status.ts',
  'src/status/zone-of-store.ts',
  'src/telemetry/pings.ts',
  'src/telemetry/sources.ts',
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
const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

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

  test('an import is found in each of its forms, and a text that looks like one is none', () => {
    const code = `
      import first, { second as other } from './named.ts';
      import type { Third } from './types.ts';
      import * as all from './space.ts';
      import './effect.ts';
      export { fourth } from './passed-on.ts';
      export * from './passed-on-all.ts';
      const later = await import('./later.ts');
      type Fifth = import('./in-a-type.ts').Fifth;
      const thread = new URL('./in-a-thread.ts', import.meta.url);
      // import './comment.ts';
      const text = \`import { sixth } from './text.ts'\`;
    `;
    assert.deepEqual(
      parse('forms.ts', code).imports.map(({ specifier, names }) => [specifier, names]),
      [
        ['./named.ts', ['second', 'default']],
        ['./types.ts', ['Third']],
        ['./space.ts', 'all'],
        ['./effect.ts', []],
        ['./passed-on.ts', ['fourth']],
        ['./passed-on-all.ts', 'all'],
        ['./later.ts', 'all'],
        ['./in-a-type.ts', 'all'],
        ['./in-a-thread.ts', 'all'],
      ],
    );
  });

  test('an import by a name that is made up at run time means every file that can have it', () => {
    const code = 'await import(`./contenders/peers/$' + '{peer}.ts`);';
    assert.deepEqual(
      parse('bench/x.ts', code).imports.map(({ specifier }) => specifier),
      ['cron', 'croner', 'node-cron', 'node-schedule'].map((name) => `./contenders/peers/${name}.ts`),
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
      source(file)
        .imports.map(({ specifier }) => specifier)
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
    const used = reachable(doors());
    // A database decides by statements; these decisions are what they are tested against.
    const model = ['src/store/cluster/members.ts', 'src/store/cluster/rows.ts'];
    assert.deepEqual(
      sources.filter((file) => !used.has(file) && !model.includes(file)),
      [],
    );
  });

  test('every other file is run by something or imported by what is', () => {
    const scripts = Object.values<string>(JSON.parse(read('package.json')).scripts).join('\n');
    const named = `${scripts}\n${read('.ci/run')}\n${read('CONTRIBUTING.md')}\n${read('README.md')}`;
    const helpers = list('{test,bench,examples,publishing,scripts,site/test}/**/*.ts');
    const isRun = (file: string): boolean =>
      file.endsWith('.test.ts') || file.endsWith('.bench.ts') || named.includes(file);
    const used = reachable(helpers.filter(isRun));
    const fixtures = helpers.filter((file) => file.includes('/fixtures/'));
    const testTexts = helpers
      .filter((file) => file.startsWith('test/') && used.has(file))
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
});
