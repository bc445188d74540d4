/** `obbligato init`: a first configuration that runs as it is, in any folder, over no file, and whole at any end. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { initCommand } from '../../src/cli/commands/init.ts';
import { FIRST_CONFIG } from '../../src/cli/init/first-config.ts';
import { configNameFor } from '../../src/cli/init/form.ts';
import { withEntries } from '../../src/cli/init/gitignore.ts';
import { fc } from '../property.ts';
import { call } from './commands-kit.ts';
import { begin, cli, freshFolder, inOneLine } from './kit.ts';

const IGNORED = '# The state of obbligato\nobbligato.db*\n.obbligato/\n';
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe('obbligato init', () => {
  test('writes three tasks and .gitignore, shows the plan, and says what to type next', async () => {
    const folder = freshFolder();
    const { code, stdout, stderr } = await cli(['init'], { cwd: folder });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(read(folder, 'obbligato.config.ts'), FIRST_CONFIG);
    assert.equal(read(folder, '.gitignore'), IGNORED);
    assert.match(stdout, /^Wrote 3 tasks to obbligato\.config\.ts, and 2 lines to \.gitignore\.\n/);
    assert.match(inOneLine(stdout), /obbligato\.db: it does not exist yet \+ hello \+ disk \+ report /);
    assert.match(
      stdout,
      /\n3 new, \d started at once\.\n\nThe package is not installed in this folder\. [^:]*: [^:]*\n\nLook at the file, then type:\n\n {2}npx obbligato run /,
    );
    assert.deepEqual(readdirSync(folder).sort(), ['.gitignore', 'obbligato.config.ts'], 'plan only looks');
  });

  test('what it writes runs where nothing is installed: a function, a program, a task with policies', async (t) => {
    const folder = freshFolder();
    await cli(['init'], { cwd: folder });
    const running = begin(['run'], { cwd: folder });
    t.after(() => running.child.kill('SIGKILL'));
    await running.says(/hello {2}│ Hello! Twenty seconds of work under the key \S+, attempt 1/);
    await Promise.all(['disk', 'report'].map((task) => cli(['trigger', task], { cwd: folder })));
    await running.says(/disk {2}│ .*%/);
    await running.says(/report {2}│ The report of \d{4}-/);
  });

  test('makes the folder that is named, also where package.json says CommonJS, and answers in JSON', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
    const { code, stdout } = await cli(['init', 'services/billing', '--json'], { cwd: folder });
    assert.equal(code, 0);
    const { config, ignored, installed, plan } = JSON.parse(stdout);
    const made = join(folder, 'services/billing');
    assert.equal(config, join(made, 'obbligato.config.ts'));
    assert.deepEqual([ignored, installed], [['obbligato.db*', '.obbligato/'], false]);
    assert.deepEqual([plan.changes, plan.added], [true, ['hello', 'disk', 'report']]);
    const { stdout: said } = await cli(['init', 'second'], { cwd: folder });
    assert.match(said, /Wrote 3 tasks to second\/obbligato\.config\.ts.*second\/\.gitignore/);
    assert.match(said, /\n {2}cd second\n {2}npx obbligato run /);
  });

  test('touches nothing where there is a configuration, whatever its extension is', async () => {
    for (const extension of ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs']) {
      const folder = freshFolder();
      const config = join(folder, `obbligato.config.${extension}`);
      writeFileSync(config, 'mine');
      await assert.rejects(call(initCommand, [], { cwd: folder }), {
        exitCode: 2,
        message: `${config} is there already, and "init" writes over nothing. "obbligato plan" shows what it would do; for a new one name another folder`,
      });
      assert.deepEqual(readdirSync(folder), [`obbligato.config.${extension}`]);
      assert.equal(read(config), 'mine');
    }
  });

  test('says what is in the way of a folder, and exits with 2', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(call(initCommand, ['file'], { cwd: folder }), {
      exitCode: 2,
      message: `${join(folder, 'file')} is a file: "init" takes a folder`,
    });
    const below = await cli(['init', 'file/below'], { cwd: folder });
    assert.deepEqual([below.code, below.stdout], [2, '']);
    assert.match(below.stderr, /file\/below/);
  });
});

describe('the .gitignore of init', () => {
  test('gets only what it does not have, and keeps its permissions and its link', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'shared'));
    const target = join(folder, 'shared', 'ignored');
    writeFileSync(target, 'node_modules\n.obbligato/');
    chmodSync(target, 0o640);
    symlinkSync(target, join(folder, '.gitignore'));
    // The umask is for new files.
    const before = process.umask(0o077);
    const ended = cli(['init'], { cwd: folder });
    process.umask(before);
    const { stdout } = await ended;
    assert.match(stdout, /and 1 line to \.gitignore/);
    assert.equal(read(target), 'node_modules\n.obbligato/\n\n# The state of obbligato\nobbligato.db*\n');
    assert.equal(statSync(target).mode & 0o777, 0o640);
    assert.ok(lstatSync(join(folder, '.gitignore')).isSymbolicLink());
  });

  test('is left alone if it has all of it, and nothing is said of it', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, '.gitignore'), IGNORED);
    const { stdout } = await cli(['init'], { cwd: folder });
    assert.match(stdout, /^Wrote 3 tasks to obbligato\.config\.ts\.\n/);
    assert.equal(read(folder, '.gitignore'), IGNORED);
  });

  test('whatever is in it stays, byte for byte, and nothing is added twice', () => {
    const line = fc.constantFrom(
      'obbligato.db*',
      '.obbligato/',
      'node_modules',
      '',
      '# x',
      ' obbligato.db* ',
    );
    const text = fc
      .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([lines, end, isEnded]) => Buffer.from(lines.join(end) + (isEnded ? end : '')));
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.oneof(text, bytes), (before) => {
        const { list } = withEntries(before);
        assert.deepEqual(list.subarray(0, before.length), before);
        const lines = list
          .toString('latin1')
          .split('\n')
          .map((each) => each.trim());
        for (const entry of ['obbligato.db*', '.obbligato/']) assert.ok(lines.includes(entry), entry);
        assert.deepEqual(withEntries(list), { list, added: [] });
      }),
    );
    assert.equal(
      String(withEntries(Buffer.from('a\r\n')).list),
      `a\r\n\r\n${IGNORED.replaceAll('\n', '\r\n')}`,
    );
  });
});

describe('the form of the first configuration', () => {
  /** A folder with these files, empty but for package.json. */
  function having(...names: string[]): string {
    const folder = freshFolder();
    mkdirSync(join(folder, 'src'));
    for (const name of names) writeFileSync(join(folder, name), '');
    return folder;
  }

  test('is TypeScript, but JavaScript among JavaScript, by the type of the package', () => {
    assert.equal(configNameFor(having()), 'obbligato.config.ts');
    assert.equal(configNameFor(having('vite.config.js')), 'obbligato.config.ts', 'settings of a tool');
    assert.equal(configNameFor(having('a.js', 'tsconfig.json')), 'obbligato.config.ts');
    assert.equal(configNameFor(having('a.js', 'src/b.ts')), 'obbligato.config.ts');
    assert.equal(configNameFor(having('src/a.js')), 'obbligato.config.mjs');
    assert.equal(configNameFor(having(), false), 'obbligato.config.mjs', 'a Node that takes no types off');
    const module = having('a.js');
    writeFileSync(join(module, 'package.json'), '{ "type": "module" }');
    assert.equal(configNameFor(module), 'obbligato.config.js');
    assert.equal(configNameFor(join(module, 'src')), 'obbligato.config.ts');
  });

  test('is loaded as JavaScript, whatever the package is', async () => {
    for (const type of ['module', 'commonjs']) {
      const folder = having('a.js');
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
      const { code, stdout, stderr } = await cli(['init'], { cwd: folder });
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, type === 'module' ? /to obbligato\.config\.js,/ : /to obbligato\.config\.mjs,/);
    }
  });
});

/** Something happens right before the configuration gets its name. */
async function initWith(folder: string, happens: string): Promise<Awaited<ReturnType<typeof cli>>> {
  const preload = join(freshFolder(), 'preload.mjs');
  writeFileSync(
    preload,
    `import fs from 'node:fs';
     import { syncBuiltinESMExports } from 'node:module';
     const { linkSync } = fs;
     fs.linkSync = (from, to) => {
       if (to.endsWith('.gitignore')) return linkSync(from, to);
       ${happens}
       return linkSync(from, to);
     };
     syncBuiltinESMExports();`,
  );
  return cli(['init'], { cwd: folder, env: { NODE_OPTIONS: `--import ${preload}` } });
}

describe('the end of init in the middle', () => {
  test('killed: no half of a configuration, and it can be called again', async () => {
    const folder = freshFolder();
    const { code } = await initWith(folder, `process.kill(process.pid, 'SIGKILL');`);
    assert.equal(code, null);
    assert.ok(!existsSync(join(folder, 'obbligato.config.ts')));
    assert.equal(read(folder, '.gitignore'), IGNORED);
    assert.equal((await cli(['init'], { cwd: folder })).code, 0);
    assert.equal(read(folder, 'obbligato.config.ts'), FIRST_CONFIG);
    assert.equal(read(folder, '.gitignore'), IGNORED);
  });

  test('Ctrl-C: the files are whole, nothing else is there, and it exits with 130', async () => {
    const folder = freshFolder();
    const { code, stdout } = await initWith(folder, `process.kill(process.pid, 'SIGINT');`);
    assert.deepEqual([code, stdout], [130, '']);
    assert.deepEqual(readdirSync(folder).sort(), ['.gitignore', 'obbligato.config.ts']);
    assert.equal(read(folder, 'obbligato.config.ts'), FIRST_CONFIG);
  });

  test('a full disk: says so, exits with 1, and leaves no half', async () => {
    const folder = freshFolder();
    const { code, stderr } = await initWith(folder, `throw Object.assign(new Error(), { code: 'ENOSPC' });`);
    assert.equal(code, 1);
    assert.match(stderr, /obbligato\.config\.ts cannot be written: the disk is full/);
    assert.deepEqual(readdirSync(folder), ['.gitignore']);
  });

  test('somebody else writes a configuration in that instant: theirs stays', async () => {
    const folder = freshFolder();
    const { code, stderr } = await initWith(folder, `fs.writeFileSync(to, 'theirs');`);
    assert.equal(code, 2);
    assert.match(stderr, /is there already, and "init" writes over nothing/);
    assert.equal(read(folder, 'obbligato.config.ts'), 'theirs');
    assert.deepEqual(readdirSync(folder).sort(), ['.gitignore', 'obbligato.config.ts']);
  });

  test('a file system without links: the configuration is written all the same', async () => {
    const folder = freshFolder();
    const { code } = await initWith(folder, `throw Object.assign(new Error(), { code: 'EPERM' });`);
    assert.equal(code, 0);
    assert.equal(read(folder, 'obbligato.config.ts'), FIRST_CONFIG);
  });
});
