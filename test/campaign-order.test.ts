/** What the words of `npm run campaign` mean, and which code a portion belongs to. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { named } from '../scripts/campaigns/campaign.ts';
import { orderOf } from '../scripts/campaigns/order.ts';
import { planOf } from '../scripts/campaigns/plan.ts';
import { versionOf } from '../scripts/campaigns/version.ts';

const UNPLAYED = {
  what: '',
  unit: '',
  portion: 1,
  takes: '',
  play: () => Promise.reject(new Error('no one plays it')),
};

test('words that are wrong are refused', () => {
  const table = ['steps', 'thread doubled'].map((name) => ({ ...UNPLAYED, name, whole: 2 }));
  for (const [words, complaint] of [
    ['thread duobled', /^there is no campaign "duobled"; did you mean "doubled"\?/],
    ['xyzzy', /^there is no campaign "xyzzy"\n/],
    ['steps more', /^steps takes no words; got "more"/],
    ['steps --count 0', /^--count takes a whole number of at least 1; got "0"/],
    ['steps --seed x', /^--seed takes a whole number of at most nine digits; got "x"/],
    ['steps --minutes 0.0', /^--minutes takes a number above 0; got "0\.0"/],
    ['steps --sede 1', /^Unknown option '--sede'/],
  ] as const)
    assert.throws(() => orderOf(table, words.split(' ')), { name: 'UsageError', message: complaint });
  const names = { ...UNPLAYED, name: 'names', whole: named(['one', 'two']) };
  const plan = (words: string): unknown => planOf(names, orderOf([names], words.split(' ')), []);
  assert.throws(() => plan('names three'), {
    name: 'UsageError',
    message: /^names has nothing named "three"/,
  });
  assert.throws(() => plan('names --seed 1'), { message: /^names draws nothing, so it takes no seed/ });
});

test('the version of a tree changes with everything that is not committed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-version-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tree = mkdtempSync(join(folder, 'tree-'));
  const git = (...words: string[]): void => {
    const who = ['-c', 'user.name=nobody', '-c', 'user.email=nobody@example.com'];
    execFileSync('git', [...who, ...words], { cwd: tree, stdio: 'ignore' });
  };
  git('init');
  writeFileSync(join(tree, 'file'), 'one');
  git('add', '.');
  git('commit', '-m', 'first');
  const clean = versionOf(tree);
  assert.match(clean.commit, /^[0-9a-f]+$/);
  assert.equal(clean.tree, clean.commit);
  const seen = new Set([clean.tree]);
  for (const [file, text] of [
    ['file', 'two'],
    ['file', 'three'],
    ['new', ''],
    ['new', 'four'],
  ]) {
    writeFileSync(join(tree, file), text);
    const changed = versionOf(tree);
    assert.equal(changed.commit, `${clean.commit}+changes`);
    assert.ok(!seen.has(changed.tree), `${file} with "${text}"`);
    seen.add(changed.tree);
  }
  assert.deepEqual(versionOf(join(folder, 'nowhere')), { commit: 'unknown', tree: 'unknown' });
});
