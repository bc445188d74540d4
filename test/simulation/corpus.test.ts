/** Replays the scenarios that failed once. Also: how a scenario is printed, for people and as a test. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createWorld, describeScenario, regressionTest, runTwice } from '../../src/simulation/index.ts';
import { CORPUS } from './corpus.ts';

describe('the corpus', () => {
  for (const { file, rule, scenario } of CORPUS) {
    test(`${rule} ${file}`, async () => {
      const { violations } = await runTwice(createWorld({ scenario }));
      assert.deepEqual(violations, []);
    });
  }
});

test('a scenario is one readable line per event', () => {
  const [{ scenario }] = CORPUS.filter(({ file }) => file.startsWith('due-in-the-turn'));
  assert.equal(
    describeScenario(scenario),
    [
      'seed 10223: 2026-06-01T19:46:46.867Z UTC, no bound on workers',
      '  +00:03:18.749 start [t2 "* * * * *" 5000 ms]',
      '  +00:03:55.615 crash before port call 76, back after 42 ms',
      '  +00:26:35.823 the wall clock is set by -30000 ms',
      '  +00:26:38.912 held for 89081 ms',
    ].join('\n'),
  );
});

test('the printed test can be run as it is', async (t) => {
  const [{ scenario }] = CORPUS.filter(({ file }) => file.startsWith('due-in-the-turn'));
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  linkSources(folder);
  const run = (title: string, text: string): string => {
    const file = join(folder, `${title}.test.mjs`);
    writeFileSync(file, text);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], { encoding: 'utf8', env })
      .stdout;
  };
  const text = regressionTest(scenario, 'A2 kept');
  assert.match(run('as printed', text), /^ok 1 - A2 kept$[\s\S]*^# pass 1$/m);
  // It can also fail.
  const wrong = text.replace('assert.deepEqual(violations, [])', 'assert.notDeepEqual(violations, [])');
  assert.match(run('turned round', wrong), /^not ok 1 - A2 kept$[\s\S]*^# fail 1$/m);
});

/**
 * Makes `obbligato` mean the sources for all files in the folder. Node strips no types below node_modules, but it follows links.
 */
function linkSources(folder: string): void {
  const self = join(folder, 'self');
  mkdirSync(join(folder, 'node_modules'));
  mkdirSync(self);
  symlinkSync(join(import.meta.dirname, '../../src'), join(self, 'src'));
  symlinkSync(self, join(folder, 'node_modules/obbligato'));
  const doors = { './simulation': './src/simulation/index.ts' };
  writeFileSync(
    join(self, 'package.json'),
    JSON.stringify({ name: 'obbligato', type: 'module', exports: doors }),
  );
}
