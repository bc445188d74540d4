/**
 * The alert rules as Prometheus itself judges them: `promtool check rules`, and `promtool test rules` of alerts.test.yml. Where it is installed (Debian has it in the package
 * `prometheus`), or named by PROMTOOL, it is asked. Its answers are recorded with what they are about, so that elsewhere a change of a rule without its answer
 * fails. UPDATE_DOCS=1 records them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { minutes } from '../../src/index.ts';
import { fails, stage } from './stage.ts';

const root = join(import.meta.dirname, '../..');
const RECORD = join(import.meta.dirname, 'promtool.json');
const promtool = process.env.PROMTOOL ?? 'promtool';
const isInstalled = spawnSync(promtool, ['--version']).status === 0;

interface Answer {
  readonly code: number | null;
  readonly out: string;
}

function ask(words: readonly string[], input = ''): Answer {
  const { status, stdout, stderr } = spawnSync(promtool, words, { cwd: root, encoding: 'utf8', input });
  return { code: status, out: `${stdout}${stderr}` };
}

const digestOf = (...texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\0')).digest('hex');

/** The page of a scheduler of which runs have failed. */
async function scrape(): Promise<string> {
  const { clock, scheduler, measured } = stage();
  await scheduler.initialize([['bad', '* * * * *', fails, minutes(1)]]);
  await clock.advance(minutes(1));
  const text = await measured.text();
  const stopped = scheduler.stop();
  await clock.advance(minutes(1));
  await stopped;
  measured.close();
  return text;
}

test('promtool finds nothing wrong with the rules, and alerts come when they are to come', () => {
  const [rules, tests] = ['docs/telemetry/alerts.yml', 'test/telemetry/alerts.test.yml'];
  const of = digestOf(...[rules, tests].map((file) => readFileSync(join(root, file), 'utf8')));
  const answers = isInstalled
    ? {
        of,
        check: ask(['check', 'rules', rules]),
        rules: ask(['test', 'rules', tests]),
      }
    : undefined;
  if (process.env.UPDATE_DOCS !== undefined && answers !== undefined)
    writeFileSync(RECORD, `${JSON.stringify(answers, null, 2)}\n`);
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8'));
  assert.equal(
    recorded.of,
    of,
    'rules or their tests have changed: with promtool, UPDATE_DOCS=1 records what it says',
  );
  for (const { check, rules: played } of [recorded, ...(answers === undefined ? [] : [answers])]) {
    assert.match(check.out, /SUCCESS: \d+ rules found/);
    assert.match(played.out, /SUCCESS/);
    assert.deepEqual([check.code, played.code], [0, 0]);
  }
});

test('promtool takes a real page, where it is installed', async () => {
  const page = await scrape();
  assert.match(page, /^obbligato_runs_total\{outcome="failure",task="bad"\} \d+$/m);
  if (isInstalled) assert.deepEqual(ask(['check', 'metrics'], page), { code: 0, out: '' });
});
