/** What a change is: the files since `BASE`, else since the newest commit that is twelve hours older than HEAD. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { change, changeInWords } from '../scripts/change.ts';

const NAMES = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
let root = '';

/** Runs git, with a date for a commit. */
function git(words: readonly string[], date = '2026-01-01T00:00:00Z'): string {
  const who = [
    '-c',
    'user.name=nobody',
    '-c',
    'user.email=nobody@example.com',
    '-c',
    'init.defaultBranch=main',
  ];
  const env = { ...process.env, ...NAMES, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return execFileSync('git', [...who, ...words], { cwd: root, env, encoding: 'utf8' }).trim();
}

function commit(file: string, date: string): string {
  writeFileSync(join(root, file), date);
  git(['add', '.']);
  git(['commit', '--quiet', '-m', file], date);
  return git(['rev-parse', 'HEAD']);
}

describe('a change', () => {
  let old = '';

  before(() => {
    // A temporary folder may lie in a clone.
    process.env.GIT_CEILING_DIRECTORIES = tmpdir();
    root = mkdtempSync(join(tmpdir(), 'obbligato-change-'));
    git(['init', '--quiet']);
    old = commit('ancient', '2026-01-01T00:00:00Z');
    commit('yesterday', '2026-01-09T23:00:00Z');
    commit('morning', '2026-01-10T00:30:00Z');
    commit('noon é', '2026-01-10T12:00:00Z');
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  test('begins twelve hours before HEAD, and ends with the files as they lie there', () => {
    writeFileSync(join(root, 'ancient'), 'changed, not committed');
    writeFileSync(join(root, 'new'), 'not added');
    const found = change(root, {});
    assert.deepEqual(found.files, ['ancient', 'morning', 'new', 'noon é']);
    assert.match(changeInWords(found), /^4 files have changed since [0-9a-f]{10}$/);
  });

  test('begins at BASE, if it is given', () => {
    const { files } = change(root, { BASE: old });
    assert.deepEqual(files.includes('yesterday'), true);
  });

  test('a file that was deleted is not in it', () => {
    rmSync(join(root, 'morning'));
    assert.equal(change(root, {}).files.includes('morning'), false);
  });

  test('has no base if BASE is unknown, and says so; the zeros of a new branch are no BASE', () => {
    const unknown = change(root, { BASE: 'no-such-commit' });
    assert.deepEqual(unknown.files, []);
    assert.match(changeInWords(unknown), /^no base: BASE names no commit .*no-such-commit; a fixed sample/);
    assert.equal('commit' in change(root, { BASE: '0'.repeat(40) }).base, true);
  });

  test('has no base where there is no history, or only a young one', () => {
    const bare = mkdtempSync(join(tmpdir(), 'obbligato-change-'));
    assert.match(changeInWords(change(bare, {})), /no base: there is no history here/);
    rmSync(bare, { recursive: true });
    const young = mkdtempSync(join(tmpdir(), 'obbligato-change-'));
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, young], { stdio: 'ignore' });
    assert.match(changeInWords(change(young, {})), /no base: the history here is younger than 12 hours/);
    rmSync(young, { recursive: true });
  });
});
