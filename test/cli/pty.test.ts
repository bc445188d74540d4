/** The emulated terminal of the other tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../patience.ts';
import { Terminal } from './terminal.ts';

test('a frame that comes in pieces is looked at when it is whole', async () => {
  const program = `
    process.stdin.setRawMode(true).once('data', () => {
      process.stdout.write('two\\x1b[?2026l');
      process.stdin.unref();
    });
    process.stdout.write('\\x1b[?2026hone, ');`;
  const terminal = new Terminal([], { program: [process.execPath, '-e', program] });
  const screen = terminal.shows(/one/);
  await until(() => terminal.raw.includes('one'));
  terminal.press('x');
  assert.equal(await screen, 'one, two');
  assert.equal(await terminal.exited, 0);
});

/** Whether a process is there and was not waited for. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('all that a program has written is read, also if it ended before any of that was', async () => {
  const words = `${'·'.repeat(3000)}the end`;
  const program = `process.stdout.write(${JSON.stringify(words)})`;
  const terminal = new Terminal([], { program: [process.execPath, '-e', program] });
  while (isThere(terminal.pid)); // this process reads nothing meanwhile, as on a machine that is busy
  assert.equal(await terminal.exited, 0);
  assert.equal(terminal.raw, words);
});
