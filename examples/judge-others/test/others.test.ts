/**
 * The example that judges other schedulers, run as it is. What each of them breaks depends on its version, so the versions are
 * pinned here: after an update, look at the new table, see why it changed, and write it into the page.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

function example(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const fromSource = join(root, 'test/theory/fixtures/from-source.ts');
  return run(process.execPath, ['--import', fromSource, 'examples/judge-others/main.ts', ...words], {
    cwd: root,
  });
}

interface Answer {
  readonly versions: Readonly<Record<string, string>>;
  /** What the traces were made with that were recorded earlier. */
  readonly recorded: Readonly<
    Record<string, { date?: string; node?: string; version?: string; server?: string; notRun?: string }>
  >;
  readonly recordings: readonly string[];
  readonly table: string;
  readonly page: string;
  readonly judgements: readonly {
    readonly scheduler: string;
    readonly scenario: string;
    readonly conformant: boolean;
    readonly starts: number;
    readonly standing: string;
    readonly unjudged?: { readonly why: string; readonly words: string };
    readonly broken: readonly {
      readonly axiom: string;
      readonly because: string;
      readonly events: object[];
    }[];
  }[];
}

/** What each breaks, scenario by scenario; a scheduler that is not named breaks nothing. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  obbligato: {},
  croner: {
    downtime: 'L1',
    'cut-off': 'L1',
    spring: 'S1 S2',
    autumn: 'L1',
    'step-minute': 'S1 S2',
    'step-hours': 'S1 S2',
    retry: 'L1',
    stop: 'S3',
  },
  'node-cron': {
    'due-while-running': 'L1',
    downtime: 'L1',
    'cut-off': 'L1',
    asleep: 'L1',
    autumn: 'L1',
    'step-hours': 'L1',
    retry: 'L1',
  },
  cron: {
    'due-while-running': 'L1',
    downtime: 'L1',
    'cut-off': 'L1',
    asleep: 'L1',
    spring: 'S1 S2',
    autumn: 'L1',
    'step-hours': 'L1',
    retry: 'L1',
  },
  'node-schedule': {
    overlap: 'S1 Q2',
    'due-while-running': 'S1 Q2',
    downtime: 'L1',
    'cut-off': 'L1',
    frozen: 'S1 S2',
    asleep: 'S1 S2',
    spring: 'S1 S2',
    autumn: 'L1',
    'step-hours': 'L1',
    retry: 'L1',
  },
  'minute poller': {
    overlap: 'S1 Q2',
    'due-while-running': 'S1 Q2',
    downtime: 'L1',
    'cut-off': 'L1',
    frozen: 'L1',
    asleep: 'L1',
    'step-minute': 'S1 S2',
    'step-hours': 'S1 S2',
    retry: 'L1',
    stop: 'S3',
  },
  'pg-boss': { 'cut-off': 'L1', 'step-hours': 'L1' },
  'graphile-worker': {
    'cut-off': 'L1',
    frozen: 'S1 S2',
    asleep: 'S1 S2',
    spring: 'cannot',
    autumn: 'cannot',
    'step-hours': 'L1',
    retry: 'cannot',
  },
  bullmq: { spring: 'S1 S2', autumn: 'L1', 'step-hours': 'L1' },
};

describe('others, judged by the theory', () => {
  let answer: Answer;
  // It exits with 1, and this fails, if the control breaks anything.
  before(async () => {
    answer = JSON.parse((await example('--json')).stdout);
  });

  test('these versions are judged', () => {
    const { obbligato, ...peers } = answer.versions;
    assert.ok(obbligato);
    assert.deepEqual(peers, {
      croner: '11.0.0',
      'node-cron': '4.6.0',
      cron: '4.4.0',
      'node-schedule': '2.1.1',
      'minute poller': '',
      'pg-boss': '12.35.0',
      'graphile-worker': '0.18.0',
      bullmq: '6.7.0',
    });
  });

  test('what was recorded earlier was recorded with these versions, on a day and a server that the pages name', () => {
    const pages = ['judgements.md', 'judging-others.md'].map((name) =>
      readFileSync(join(root, 'docs', name), 'utf8'),
    );
    assert.deepEqual(Object.keys(answer.recorded), ['pg-boss', 'graphile-worker', 'bullmq']);
    for (const [name, { date, node, version, server, notRun }] of Object.entries(answer.recorded)) {
      assert.equal(version, answer.versions[name], `${name}: npm run docs:judgements records it again`);
      assert.match(`${date} ${node}`, /^\d{4}-\d\d-\d\d v\d+\./);
      assert.ok(notRun ?? /^(PostgreSQL|Redis) \d/.test(server ?? ''), name);
    }
    for (const page of pages) for (const words of answer.recordings) assert.ok(page.includes(words), words);
  });

  test('the control is conformant in every scenario, and each other breaks exactly what the table says', () => {
    const found: Record<string, Record<string, string>> = Object.fromEntries(
      Object.keys(answer.versions).map((name) => [name, {}]),
    );
    for (const { scheduler, scenario, conformant, starts, broken, unjudged } of answer.judgements) {
      if (unjudged !== undefined) {
        found[scheduler][scenario] = unjudged.why;
        continue;
      }
      if (broken.length > 0) found[scheduler][scenario] = broken.map(({ axiom }) => axiom).join(' ');
      assert.equal(conformant, broken.length === 0);
      assert.ok(starts > 0, `${scheduler} did something in ${scenario}`);
    }
    assert.deepEqual(found, expected);
    assert.equal(answer.judgements.length, 9 * 13);
  });

  test('everything broken comes with a sentence and with events', () => {
    for (const { broken } of answer.judgements)
      for (const { because, events } of broken) {
        assert.match(because, /^("|stop\(\)).*\d{4}-\d\d-\d\dT/);
        assert.ok(events.length >= 2);
      }
  });

  test('nobody breaks what its documentation promises', () => {
    const promised = answer.judgements.filter(({ standing }) => standing === 'promised');
    assert.ok(promised.length >= 5);
    assert.deepEqual(
      promised.filter(({ conformant, unjudged }) => !conformant && unjudged === undefined),
      [],
    );
  });

  test('the page shows the table as it is printed', () => {
    const page = readFileSync(join(root, 'docs', 'judging-others.md'), 'utf8');
    assert.ok(page.includes(answer.table), answer.table);
  });

  test('docs/judgements.md has every cell with its proof', () => {
    const page = readFileSync(join(root, 'docs', 'judgements.md'), 'utf8');
    assert.ok(page.includes(answer.page), 'it is out of date: npm run docs:judgements rewrites it');
    assert.match(page, /Judged on \d{4}-\d\d-\d\d with Node v\d+/);
    const cells = answer.judgements.filter(({ broken }) => broken.length > 0);
    assert.equal(page.match(/^### /gm)?.length, cells.length);
  });

  test('for people: a table, how each was set up, and the proof with what is promised', async () => {
    const { stdout, stderr } = await example('croner', 'stop');
    assert.equal(stderr, '');
    assert.match(stdout, /^\| scenario \| croner 11\.0\.0 \|\n/);
    assert.match(stdout, /^\| stop {5}\| S3 – {10}\|$/m);
    assert.match(stdout, /croner 11\.0\.0 +\{ timezone, protect: true/);
    assert.match(stdout, /croner \(1 start\): not promised by croner\n {4}S3 .*stop\(\) returned at/);
    assert.match(stdout, /line 5 +2027-01-12 10:03:30 GMT−5 {2}StopEnd/);
  });
});
