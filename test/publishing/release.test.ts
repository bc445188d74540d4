/** `npm run release`, in repositories of its own: what it writes, and what it refuses without touching anything. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { compareVersions, notesOf, released } from '../../scripts/release/changelog.ts';
import { objections } from '../../scripts/release/ready.ts';

const script = join(import.meta.dirname, '../../scripts/release.ts');

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Something.

## [0.1.0] - 2026-12-01

- The first.
`;

describe('the release script', () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** A repository with a package of version 0.1.0, all of it committed. */
  function repository(changelog = CHANGELOG) {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-release-'));
    folders.push(folder);
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const git = (...words: string[]): string =>
      execFileSync('git', [...identity, ...words], { cwd: folder, encoding: 'utf8' }).trimEnd();
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
    const release = (...words: string[]) => {
      const env = { ...process.env, GIT_CONFIG_COUNT: '3' };
      const settings = [
        ['user.name', 'Test'],
        ['user.email', 'test@example.com'],
        ['commit.gpgsign', 'false'],
      ];
      for (const [at, [key, value]] of settings.entries())
        Object.assign(env, { [`GIT_CONFIG_KEY_${at}`]: key, [`GIT_CONFIG_VALUE_${at}`]: value });
      return spawnSync(process.execPath, [script, ...words], { cwd: folder, encoding: 'utf8', env });
    };
    write('package.json', `${JSON.stringify({ name: 'x', version: '0.1.0' }, null, 2)}\n`);
    const packages = { '': { version: '0.1.0' }, 'node_modules/y': { version: '0.1.0' } };
    write('package-lock.json', `${JSON.stringify({ name: 'x', version: '0.1.0', packages }, null, 2)}\n`);
    write('CHANGELOG.md', changelog);
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--quiet', '--message', 'Begin');
    git('tag', 'v0.1.0');
    return { folder, git, read, write, release };
  }

  /** It says this, exits with 1, and nothing has changed. */
  function refuses({ git, release }: ReturnType<typeof repository>, words: string[], says: RegExp): void {
    const before = [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')];
    const { status, stderr } = release(...words);
    assert.equal(status, 1, stderr);
    assert.match(stderr, says);
    assert.deepEqual([git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')], before);
  }

  test('dates the changelog, writes the version in three places, commits and tags', () => {
    const { git, read, release } = repository();
    const { status, stdout, stderr } = release('0.2.0', '--date', '2027-01-31');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /tagged v0\.2\.0; to publish it: git push --follow-tags/);
    assert.equal(
      read('CHANGELOG.md'),
      CHANGELOG.replace('[Unreleased]\n', '[Unreleased]\n\n## [0.2.0] - 2027-01-31\n'),
    );
    const { version, packages } = JSON.parse(read('package-lock.json'));
    assert.equal(JSON.parse(read('package.json')).version, '0.2.0');
    assert.deepEqual(
      [version, packages[''].version, packages['node_modules/y'].version],
      ['0.2.0', '0.2.0', '0.1.0'],
    );
    assert.equal(git('status', '--porcelain'), '');
    assert.equal(git('log', '-1', '--format=%s'), 'Release 0.2.0');
    assert.equal(git('rev-parse', 'v0.2.0^{commit}'), git('rev-parse', 'HEAD'));
  });

  test('refuses a tree with a changed file, and one with an unknown file', () => {
    const changed = repository();
    changed.write('package.json', '{ "version": "0.1.0" }');
    refuses(changed, ['0.2.0'], /not committed:\n M package\.json/);
    const unknown = repository();
    unknown.write('new.txt', '');
    refuses(unknown, ['0.2.0'], /not committed:\n\?\? new\.txt/);
  });

  test('refuses what is no version, no day, not newer, or without notes', () => {
    const usual = repository();
    refuses(usual, ['next'], /"next" is no version/);
    refuses(usual, ['0.2.0', '--date', 'today'], /"today" is no day/);
    refuses(usual, ['0.2.0', '--date', '2027-13-01'], /"2027-13-01" is no day/);
    refuses(usual, ['0.1.0'], /has a version 0\.1\.0 already/);
    refuses(usual, ['0.0.9'], /0\.0\.9 does not come after 0\.1\.0/);
    refuses(usual, [], /Usage/);
    refuses(
      repository('# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n'),
      ['0.2.0'],
      /nothing stands under/,
    );
    refuses(repository('# Changelog\n'), ['0.2.0'], /has no line "## \[Unreleased\]"/);
  });

  test('what does not fit together is not ready to be published', () => {
    const { folder, read, write, release } = repository();
    assert.equal(release('0.2.0').status, 0);
    const address = /no "repository"/;
    assert.match(objections('v0.2.0', folder).join('\n'), address);
    write('package.json', read('package.json').replace('{', '{ "repository": "https://example.com/x",'));
    assert.deepEqual(objections('v0.2.0', folder), []);
    assert.match(
      objections('v0.3.0', folder).join('\n'),
      /the tag is v0\.3\.0, and package\.json has version 0\.2\.0/,
    );
    write('CHANGELOG.md', CHANGELOG);
    write('package-lock.json', read('package-lock.json').replace('0.2.0', '0.1.9'));
    assert.deepEqual(
      objections('v0.2.0', folder).map((each) => each.split(' ')[0]),
      ['package-lock.json', 'CHANGELOG.md'],
    );
  });

  test('versions are compared by their numbers, and notes end at the next version', () => {
    assert.deepEqual(['0.10.0', '1.0.0', '0.9.12', '0.9.2'].sort(compareVersions), [
      '0.9.2',
      '0.9.12',
      '0.10.0',
      '1.0.0',
    ]);
    const changelog = released(CHANGELOG, '0.2.0', '2027-01-31');
    assert.equal(notesOf(changelog, '0.2.0'), '### Added\n\n- Something.');
    assert.equal(notesOf(changelog, '0.1.0'), '- The first.');
    assert.equal(notesOf(changelog, '0.3.0'), undefined);
  });
});
