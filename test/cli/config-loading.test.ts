/** What a configuration may do while it is loaded, being code: print, throw, reject, wait for ever, end the process. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { begin, cli, freshFolder, project } from './kit.ts';

describe('a configuration that, while it is loaded,', { concurrency: 2 }, () => {
  for (const [what, content, complaint] of [
    ['runs into wrong JSON', `\nJSON.parse('{bad');\n`, /config\.ts:2 threw while it was loaded: .*JSON/],
    [
      'rejects by default',
      `\nexport default (async () => {\n  throw new Error('boom');\n})();\n`,
      /config\.ts:3 threw while it was loaded: boom/,
    ],
    [
      'rejects where nobody sees it',
      `\nPromise.reject(new Error('boom'));\nexport default { tasks: [] };\n`,
      /config\.ts:2 threw while it was loaded: boom/,
    ],
    [
      'throws later, and waits until then',
      `\nawait new Promise(() => setTimeout(() => {\n  throw new Error('boom');\n}));\n`,
      /config\.ts:3 threw while it was loaded: boom/,
    ],
    [
      'has a getter that throws',
      `export default {\n  get tasks() {\n    throw new Error('boom');\n  },\n};\n`,
      /config\.ts:3 threw while it was loaded: boom/,
    ],
    ['waits for ever', 'await new Promise(() => {});\n', /config\.ts never finished loading: it waits/],
    [
      'promises and never keeps it',
      'export default new Promise(() => {});\n',
      /config\.ts never finished loading/,
    ],
    ['ends the process', '\nprocess.exit(0);\n', /config\.ts:2 ended the process while it was loaded/],
  ] as const) {
    test(`${what}: says so with the line, and exits with 2`, async () => {
      const folder = freshFolder();
      writeFileSync(join(folder, 'obbligato.config.ts'), content);
      const { code, stdout, stderr } = await cli(['run'], { cwd: folder });
      assert.match(stderr, complaint);
      assert.ok(stderr.startsWith(`error: ${join(folder, 'obbligato.config.ts')}`), stderr);
      assert.doesNotMatch(stderr, /^ {4}at |unsettled/m);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      assert.deepEqual([code, stdout], [2, '']);
      assert.ok(!existsSync(join(folder, 'obbligato.db')));
    });
  }

  test('throws in CommonJS: the line is found as well', async () => {
    const folder = freshFolder();
    const file = join(folder, 'obbligato.config.cjs');
    writeFileSync(file, `\nconst tasks = null.tasks;\n`);
    const { code, stderr } = await cli(['run'], { cwd: folder });
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`error: ${file}:2 threw while it was loaded: Cannot read prop`), stderr);
  });

  for (const [wrong, right] of [
    ['./other', './other.ts'],
    ['./other.js', './other.ts'],
    ['./lib', './lib/index.ts'],
  ]) {
    test(`imports "${wrong}": says to write "${right}"`, async () => {
      const folder = project('{ tasks: [] }');
      mkdirSync(join(folder, 'lib'));
      for (const file of ['other.ts', 'lib/index.ts']) writeFileSync(join(folder, file), 'export {};\n');
      writeFileSync(
        join(folder, 'obbligato.config.ts'),
        `import '${wrong}';\nexport default { tasks: [] };\n`,
      );
      const { code, stderr } = await cli(['run'], { cwd: folder });
      assert.equal(code, 2);
      assert.ok(stderr.endsWith(`\nNode wants the whole name of a file: write "${right}"\n`), stderr);
    });
  }

  test('imports a path alias: says that Node knows none', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'obbligato.config.ts'), `import '@/db';\nexport default { tasks: [] };\n`);
    const { code, stderr } = await cli(['run'], { cwd: folder });
    assert.equal(code, 2);
    assert.match(
      stderr,
      /\n"@\/db" is a path alias, and Node does not read "paths" of tsconfig\.json: write the rel/,
    );
  });

  test('is no module: says what is one', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'jobs.json'), '{"tasks":[]}');
    assert.deepEqual(await cli(['run', 'jobs.json'], { cwd: folder }), {
      code: 2,
      stdout: '',
      stderr: `error: ${join(folder, 'jobs.json')} is no configuration: that is a module, and so its name ends in .ts, .mts, .cts, .js, .mjs, .cjs\n`,
    });
  });

  for (const words of [['preview'], ['doctor'], ['status'], ['forget', 'one', '--yes']]) {
    test(`prints, does not disturb ${words[0]} --json`, async () => {
      const cwd = project(`(console.log('hello'), setTimeout(console.log, 1, 'and later'), ${one})`);
      const first = begin(['run'], { cwd });
      await first.says(/one {2}done/);
      first.child.kill('SIGTERM');
      await first.ended;
      const { code, stdout, stderr } = await cli([...words, '--json'], { cwd });
      assert.equal(code, 0, stderr);
      assert.equal(typeof JSON.parse(stdout), 'object');
      assert.match(stderr, /^hello\n/);
    });
  }

  test('prints, does not disturb run --json', async () => {
    const cwd = project(`(console.log('hello'), ${one})`);
    const running = begin(['run', '--json'], { cwd });
    await running.says(/TaskRunCompleted/);
    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, 'hello\n']);
    for (const line of stdout.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line).type, 'string');
  });
});

const one = `{ tasks: [['one', '* * * * *', () => {}, 0]] }`;
