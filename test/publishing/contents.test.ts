/**
 * What the package will have in it, apart from what is built (test/package.test.ts looks at that): pages and papers, nothing of the workshop, and
 * nothing that tells of the machine on which it was written. And the list of its parts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const npm = (cwd: string, ...words: string[]): string =>
  execFileSync('npm', ['--loglevel=error', ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the contents of the package', () => {
  // In a copy without dist: another test may be building that, and files would vanish while they are packed.
  const copy = mkdtempSync(join(tmpdir(), 'obbligato-contents-'));
  after(() => rmSync(copy, { recursive: true, force: true }));
  for (const each of ['docs', 'examples', 'scripts', 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    cpSync(join(root, each), join(copy, each), { recursive: true });
  const [{ files }]: [{ files: { path: string; size: number }[] }] = JSON.parse(
    npm(copy, 'pack', '--dry-run', '--ignore-scripts', '--json'),
  );
  const paths = files.map(({ path }) => path);

  test('every page and picture of docs is in it, and the papers', () => {
    const wanted = [
      // The raw results of benchmarks stay in the repository: their tables and pictures say the same.
      ...globSync('docs/**/*.{md,svg,png,yml,json}', { cwd: root, exclude: ['docs/benchmarks/*.json'] }),
      // What `obbligato demo` runs.
      'examples/hello/obbligato.config.ts',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ];
    assert.deepEqual([...paths].sort(), wanted.sort());
  });

  test('no file of the papers is large', () => {
    assert.deepEqual(
      files.filter(({ size }) => size > 150_000),
      [],
    );
  });

  test('nothing tells of a machine: no home folder, no registry, no address of a desk', () => {
    const telling =
      /\/(?:home|Users|root)\/\w+|\bverdaccio\b|localhost:\d+\/[\w-]+\.tgz|\b(?:10|192\.168)\.\d+\.\d+\.\d+\b/;
    const found = [
      ...paths,
      ...globSync('{,bench/,examples/judge-others/,publishing/,site/}package-lock.json', { cwd: root }),
    ].flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, at) => {
          const [word] = telling.exec(line) ?? [];
          return word === undefined ? [] : [`${path}:${at + 1}: ${word}`];
        }),
    );
    assert.deepEqual(found, []);
  });

  test('it is ready for provenance but for its address: public, attested, without dependencies and install scripts', () => {
    assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true });
    assert.equal(manifest.dependencies, undefined);
    assert.deepEqual(
      Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name)),
      [],
    );
    assert.equal(manifest.private, undefined);
  });

  test('the list of parts is CycloneDX, names this version, and has no part at run time', () => {
    const list = JSON.parse(npm(root, 'run', '--silent', 'sbom'));
    assert.equal(list.bomFormat, 'CycloneDX');
    assert.equal(list.metadata.component.name, 'obbligato');
    assert.equal(list.metadata.component.version, manifest.version);
    assert.deepEqual(list.components, []);
  });
});

describe('the workflows', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');

  test('what they call is there', () => {
    const files = workflows.flatMap(
      (text) => text.match(/(?<=(?:node|bash) )(?:scripts|\.ci)\/[\w./-]+/g) ?? [],
    );
    const scripts = workflows.flatMap((text) =>
      Array.from(text.matchAll(/npm run (?:--silent )?([\w:]+)/g), ([, name]) => name),
    );
    assert.ok(files.length > 2 && scripts.length > 0);
    assert.deepEqual(
      files.filter((file) => !existsSync(join(root, file))),
      [],
    );
    assert.deepEqual(
      scripts.filter((name) => !(name in manifest.scripts)),
      [],
    );
  });

  test('they use no secret, may read alone, and only the job that publishes may do more', () => {
    for (const text of workflows) {
      assert.doesNotMatch(text, /\bsecrets\./);
      assert.match(text, /^permissions:\n {2}contents: read$/m);
    }
    const jobs = release.split(/^ {2}(?=\w+:$)/m).filter((job) => job.includes(': write'));
    assert.deepEqual(
      jobs.map((job) => job.split(':')[0]),
      ['publish'],
    );
    assert.match(jobs[0], /needs: check/);
    assert.match(jobs[0], /id-token: write/);
  });
});
