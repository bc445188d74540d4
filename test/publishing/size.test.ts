/** What each door costs a user's bundle: minified and gzipped, as a bundler for servers sees it, with everything that the door exports. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { enclosed } from '../../scripts/enclose.ts';

const root = join(import.meta.dirname, '../..');
const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * What the program of the README imports, in KiB of 1,024 bytes. The first is promised: what the import itself loads. What is loaded later (the
 * program of the store's thread, a text in which functions keep their names; `sqlite-visits.ts`, by a look into the file from outside) is a chunk
 * of its own where a bundler splits. Where it does not, the second is the whole.
 */
const QUICK_START = ['createScheduler', 'sqlite', 'minutes'];
const QUICK_START_KIB = 55;
const QUICK_START_WHOLE_KIB = 85;

/** Everything that a door exports, the programs of its threads and the page with it, in thousands of bytes: so that none grows unnoticed. A new door needs a line. */
const LIMITS_KB: Readonly<Record<string, number>> = {
  '.': 132,
  './cron': 15,
  './executor': 12,
  './theory': 50,
  './testing': 12,
  './postgres': 31,
  './dashboard': 117,
  './telemetry': 65,
  './opentelemetry': 64,
  './simulation': 172,
};

/** Leaves out what is imported later, by a call. */
const withoutLater: Plugin = {
  name: 'without what is imported later',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** What a program costs that has this text, and which files are in it. */
async function bundle(text: string, plugins: Plugin[] = []): Promise<{ bytes: number; files: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: text, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    plugins: [...plugins, enclosed],
    format: 'esm',
    platform: 'node',
    external: ['pg', '@opentelemetry/*'],
    absWorkingDir: root,
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  );
  return { bytes: gzipSync(outputFiles[0].contents).length, files };
}

const sourceOf = (door: string): string =>
  `./${doors[door].default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`;

describe('the size of the library', () => {
  const measured = Object.keys(doors).filter((door) => door !== './package.json');

  test('every door has a limit', () => {
    assert.deepEqual(
      measured.filter((door) => !(door in LIMITS_KB)),
      [],
    );
  });

  for (const door of measured.filter((each) => each in LIMITS_KB))
    test(`obbligato${door.slice(1)} stays below ${LIMITS_KB[door]} kB`, async (t) => {
      const { bytes } = await bundle(`export * from '${sourceOf(door)}'`);
      t.diagnostic(`${(bytes / 1000).toFixed(1)} kB of ${LIMITS_KB[door]}`);
      assert.ok(bytes > 1000, 'something was bundled');
      assert.ok(bytes < LIMITS_KB[door] * 1000, `${bytes} bytes`);
    });

  for (const [what, limit, plugins] of [
    ['what its import loads', QUICK_START_KIB, [withoutLater]],
    ['all of it in one file', QUICK_START_WHOLE_KIB, []],
  ] as const)
    test(`a program with ${QUICK_START.join(', ')} stays below ${limit} KiB: ${what}`, async (t) => {
      const text = `export { ${QUICK_START.join(', ')} } from '${sourceOf('.')}'`;
      const { bytes, files } = await bundle(text, [...plugins]);
      t.diagnostic(`${(bytes / 1024).toFixed(1)} KiB of ${limit}`);
      assert.ok(files.includes('src/store/sqlite-channel.ts'), 'the store was bundled');
      assert.ok(bytes < limit * 1024, `${bytes} bytes`);
    });

  test('theory, simulation, clock for tests and command line cost nothing where they are not imported', async () => {
    const { files } = await bundle(`export * from '${sourceOf('.')}'`);
    assert.ok(files.some((file) => file.startsWith('src/scheduler/')));
    assert.deepEqual(
      files.filter((file) => /^src\/(theory|simulation|testing|cli)\/|^node_modules\//.test(file)),
      [],
    );
  });

  test('what only a store of several schedulers needs comes with that store', async () => {
    const sharing = (files: readonly string[]): string[] =>
      files.filter((file) => file.startsWith('src/store/sharing/')).sort();
    const { files: own } = await bundle(`export * from '${sourceOf('.')}'`);
    const { files: shared } = await bundle(`export * from '${sourceOf('./postgres')}'`);
    assert.deepEqual(sharing(own), []);
    assert.deepEqual(sharing(shared), [
      'src/store/sharing/heartbeat.ts',
      'src/store/sharing/refresh.ts',
      'src/store/sharing/shared-view.ts',
      'src/store/sharing/shares.ts',
      'src/store/sharing/transaction-ends.ts',
    ]);
  });

  test('one function costs what it needs: a user of the durations alone does not carry the scheduler', async (t) => {
    const { bytes, files } = await bundle(
      `import { minutes } from '${sourceOf('.')}'; console.log(minutes(5));`,
    );
    t.diagnostic(`${bytes} bytes`);
    assert.deepEqual(
      files.filter((file) => file.startsWith('src/scheduler/') || file.startsWith('src/store/')),
      [],
    );
  });
});
