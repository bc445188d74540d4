/** Configurations: where they are found, and what is said about those that are missing, broken or wrong. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { begin, cli, freshFolder, project, root } from './kit.ts';

const one = `{ tasks: [['one', '* * * * *', () => {}, 0]] }`;
/** Runs until the task has, then stops. */
async function runs(words: readonly string[], cwd: string): Promise<string> {
  const running = begin(['run', ...words], { cwd });
  await running.says(/one {2}done/);
  running.child.kill('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

describe('a configuration', { concurrency: 2 }, () => {
  for (const name of [
    'obbligato.config.ts',
    'obbligato.config.mts',
    'obbligato.config.js',
    'obbligato.config.mjs',
  ]) {
    test(`${name} is found`, async () => {
      const folder = project(one, { name });
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      await runs([], folder);
    });
  }

  for (const [what, about] of [
    ['as npm init makes it', { type: 'commonjs' }],
    ['that does not say what it is', {}],
  ] as const) {
    test(`is a module in a package ${what}, and so is the TypeScript that it imports`, async () => {
      for (const name of ['obbligato.config.ts', 'obbligato.config.js']) {
        const more = JSON.stringify('./more.ts');
        const folder = project(`{ ...(await import(${more})).default, store: 'memory:' }`, { name });
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'new', ...about }));
        const tasks = `[['one', '* * * * *', (() => {}) as () => void, 0]]`;
        writeFileSync(join(folder, 'more.ts'), `import 'node:fs';\nexport default { tasks: ${tasks} };\n`);
        await runs([], folder);
      }
    });
  }

  for (const [name, type, as] of [
    ['obbligato.config.js', 'commonjs', ''],
    ['obbligato.config.cjs', 'module', ''],
    ['obbligato.config.cts', 'module', ' as string'],
  ]) {
    test(`may be CommonJS, and is found: ${name}`, async () => {
      const folder = freshFolder();
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
      writeFileSync(
        join(folder, name),
        `const { join } = require('node:path');\nmodule.exports = { store: join(__dirname, 'x.db')${as}, tasks: [['one', '* * * * *', () => {}, 0]] };\n`,
      );
      await runs([], folder);
    });
  }

  test('may be a promise of one', async () => {
    await runs([], project(`Promise.resolve(${one})`));
  });

  test('is found from a folder below, and its store lies beside it all the same', async () => {
    const folder = project(one);
    const below = join(folder, 'a', 'b');
    mkdirSync(below, { recursive: true });
    await runs([], below);
    assert.ok(existsSync(join(folder, 'obbligato.db')));
    assert.ok(!existsSync(join(below, 'obbligato.db')));
  });

  test('is given as a file of any name, or as its folder', async () => {
    const folder = project(one, { name: 'jobs.ts' });
    await runs(['jobs.ts', '--store', 'memory:'], folder);
    await runs([project(one)], freshFolder());
  });

  test('--store is meant from where the command is called, and wins', async () => {
    const folder = project(`{ store: 'other.db', tasks: [['one', '* * * * *', () => {}, 0]] }`);
    const here = freshFolder();
    await runs([folder, '--store', 'mine.db'], here);
    assert.ok(existsSync(join(here, 'mine.db')) && !existsSync(join(folder, 'other.db')));
    await runs([folder], here);
    assert.ok(existsSync(join(folder, 'other.db')));
  });

  test('that is missing: says where it was looked for, and what to write', async () => {
    const folder = freshFolder();
    const { code, stderr } = await cli(['run'], { cwd: folder });
    assert.equal(code, 2);
    assert.ok(stderr.includes(`in ${folder} or above it`));
    assert.match(stderr, /export default defineConfig\(\{\n {4}tasks: \[/);
    const named = await cli(['run', 'nothing.ts'], { cwd: folder });
    assert.equal(named.code, 2);
    assert.ok(named.stderr.includes(`There is no configuration at ${join(folder, 'nothing.ts')}`));
  });

  for (const name of ['obbligato.config.ts', 'obbligato.config.mjs']) {
    test(`with a syntax error: says the file and the line (${name})`, async () => {
      const folder = freshFolder();
      writeFileSync(join(folder, name), 'const a = 1;\nexport default {\n  tasks: [] b\n};\n');
      const { code, stderr } = await cli(['run'], { cwd: folder });
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`error: ${join(folder, name)}:3\n`), stderr);
      assert.doesNotMatch(stderr, / {4}at /);
    });
  }

  for (const [what, content, complaint] of [
    ['a module that is not there', `import 'nowhere';\n`, /cannot be loaded: Cannot find package 'nowhere'/],
    ['a door that obbligato does not have', `import 'obbligato/nothing';\n`, /npm install obbligato/],
    [
      'a type imported as a value',
      `import { Config } from ${JSON.stringify(join(root, 'src/index.ts'))};\nexport default {} as Config;\n`,
      /does not provide an export named 'Config'[\s\S]*import type/,
    ],
    [
      'code that throws',
      `\n\nthrow new Error('boom');\n`,
      /obbligato\.config\.ts:3 threw while it was loaded: boom\n$/,
    ],
    [
      'no default export',
      'export const tasks = [];\n',
      /has no default export \(it exports tasks\): write "export default/,
    ],
    ['a list', 'export default [];\n', /exports an array by default, not a configuration/],
    ['null', 'export default null;\n', /exports null by default, not a configuration/],
    ['a function', 'export default () => ({});\n', /exports a function by default, not a configuration/],
    [
      'an unknown field',
      'export default { tsaks: [] };\n',
      /there is no field "tsaks": did you mean "tasks"\?/,
    ],
    ['no tasks', 'export default {};\n', /"tasks" must be a list of \[name, cron, callback, retryDelay\]/],
    ['a wrong store', 'export default { tasks: [], store: 5 };\n', /"store" must be a store, such as sqlite/],
    [
      'a wrong zone',
      `export default { tasks: [], timeZone: 'Mars/X' };\n`,
      /"timeZone" is no time zone: .*Mars/,
    ],
    [
      'wrong workers',
      'export default { tasks: [], workers: 0 };\n',
      /"workers" must be a whole number of at least 1/,
    ],
    ['a wrong listener', 'export default { tasks: [], onEvent: 1 };\n', /"onEvent" must be a function/],
    ['a wrong logger', 'export default { tasks: [], logger: {} };\n', /"logger" must have the methods/],
    ['a wrong delay', 'export default { tasks: [], lockWait: -1 };\n', /"lockWait" must be a duration/],
    [
      'a wrong expression',
      `export default { tasks: [['a', '* * * * *', () => {}, 0], ['b', '*/5 * * * *', () => {}, 0]] };\n`,
      /tasks\[1\] \("b"\): Invalid cron expression "\*\/5 \* \* \* \*".*write 0,5,10.*; cron\('\*\/5 \* \* \* \*'\) takes it as it is\n/,
    ],
    [
      'a wrong tuple',
      `export default { tasks: [['a', '* * * * *', () => {}]] };\n`,
      /tasks\[0\] \("a"\): Invalid registration shape: .*\]; the retry delay is missing: a duration, such as minutes\(5\)\n/,
    ],
    [
      'a task that is no list',
      `export default { tasks: [{ name: 'a', cron: '* * * * *' }] };\n`,
      /tasks\[0\] \("a"\): Invalid registration shape: .*\]; this is an object, and must be task\(\{ name, cron, run \}\) or a tuple of four\n/,
    ],
    [
      'a list that is too long',
      `export default { tasks: [['a', '* * * * *', () => {}, 0, 1]] };\n`,
      /\]; this has 5 elements\n/,
    ],
    [
      'a number for an expression',
      `export default { tasks: [['a', 5, () => {}, 0]] };\n`,
      /\]; the cron expression is 5, and must be a text, such as "0 3 \* \* \*"\n/,
    ],
    [
      'a text for a callback',
      `export default { tasks: [['a', '* * * * *', './a.sh', 0]] };\n`,
      /\]; the callback is "\.\/a\.sh", and must be a function, such as .* or command\("\.\/work\.sh"\)\n/,
    ],
    [
      'a text for a delay',
      `export default { tasks: [['a', '* * * * *', () => {}, '5m']] };\n`,
      /\]; the retry delay is "5m", and must be a duration, such as minutes\(5\)\n/,
    ],
    [
      'a delay that is no number',
      `export default { tasks: [['a', '* * * * *', () => {}, NaN]] };\n`,
      /\]; the retry delay is NaN, and must be a duration, such as minutes\(5\)\n/,
    ],
    [
      'one name twice',
      `const a = ['a', '* * * * *', () => {}, 0];\nexport default { tasks: [a, ['b', '* * * * *', () => {}, 0], a] };\n`,
      /tasks\[2\] \("a"\): Task with name "a" is already scheduled; tasks\[0\] has the same name/,
    ],
    [
      'an enum',
      'enum Colour { Red }\nexport default { tasks: [Colour.Red] };\n',
      /:1\n[\s\S]*enum is not supported in strip-only mode\n.*write a const object instead of the enum, or compile/,
    ],
    [
      'other TypeScript that is more than types',
      'class A { constructor(private a: number) {} }\nexport default { tasks: [A] };\n',
      /:1\n[\s\S]*not supported in strip-only mode\n.*write it in plain JavaScript, or compile/,
    ],
  ] as const) {
    test(`with ${what}: says so, in few words, touches nothing and exits with 2`, async () => {
      const folder = freshFolder();
      writeFileSync(join(folder, 'obbligato.config.ts'), content);
      const { code, stdout, stderr } = await cli(['run'], { cwd: folder });
      assert.match(stderr, complaint);
      assert.ok(stderr.includes(join(folder, 'obbligato.config.ts')));
      assert.doesNotMatch(stderr, /^ {4}at /m);
      assert.deepEqual([code, stdout], [2, '']);
      assert.ok(!existsSync(join(folder, 'obbligato.db')));
    });
  }
});
