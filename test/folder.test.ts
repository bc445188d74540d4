/** The folders with packages of their own: when their tests are played, and what their lists have to say. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { concerned, folderNames, folderPath } from '../scripts/folder.ts';
import { install } from '../scripts/install.ts';

const root = join(import.meta.dirname, '..');
const base = { commit: 'abc' };

test('a folder is played when its files, what its tests read, or a public door has changed', () => {
  assert.deepEqual(concerned({ base, files: ['src/scheduler/life.ts', 'test/errors.test.ts'] }), []);
  assert.deepEqual(concerned({ base, files: ['bench/run.ts'] }), ['bench']);
  assert.deepEqual(concerned({ base, files: ['docs/migration.md'] }), ['package', 'site', 'judge']);
  assert.deepEqual(concerned({ base, files: ['examples/judge-others/page.ts'] }), ['package', 'judge']);
  for (const door of ['package.json', 'src/index.ts', 'src/cron/index.ts', 'src/postgres.ts'])
    assert.deepEqual(concerned({ base, files: [door] }), folderNames);
  assert.deepEqual(concerned({ base: { missing: 'no history' }, files: [] }), folderNames);
});

test('a package has the same version in every folder that lists it', () => {
  const versions: Record<string, Set<string>> = {};
  for (const path of ['', ...folderNames.map(folderPath)]) {
    const { devDependencies } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    for (const [name, version] of Object.entries<string>(devDependencies))
      versions[name] = (versions[name] ?? new Set()).add(version);
  }
  assert.ok(Object.keys(versions).length > 40);
  assert.deepEqual(
    Object.keys(versions).filter((name) => versions[name].size > 1),
    [],
  );
});

test('packages are installed once for each list, and again after an install that did not end well', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-install-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'part'));
  writeFileSync(join(folder, 'part', 'package.json'), '{ "name": "part", "version": "1.0.0" }');
  const manifest = { scripts: { fail: 'exit 1' }, dependencies: { part: 'file:./part' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const part = join(folder, 'node_modules', 'part');
  /** Whether a call brings back what was taken away. */
  const installs = (list: string, ...words: string[]): boolean => {
    rmSync(part, { force: true });
    install({ folder, what: 'a part', list, words: words.length > 0 ? words : ['install', '--offline'] });
    return existsSync(part);
  };
  assert.deepEqual(
    [installs('one'), installs('one'), installs('two'), installs('two')],
    [true, false, true, false],
  );
  assert.throws(() => installs('three', 'run', 'fail'));
  assert.deepEqual([installs('two'), installs('two')], [true, false]);
});
