/** `command`: real programs, their output, their ends, and what stops them. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  CommandFailedError,
  CommandStartError,
  command,
  milliseconds,
  OUTPUT_CHANNEL,
  type OutputLine,
  type PublishedLine,
  withTimeout,
} from '../../src/index.ts';
import { PATIENCE_MS, until } from '../patience.ts';
import { childrenOf, contextOf, folder, lives, memosIn } from './kit.ts';

const directory = join(folder, 'programs');
/** Where a test says that SIGTERM is enough, a slow machine must not send SIGKILL. */
const grace = milliseconds(PATIENCE_MS);
const collect = (): { lines: OutputLine[]; onOutput: (line: OutputLine) => void } => {
  const lines: OutputLine[] = [];
  return { lines, onOutput: (line) => lines.push(line) };
};
/** The first line that a program writes, as a number. */
const firstNumber = async (lines: readonly OutputLine[]): Promise<number> => {
  await until(() => lines.length > 0);
  return Number(lines[0].line);
};

const MEGABYTE = "head -c 1000000 /dev/zero | tr '\\0' x | fold -w 1000";

/** Another program, which nobody holds back, has begun later and has written as much. By then one that is not held back has been read as well. */
const anotherIsDone = async (): Promise<void> => {
  await command(MEGABYTE, { directory, onOutput() {} })(contextOf('another'));
};

describe('command', () => {
  test('runs a line of shell, and tells its output by line, stream and task', async () => {
    const { lines, onOutput } = collect();
    const callback = command('echo one; printf "two\\nthr"; printf "ee" ; echo oh >&2', {
      directory,
      onOutput,
    });
    assert.equal(await callback(contextOf('talker')), undefined);
    const said = (stream: string): string[] =>
      lines.filter((each) => each.stream === stream && each.task === 'talker').map(({ line }) => line);
    assert.deepEqual([said('stdout'), said('stderr')], [['one', 'two', 'three'], ['oh']]);
  });

  test('runs a program with its arguments as they are, past any shell', async () => {
    const { lines, onOutput } = collect();
    await command('printf', ['%s|', 'a b', '$HOME', '; ls'], { directory, onOutput })(contextOf('argv'));
    assert.deepEqual(
      lines.map(({ line }) => line),
      ['a b|$HOME|; ls|'],
    );
  });

  test('a text is what the program reads, to its end; without one there is nothing to read', async () => {
    const { lines, onOutput } = collect();
    const stdin = 'Good morning,\n\nüñï\n';
    await command('cat; echo end', { directory, onOutput, stdin })(contextOf('reader'));
    await command('cat', ['-'], { directory, onOutput, stdin: 'no shell' })(contextOf('reader'));
    await command('cat; echo nothing', { directory, onOutput })(contextOf('reader'));
    assert.deepEqual(
      lines.map(({ line }) => line),
      ['Good morning,', '', 'üñï', 'end', 'no shell', 'nothing'],
    );
  });

  test('a program that does not read its text has not failed for that', async () => {
    const { lines, onOutput } = collect();
    const stdin = 'x'.repeat(2 ** 20); // more than a pipe holds
    await command('echo deaf', { directory, onOutput, stdin })(contextOf('deaf'));
    assert.deepEqual(
      lines.map(({ line }) => line),
      ['deaf'],
    );
  });

  test('another shell reads the line', async () => {
    const { lines, onOutput } = collect();
    await command('basename "$BASH"', { directory, onOutput, shell: '/bin/bash' })(contextOf('bash'));
    // A shell may complain of a locale that the machine does not have.
    assert.deepEqual(
      lines.filter(({ stream }) => stream === 'stdout').map(({ line }) => line),
      ['bash'],
    );
    await assert.rejects(async () => {
      await command('true', { directory, shell: '/no/such/shell' })(contextOf('shell-less'));
    }, CommandFailedError);
  });

  test('a stdin or a shell that makes no sense is refused at once', () => {
    const bad =
      (options: object): (() => unknown) =>
      () =>
        command('true', options);
    assert.throws(bad({ stdin: 5 }), /stdin must be a text/);
    assert.throws(bad({ shell: '' }), /shell must be the path of a shell/);
    assert.throws(() => command('echo', ['hi'], { shell: '/bin/bash' }), /shell is for a line of shell/);
  });

  test('F4 the program finds in its environment what a callback finds in its context', async () => {
    const { lines, onOutput } = collect();
    const context = contextOf('informed');
    await command(
      'echo "$OBBLIGATO_TASK $OBBLIGATO_KEY $OBBLIGATO_RUN_ID $OBBLIGATO_SCHEDULED_FOR $OBBLIGATO_ATTEMPT $OBBLIGATO_REASON $EXTRA"; pwd',
      { directory, onOutput, cwd: folder, env: { EXTRA: 'more' } },
    )(context);
    assert.deepEqual(
      lines.map(({ line }) => line),
      [`informed key-1 ${context.runId} 1970-01-01T00:00:00.000Z 2 retry more`, folder],
    );
  });

  for (const [line, exitCode, signal, message] of [
    ['exit 3', 3, null, 'Program "sh" of task "bad" exited with code 3'],
    ['no-such-program 2>/dev/null', 127, null, 'Program "sh" of task "bad" exited with code 127 (not found)'],
    ['kill -KILL $$', null, 'SIGKILL', 'Program "sh" of task "bad" was ended by SIGKILL'],
  ] as const) {
    test(`fails and says how it ended: ${line}`, async () => {
      const failed: unknown = await Promise.resolve(command(line, { directory })(contextOf('bad'))).catch(
        (error: unknown) => error,
      );
      assert.ok(failed instanceof CommandFailedError);
      assert.deepEqual([failed.exitCode, failed.signal, failed.message], [exitCode, signal, message]);
    });
  }

  test('G5 a failure names the program, and not the arguments, which may hold a password', async () => {
    const failed: unknown = await Promise.resolve(
      command('false', ['--password=hunter2'], { directory })(contextOf('discreet')),
    ).catch((error: unknown) => error);
    assert.ok(failed instanceof CommandFailedError);
    assert.equal(failed.message, 'Program "false" of task "discreet" exited with code 1');
    assert.doesNotMatch(JSON.stringify(failed.details), /hunter2/);
  });

  test('D10 an abort ends the program with all that it has started', async () => {
    const { lines, onOutput } = collect();
    const controller = new AbortController();
    const running = Promise.resolve(
      command('sleep 1000 & echo $!; wait', { directory, grace, onOutput })(
        contextOf('family', controller.signal),
      ),
    );
    const grandchild = await firstNumber(lines);
    assert.ok(lives(grandchild));
    controller.abort();
    await assert.rejects(running, /was ended by SIGTERM/);
    assert.ok(!lives(grandchild));
  });

  test('D10 whoever does not listen to SIGTERM gets SIGKILL after the grace', async () => {
    const { lines, onOutput } = collect();
    const controller = new AbortController();
    const running = Promise.resolve(
      command('trap "" TERM; echo $$; while :; do sleep 0.01; done', {
        directory,
        onOutput,
        grace: milliseconds(50),
      })(contextOf('deaf', controller.signal)),
    );
    const pid = await firstNumber(lines);
    controller.abort();
    await assert.rejects(running, /was ended by SIGKILL/);
    assert.ok(!lives(pid));
  });

  test('a program that ends well when it is asked to has succeeded', async () => {
    const { lines, onOutput } = collect();
    const controller = new AbortController();
    const running = command('trap "exit 0" TERM; echo $$; while :; do sleep 0.01; done', {
      directory,
      grace,
      onOutput,
    })(contextOf('polite', controller.signal));
    await firstNumber(lines);
    controller.abort();
    await running;
  });

  test('F2 a program that outlasts its run, as after a withTimeout, is over before the next one starts', async () => {
    const { lines, onOutput } = collect();
    const line =
      'word=alone; [ -e lock ] && word=overlap; touch lock; trap "sleep 0.3; rm lock; exit 1" TERM; echo $word; while :; do sleep 0.01; done';
    const program = command(line, { directory, cwd: folder, grace, onOutput });
    const words = (): string[] => lines.filter(({ stream }) => stream === 'stdout').map((each) => each.line);
    const ends: Promise<unknown>[] = [];
    for (let count = 1; count <= 2; count++) {
      const controller = new AbortController();
      ends.push(Promise.resolve(program(contextOf('given up', controller.signal))).catch((error) => error));
      const early = ends[count - 1].then((error) => assert.fail(`it ended before it was told to: ${error}`));
      await Promise.race([until(() => words().length === count), early]);
      early.catch(() => {});
      controller.abort(); // and nobody waits for it
    }
    assert.deepEqual(words(), ['alone', 'alone']);
    for (const failed of await Promise.all(ends)) assert.ok(failed instanceof CommandFailedError);
  });

  test('a limit by withTimeout ends the program', async () => {
    const { lines, onOutput } = collect();
    const program = command('echo $$; exec sleep 1000', { directory, onOutput });
    const running = Promise.resolve(withTimeout(program, milliseconds(500))(contextOf('limited')));
    await assert.rejects(running, /took longer than 500 ms/);
    await until(() => childrenOf(process.pid).length === 0);
    assert.ok(lines.every(({ line }) => !lives(Number(line))));
  });

  test('leaves no memo of a program that has ended', async () => {
    const own = join(folder, 'own');
    await command('true', { directory: own })(contextOf('a/b c'));
    assert.deepEqual(memosIn(own), []);
  });

  test('nothing is started that cannot be remembered, and the reason is told', async () => {
    await assert.rejects(
      Promise.resolve(command('touch started', { directory: '/proc/nowhere', cwd: folder })(contextOf('a'))),
      (error) =>
        error instanceof CommandStartError && /cannot be remembered in "\/proc\/nowhere"/.test(error.message),
    );
    assert.ok(!existsSync(join(folder, 'started')));
    assert.deepEqual(childrenOf(process.pid), [], 'nobody waits at the gate');
  });

  test('a line without an end, however long, is told in pieces', async () => {
    const { lines, onOutput } = collect();
    await command('head -c 100000 /dev/zero | tr "\\0" x', { directory, onOutput })(contextOf('long'));
    assert.equal(lines.map(({ line }) => line).join('').length, 100_000);
    assert.ok(lines.length > 1);
  });

  test('a listener that throws harms nobody', async () => {
    const onOutput = (): never => {
      throw new Error('a bad guest');
    };
    await command('echo one', { directory, onOutput })(contextOf('guest'));
    await command('echo one', { directory, onOutput: async () => onOutput() })(contextOf('guest'));
  });

  test('a listener that answers a promise holds the program back until it settles', async () => {
    const room = Promise.withResolvers<void>();
    const finished = join(folder, 'finished');
    let characters = 0;
    const running = command(`${MEGABYTE}; touch "${finished}"`, {
      directory,
      onOutput: ({ line }) => {
        characters += line.length;
        return room.promise;
      },
    })(contextOf('held back'));
    await until(() => characters > 0);
    await anotherIsDone();
    assert.ok(characters <= 2 ** 16, `${characters} characters, more than a pipe holds, were read`);
    assert.ok(!existsSync(finished), 'the program waits');
    room.resolve();
    await running;
    assert.equal(characters, 1_000_000);
  });

  test('a listener of the channel holds the program back too', async () => {
    const room = Promise.withResolvers<void>();
    const seen: string[] = [];
    const listener = (message: unknown): void => {
      const { line, hold } = message as PublishedLine;
      seen.push(line);
      hold(room.promise);
    };
    subscribe(OUTPUT_CHANNEL, listener);
    try {
      const running = command(MEGABYTE, { directory })(contextOf('held back'));
      await until(() => seen.length > 0);
      await anotherIsDone();
      assert.ok(seen.length <= 66, `${seen.length} lines of a thousand were read`);
      room.resolve();
      await running;
      assert.equal(seen.length, 1000);
    } finally {
      unsubscribe(OUTPUT_CHANNEL, listener);
    }
  });

  test('what cannot be a command is refused when it is made', () => {
    for (const wrong of ['', 'a\0b']) assert.throws(() => command(wrong), TypeError);
    assert.throws(() => command('ls', ['a\0']), TypeError);
    assert.throws(() => command('ls', { grace: -1 }), RangeError);
  });

  test('the memo is private, and durable before the program begins', async () => {
    const own = join(folder, 'seen');
    mkdirSync(own, { mode: 0o700 });
    const { lines, onOutput } = collect();
    await command('cat seen/*.json', { directory: own, cwd: folder, onOutput })(contextOf('seen'));
    const { task, program, owner } = JSON.parse(lines[0].line);
    assert.equal(task, 'seen');
    assert.equal(owner.pid, process.pid);

    assert.ok(program.mark.startsWith(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()));
  });
});
