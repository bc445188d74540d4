/** A program that cannot be started: each reason says what is so. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { spawnReason } from '../../src/command/start-failure.ts';
import { type CommandOptions, CommandStartError, command } from '../../src/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { contextOf, folder } from './kit.ts';

const directory = join(folder, 'programs');
const library = join(import.meta.dirname, '../../src/index.ts');

async function failure(name: string, options: CommandOptions): Promise<CommandStartError> {
  const run = command('printf', ['--password=hunter2'], { directory, ...options });
  const error: unknown = await Promise.resolve(run(contextOf(name))).catch((error: unknown) => error);
  assert.ok(error instanceof CommandStartError, String(error));
  // Node's own error has the arguments of the program.
  assert.doesNotMatch(inspect(error, { depth: 10 }), /hunter2/);
  return error;
}

const TAKE_ALL = "() => { try { for (;;) openSync('/dev/null'); } catch {} }";

/** What a process says that may open no more files when it starts a program, or from when the program waits at its gate. */
const outOfFiles = (directory: string, since: 'the start' | 'the gate' = 'the start'): string =>
  execFileSync(
    '/bin/sh',
    [
      '-c',
      'ulimit -n 100; exec "$@"',
      'sh',
      process.execPath,
      '--input-type=module',
      '-e',
      `import { subscribe } from 'node:diagnostics_channel';
       import { openSync } from 'node:fs';
       const { command } = await import(${JSON.stringify(library)});
       const context = { name: 'job', key: 'k', runId: 'r', scheduledFor: new Date(0), attempt: 1, reason: 'due', signal: new AbortController().signal };
       await command('true', { directory: ${JSON.stringify(folder)} })(context);
       ${since === 'the start' ? `(${TAKE_ALL})();` : `subscribe('child_process', ({ process }) => process.once('spawn', ${TAKE_ALL}));`}
       await Promise.resolve(command('true', { directory: ${JSON.stringify(directory)} })(context)).catch((error) => process.stdout.write(error.message));`,
    ],
    { encoding: 'utf8', timeout: PATIENCE_MS },
  );

describe('a program that cannot be started', () => {
  test('because its folder is not there', async () => {
    const { message, reason } = await failure('lost', { cwd: join(folder, 'nowhere') });
    assert.equal(reason, `its folder "${join(folder, 'nowhere')}" is not there`);
    assert.equal(message, `Program "printf" of task "lost" was not started: ${reason}`);
  });

  test('because its folder is a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.equal((await failure('lost', { cwd: file })).reason, `its folder "${file}" is not a folder`);
  });

  test("because its environment is too long, of which the task's name is a part", async () => {
    const { reason } = await failure('x'.repeat(200_000), {});
    assert.match(reason, /^its arguments or its environment are too long; the task's name is part/);
  });

  test('because too many files are open: while it is started, or while leftovers are looked for', () => {
    const open = /no file can be opened any more: too many are open \(see "ulimit -n"\)$/;
    const nowhere = join(folder, 'not there');
    assert.match(outOfFiles(nowhere), open);
    assert.ok(!existsSync(nowhere));
    const there = mkdtempSync(join(folder, 'there-'));
    const said = outOfFiles(there);
    assert.match(said, open);
    assert.match(said, /what an earlier run may have left is not known/);
  });

  test('because no file can be opened from when it waits at its gate: the gate is closed', () => {
    const there = mkdtempSync(join(folder, 'gate-'));
    assert.match(
      outOfFiles(there, 'the gate'),
      /cannot be remembered in ".*": no file can be opened any more/,
    );
  });

  test('for each code of the system that has words of its own', () => {
    const reason = (code: string, cwd = folder): string =>
      spawnReason(Object.assign(new Error(`spawn ${code}`), { code }), cwd);
    assert.equal(reason('ENOENT'), 'there is no /bin/sh');
    assert.equal(reason('EACCES'), `this user may not enter its folder "${folder}"`);
    assert.equal(
      reason('EACCES', `${folder}/\0`),
      `its folder "${folder}/\0" cannot be reached by this user`,
    );
    assert.match(reason('EAGAIN'), /^the system has no memory or no process left/);
    assert.match(reason('ENOMEM'), /^the system has no memory or no process left/);
    assert.match(reason('ENFILE'), /too many are open/);
    assert.equal(reason('EIO'), 'spawn EIO');
  });
});
