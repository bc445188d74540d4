/** The published shape: what `npm pack` makes has its files, its doors and its program. publishing/test uses it as strangers do. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import { inEmptyFolder, PROGRAMS, plays } from './package/bundled.ts';
import { manifest, type Packed, packInto, root, run } from './package/packed.ts';

const { exports: doors } = manifest;
const subpaths = Object.keys(doors).filter((door) => door !== './package.json');
const nameOf = (subpath: string): string => subpath.replace(/^\./, 'obbligato');

describe('the package as published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-package-'));
  let packed: Packed;
  before(async () => {
    packed = await packInto(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('holds the built files and the papers, nothing else', () => {
    const strange = packed.paths.filter(
      (path) =>
        !/^(dist\/.*\.(js|d\.ts)|dist\/commonjs\/package\.json|docs\/.*\.(md|svg|png)|docs\/telemetry\/(alerts\.yml|grafana-dashboard\.json)|examples\/hello\/obbligato\.config\.ts|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
          path,
        ),
    );
    assert.deepEqual(strange, []);
    assert.deepEqual(manifest.engines, { node: '>=22.18' });
  });

  test('holds every page that its README leads to', () => {
    const paths = new Set(packed.paths);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const pages = Array.from(readme.matchAll(/\]\((docs\/[^)#]+)/g), ([, page]) => page);
    assert.ok(pages.length > 10);
    assert.deepEqual(
      pages.filter((page) => !paths.has(page)),
      [],
    );
  });

  for (const subpath of subpaths) {
    test(`${nameOf(subpath)} is imported from ESM and required from CommonJS, with all that the source exports`, async () => {
      const source = await import(
        join(root, doors[subpath].default.replace('dist', 'src').replace(/\.js$/, '.ts'))
      );
      const expected = Object.keys(source).sort().join();
      writeFileSync(
        join(folder, 'esm.mjs'),
        `import * as door from '${nameOf(subpath)}'; console.log(Object.keys(door).sort().join());`,
      );
      writeFileSync(
        join(folder, 'cjs.cjs'),
        `console.log(Object.keys(require('${nameOf(subpath)}')).filter((key) => key !== '__esModule' && key !== 'module.exports').sort().join());`,
      );
      for (const file of ['esm.mjs', 'cjs.cjs']) {
        const { stdout, stderr } = await run(process.execPath, [file], { cwd: folder });
        assert.equal(stdout.trim(), expected, file);
        assert.equal(stderr, '', `${file} prints no warning`);
      }
    });
  }

  test('the bin says its version, runs by itself, and is found by name', async () => {
    const bin = join(folder, 'node_modules', '.bin', 'obbligato');
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    const { stdout, stderr } = await run(bin, ['--version'], { cwd: folder, env });
    assert.deepEqual([stdout, stderr], [`${manifest.version}\n`, '']);
  });

  for (const [name, source, format, minify] of [
    ['an ES module', 'esm', 'esm', false],
    ['an ES module, minified', 'esm', 'esm', true],
    ['CommonJS', 'esm', 'cjs', false],
    ['CommonJS that requires, minified', 'cjs', 'cjs', true],
  ] as const)
    test(`a bundle by esbuild runs in an empty folder: ${name}`, async () => {
      const outfile = join(
        folder,
        `bundle${minify ? '.min' : ''}.${source}.${format === 'esm' ? 'mjs' : 'cjs'}`,
      );
      const { warnings } = await build({
        stdin: { contents: PROGRAMS[source], resolveDir: folder },
        outfile,
        bundle: true,
        platform: 'node',
        format,
        minify,
        absWorkingDir: folder,
        logLevel: 'silent',
      });
      assert.deepEqual(warnings, []);
      await plays(outfile);
    });

  test('every door is bundled as CommonJS, where no module can know where it lies, and loads alone in a folder', async () => {
    const outfile = join(folder, 'doors.cjs');
    const names = subpaths.map((subpath) => `require('${nameOf(subpath)}')`);
    await build({
      stdin: {
        contents: `console.log([${names}].every((door) => Object.keys(door).length > 0));`,
        resolveDir: folder,
      },
      outfile,
      bundle: true,
      platform: 'node',
      external: ['pg'],
      absWorkingDir: folder,
    });
    // By this name esbuild gives a module what CommonJS has in place of its address: nothing.
    assert.doesNotMatch(readFileSync(outfile, 'utf8'), /\bimport_meta\b/);
    await inEmptyFolder(outfile, async (file, cwd) => {
      const { stdout, stderr } = await run(process.execPath, [file], { cwd });
      assert.deepEqual([stdout, stderr], ['true\n', '']);
    });
  });

  test('the programs of threads keep the names of functions, in lines that a terminal can show, for the sake of stacks', () => {
    for (const [module, name] of [
      ['store/sqlite-thread-code', 'answerAll'],
      ['trace/watcher-thread-code', 'watch'],
      ['executor/module-thread-code', 'runModule'],
    ]) {
      const [, json] = /^export const \w+ = (".*");\n$/.exec(
        readFileSync(join(folder, 'node_modules/obbligato/dist', `${module}.js`), 'utf8'),
      ) ?? [undefined, '""'];
      const text: string = JSON.parse(json);
      assert.match(text, new RegExp(`function ${name}\\(`), module);
      assert.match(text, /\n\/\/# sourceURL=obbligato\/[\w/-]+\.js\n$/);
      assert.ok(
        text.split('\n').every((line) => line.length < 2000),
        module,
      );
    }
  });

  for (const version of ['typescript', 'typescript6'])
    test(`a fresh project of ${version}, without the types of Node, type-checks with every door, also in the declarations`, async () => {
      const compiler = join(root, 'node_modules', version, 'bin', 'tsc');
      const project = join(folder, version);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), '{ "name": "fresh", "private": true }');
      const lines = (line: (subpath: string, at: number) => string): string => subpaths.map(line).join('\n');
      writeFileSync(
        join(project, 'esm.mts'),
        lines((subpath, at) => `import * as door${at} from '${nameOf(subpath)}'; void door${at};`),
      );
      writeFileSync(
        join(project, 'cjs.cts'),
        lines((subpath, at) => `import door${at} = require('${nameOf(subpath)}'); void door${at};`),
      );
      await run(process.execPath, [compiler, '--init'], { cwd: project });
      await run(process.execPath, [compiler, '--noEmit', '--skipLibCheck', 'false', '-p', '.'], {
        cwd: project,
      }).catch(({ stdout }) => assert.fail(stdout));
    });
});
