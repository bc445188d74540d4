/** Text from outside acts on no terminal: names, paths, what a configuration throws, and the lines of a syntax error. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sqlite } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { begin, cli, freshFolder, project } from './kit.ts';

/** Sets the clipboard of a terminal, moves its cursor, turns the text around, and ends the line in four ways. */
const EVIL = '\u001b]52;c;eA==\u0007\u009b2J\u202e\u2028\u2029\u0085\rforged';
const LITERAL = JSON.stringify(EVIL).replace(
  /[\u007f-\uffff]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

function harmless(text: string): void {
  const rest = text.replace(/[\n\t]/g, '');
  assert.doesNotMatch(rest, /[\p{C}\p{Zl}\p{Zp}]/u, JSON.stringify(text));
  assert.match(text, /\\u\{1b\}\]52;c;eA==\\u\{7\}\\u\{9b\}2J\\u\{202e\}/, 'it is spelt out');
}

describe('text that would act on a terminal', { concurrency: 2 }, () => {
  test('what a configuration throws while it is loaded', async () => {
    const { code, stderr } = await cli(['run'], {
      cwd: project(`(() => { throw new Error(${LITERAL}); })()`),
    });
    assert.equal(code, 2);
    harmless(stderr);
  });

  test('what nothing catches while the schedule runs', async () => {
    const cwd = project(
      `{ store: memory(), tasks: [['later', '* * * * *', () => { setImmediate(() => { throw new Error(${LITERAL}); }); return forever(); }, 0]] }`,
    );
    const { code, stderr } = await cli(['run'], { cwd });
    assert.equal(code, 1);
    harmless(stderr);
    assert.match(
      stderr,
      /^error: this was not caught, so the schedule ends: Error: [^\n]*\n {4}at .*obbligato\.config\.ts/,
    );
  });

  test('the name of a task, in log lines as in a table', async () => {
    const cwd = project(`{ tasks: [[${LITERAL}, '* * * * *', untilStopped, 0]] }`);
    const scheduler = begin(['run'], { cwd });
    await scheduler.says(/running; new: /);
    const status = await cli(['status'], { cwd });
    scheduler.child.kill('SIGTERM');
    const { stdout } = await scheduler.ended;
    harmless(status.stdout);
    for (const line of stdout.split('\n').filter((each) => each.includes('forged'))) harmless(line);
    assert.match(stdout, /forged/);
  });

  test('the source of a syntax error', async () => {
    const cwd = freshFolder();
    writeFileSync(
      join(cwd, 'obbligato.config.ts'),
      `const a = 'x'; /* ${EVIL.replace(/[\u2028\u2029\r]/g, '')} */ const = 5;\n`,
    );
    const { code, stderr } = await cli(['run'], { cwd });
    assert.equal(code, 2);
    harmless(stderr);
  });

  test('the path of a configuration', async () => {
    const cwd = join(freshFolder(), `${EVIL}\nerror: forged`.replaceAll('/', ''));
    mkdirSync(cwd);
    for (const config of [
      `{ tasks: 5 }`,
      `(process.exit(0), 5)`,
      `(() => { throw new Error('x'); })()`,
      '5',
      '{ taskz: [] }',
    ]) {
      const { stderr } = await cli(['run'], { cwd: project(config, { into: cwd }) });
      harmless(stderr);
      assert.doesNotMatch(stderr, /^error: forged/m, config);
    }
    const { stderr } = await cli(['run', 'nothing.ts'], { cwd });
    assert.doesNotMatch(stderr, /^error: forged/m);
    harmless(stderr);
  });

  test('a name in status, as text and as JSON', async () => {
    const cwd = freshFolder();
    const path = join(cwd, 'obbligato.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord(EVIL)] });
    await session.close();
    harmless((await cli(['status'], { cwd })).stdout);
    const { stdout } = await cli(['status', '--json'], { cwd });
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.equal(JSON.parse(stdout).tasks[0].name, EVIL);
  });

  test('the name before each line of a program, without the command line', async () => {
    const cwd = freshFolder();
    const library = join(import.meta.dirname, '../../src/index.ts');
    const code = `const { command } = await import(${JSON.stringify(library)});
      await command('echo said')({ name: ${LITERAL}, key: 'k', runId: 'r', scheduledFor: new Date(0), attempt: 1, reason: 'due', signal: new AbortController().signal });`;
    const { execFileSync } = await import('node:child_process');
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd,
      encoding: 'utf8',
    });
    harmless(said);
    assert.match(said, /forged \| said\n$/);
  });
});
