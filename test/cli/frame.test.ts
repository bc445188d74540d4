/** The frame of the command line: help, version, mistakes and their suggestions, colours, and a reader that goes away. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { commands } from '../../src/cli/args/commands.ts';
import { ANSWERS, COMMAND_ALIASES } from '../../src/cli/args/synonyms.ts';
import { cli, environment, main, root } from './kit.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the command line', { concurrency: 2 }, () => {
  for (const word of ['--version', '-v', 'version']) {
    test(`${word} says the version of the package`, async () => {
      assert.deepEqual(await cli([word]), { code: 0, stdout: `${version}\n`, stderr: '' });
    });
  }

  for (const words of [[], ['--help'], ['-h'], ['help']]) {
    test(`"${words}" lists the commands and shows how to begin`, async () => {
      const { code, stdout, stderr } = await cli(words);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^ {2}run +Run the tasks/m);
      assert.match(stdout, /export default defineConfig\(\{/);
      assert.ok(!stdout.includes('\u001b'));
    });
  }

  for (const words of [
    ['run', '--help'],
    ['run', '-h'],
    ['help', 'run'],
    ['run', '--help', '--nonsense'],
  ]) {
    test(`"${words.join(' ')}" teaches by example, with the exit codes`, async () => {
      const { code, stdout } = await cli(words);
      assert.equal(code, 0);
      assert.match(stdout, /^Usage: obbligato run \[options\] \[config\]$/m);
      for (const part of ['Examples', 'Exit codes', '--store', '--json', '--plain'])
        assert.ok(stdout.includes(part));
    });
  }

  for (const [name, load] of Object.entries(commands)) {
    test(`"${name} --help" names every option, and has examples`, async () => {
      const { code, stdout, stderr } = await cli([name, '--help']);
      assert.deepEqual([code, stderr], [0, '']);
      const { summary, options } = await load();
      assert.ok(stdout.startsWith(`${summary}\n\nUsage: obbligato ${name}`));
      assert.match(stdout, new RegExp(`^Examples\\n(.*\\n)*.*obbligato ${name}`, 'm'));
      for (const option of Object.keys(options)) assert.match(stdout, new RegExp(`--${option}\\b`), option);
    });
  }

  for (const [word, name] of Object.entries(COMMAND_ALIASES)) {
    test(`"${word}" is understood as "${name}"`, async () => {
      const { code, stdout } = await cli([word, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: obbligato ${name}\\b`, 'm'));
      assert.ok(!Object.hasOwn(commands, word), 'a command needs no other meaning');
    });
  }

  test('a word of another tool is answered with what to do here, by commands that exist', async () => {
    for (const [word, answer] of Object.entries(ANSWERS)) {
      assert.ok(!Object.hasOwn(commands, word), word);
      for (const [, name] of answer.matchAll(/"obbligato ([a-z]+)/g))
        assert.ok(Object.hasOwn(commands, name), name);
    }
    assert.deepEqual(await cli(['stop']), {
      code: 2,
      stdout: '',
      stderr: `error: There is no "stop": ${ANSWERS.stop}\nSee "obbligato --help".\n`,
    });
  });

  test('a new list needs no restart, and the answers say so (I5)', () => {
    for (const word of ['reload', 'add', 'edit', 'remove']) assert.match(ANSWERS[word], /--watch.*kill -HUP/);
    assert.match(ANSWERS.retry, /"obbligato trigger <task>"/);
  });

  test('what cannot be followed has an answer', async () => {
    const { code, stderr } = await cli(['list', '-f']);
    assert.equal(code, 2);
    assert.match(stderr, /^error: There is no -f here: .*"obbligato run".*"obbligato status --watch"/);
  });

  for (const option of ['--timezone=Asia/Tokyo', '--time-zone=Asia/Tokyo', '--timeZone=Asia/Tokyo']) {
    test(`${option} is --tz`, async () => {
      const { code, stdout } = await cli(['next', '0 6 * * *', option]);
      assert.deepEqual([code, stdout.split('\n')[0]], [0, '0 6 * * *  Asia/Tokyo']);
    });
  }

  for (const [words, complaint, way] of [
    [['run', '--timezone', 'UTC'], 'Unknown option --timezone', 'obbligato run --help'],
    [['rnu'], 'Unknown command "rnu": did you mean "obbligato run"?', 'obbligato --help'],
    [['quickly'], 'Unknown command "quickly"', 'obbligato --help'],
    [['--vers'], 'Unknown option "--vers": did you mean "obbligato --version"?', 'obbligato --help'],
    [['\u001b[31mx'], 'Unknown command "U+001B[31mx"', 'obbligato --help'],
    [['run', '--stroe', 'x'], 'Unknown option --stroe: did you mean --store?', 'obbligato run --help'],
    [['run', '--zzz'], 'Unknown option --zzz', 'obbligato run --help'],
    [['run', '--store'], '--store needs a value: --store=…', 'obbligato run --help'],
    [['run', '--store', '--json'], '--store needs a value: --store=…', 'obbligato run --help'],
    [['next'], '"next" needs an expression', 'obbligato next --help'],
    [['check'], '"check" needs a trace', 'obbligato check --help'],
    [['move'], '"move" needs a store to move from', 'obbligato move --help'],
    [['move', 'obbligato.db'], '"move" needs a database to move to', 'obbligato move --help'],
    [
      ['simulate', '--seeds', '-3'],
      '--seeds takes a whole number from 1 to 999999999, such as --seeds 10000; got "-3"',
      'obbligato simulate --help',
    ],
    [['run', '--json=yes'], '--json takes no value', 'obbligato run --help'],
    [['run', 'a', 'b'], '"run" does not know what to do with "b"', 'obbligato run --help'],
    [
      ['run', '--store', 'postgres://u:secret@['],
      'Store path "postgres://…" is neither a connection string (postgres://user@host:port/database) nor a pool of pg',
      'obbligato run --help',
    ],
    [
      ['run', '--store', 'redis://u:secret@h'],
      'There is no store for "redis://": give the path of a file, or memory:',
      'obbligato run --help',
    ],
    [
      ['list', 'postgres://u:secret@h/app'],
      '"list" takes no connection string here: give it as --store',
      'obbligato list --help',
    ],
    [
      ['trigger', 'mail', 'postgres://u:secret@h/app'],
      '"trigger" takes no connection string here: give it as --store',
      'obbligato trigger --help',
    ],
    [
      ['status', '--config=postgresql://u:secret@h/app'],
      '"status" takes no connection string here: give it as "obbligato status <connection string>"',
      'obbligato status --help',
    ],
    [
      ['check', 'mysql://u:secret@h/app'],
      '"check" takes no connection string here',
      'obbligato check --help',
    ],
    [['postgres://u:secret@h/app'], 'A connection string is no command', 'obbligato --help'],
  ] as const) {
    test(`"${words.join(' ')}" is told in a line, with the way to the help`, async () => {
      const { code, stdout, stderr } = await cli(words);
      assert.deepEqual([code, stdout], [2, '']);
      assert.equal(stderr, `error: ${complaint}\nSee "${way}".\n`);
    });
  }

  test('colours only on a terminal, or where they are forced', async () => {
    const coloured = /\p{Cc}\[1mobbligato/u;
    assert.doesNotMatch((await cli(['--help'])).stdout, coloured);
    assert.match((await cli(['--help'], { env: { FORCE_COLOR: '1' } })).stdout, coloured);
    assert.doesNotMatch((await cli(['--help'], { env: { FORCE_COLOR: '0' } })).stdout, coloured);
    assert.doesNotMatch((await cli(['--help'], { env: { NO_COLOR: '1' } })).stdout, coloured);
  });

  test('a reader that goes away, as `| head -0` does, is no error', async () => {
    const child = spawn(process.execPath, [main, '--help'], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const [complaint, code] = await Promise.all([text(child.stderr), exited]);
    assert.deepEqual([code, complaint], [0, '']);
  });
});
