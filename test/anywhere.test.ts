/** `npm run anywhere -- --changed`: which test files are tried in other places, and how the packages come there. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chosen, type TestFile, touchedBy } from '../scripts/anywhere/choice.ts';
import { linkTree } from '../scripts/anywhere/places.ts';
import { testFiles } from '../scripts/test.ts';
import { isRoot, NOBODY } from './unprivileged.ts';

const base = { commit: 'abc' };

describe('the test files that a change touches', () => {
  test('are in it, or import a helper of the tests that is in it', () => {
    const names = (...files: string[]): string[] => touchedBy({ base, files }).map(({ file }) => file);
    assert.deepEqual(names('test/errors.test.ts', 'src/errors.ts', 'docs/errors.md'), [
      'test/errors.test.ts',
    ]);
    const users = names('test/cli/terminal.ts', 'site/test/site.test.ts');
    assert.ok(users.includes('test/cli/live-exits.test.ts'));
    assert.ok(users.every((file) => file.startsWith('test/') && file !== 'test/errors.test.ts'));
    assert.deepEqual(names('README.md'), []);
  });

  test('are all where nobody knows what has changed', () => {
    const all = touchedBy({ base: { missing: 'no history' }, files: [] });
    assert.deepEqual(
      all.map(({ file }) => file),
      testFiles(),
    );
    const known = (name: string): TestFile | undefined => all.find(({ file }) => file === name);
    const ownUsers = 'test/store/ownership.test.ts';
    assert.deepEqual(known(ownUsers), { file: ownUsers, isBreakable: true, isSlow: true });
    const pure = 'test/core/heap.test.ts';
    assert.deepEqual(known(pure), { file: pure, isBreakable: false, isSlow: false });
  });
});

describe('where there is no time for all of them', () => {
  const group = (name: string, count: number, about: Omit<TestFile, 'file'>): TestFile[] =>
    Array.from({ length: count }, (_, index) => ({ file: `${name} ${index}`, ...about }));
  const files = [
    ...group('pure', 40, { isBreakable: false, isSlow: false }),
    ...group('slow', 10, { isBreakable: true, isSlow: true }),
    ...group('quick', 20, { isBreakable: true, isSlow: false }),
  ];
  const kinds = (played: readonly string[]): Record<string, number> => {
    const of = (kind: string): number => played.filter((name) => name.startsWith(kind)).length;
    return { quick: of('quick'), slow: of('slow'), pure: of('pure') };
  };

  test('those that a place can break come first, and the others have a part of it', () => {
    const { played, left } = chosen(files, 'abc', 100);
    assert.deepEqual(kinds(played), { quick: 20, slow: 6, pure: 26 });
    assert.deepEqual(new Set([...played, ...left]), new Set(files.map(({ file }) => file)));
    assert.equal(played.length + left.length, files.length);
    assert.deepEqual(kinds(chosen(files, 'abc', 10).played), { quick: 8, slow: 0, pure: 2 });
  });

  test('the base draws which: always the same ones, others for another base', () => {
    const draw = (seed: string): readonly string[] => chosen(files, seed, 60).played;
    assert.deepEqual(draw('abc'), draw('abc'));
    assert.notDeepEqual(draw('abc'), draw('def'));
    assert.deepEqual(chosen(files.toReversed(), 'abc', 60).played.toSorted(), draw('abc').toSorted());
  });

  test('all of a small change are played', () => {
    assert.deepEqual(chosen(files.slice(38, 44), 'abc').left, []);
  });
});

test('packages are brought by links, in folders of their own, without what commands keep there for themselves', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-anywhere-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to] = ['from', 'to'].map((name) => join(folder, name));
  for (const path of ['', '.cache', 'part', '.bin']) mkdirSync(join(from, path));
  writeFileSync(join(from, 'part', 'open'), 'text');
  writeFileSync(join(from, 'part', 'secret'), 'mine');
  chmodSync(join(from, 'part', 'open'), 0o644);
  chmodSync(join(from, 'part', 'secret'), 0o600);
  symlinkSync('../part/open', join(from, '.bin', 'open'));
  linkTree(from, to, isRoot ? NOBODY : undefined);
  const inode = (path: string): number => statSync(path).ino;
  assert.equal(inode(join(to, 'part', 'open')), inode(join(from, 'part', 'open')));
  assert.equal(readlinkSync(join(to, '.bin', 'open')), '../part/open');
  assert.equal(existsSync(join(to, '.cache')), false);
  // A file that the other user may not read is a copy, which belongs to that user.
  assert.equal(readFileSync(join(to, 'part', 'secret'), 'utf8'), 'mine');
  const owners = ['', 'part', join('part', 'secret')].map((path) => statSync(join(to, path)).uid);
  const owner = isRoot ? NOBODY.uid : process.getuid?.();
  assert.deepEqual(owners, [owner, owner, owner]);
  assert.equal(inode(join(to, 'part', 'secret')) === inode(join(from, 'part', 'secret')), !isRoot);
  rmSync(join(to, 'part', 'open'));
  assert.equal(readFileSync(join(from, 'part', 'open'), 'utf8'), 'text');
});
