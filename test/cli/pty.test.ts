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
