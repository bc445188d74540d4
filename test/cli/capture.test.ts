/** What programs write is captured by line, and a program is held back while the output has no room. */
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { Capture } from '../../src/cli/run/capture.ts';
import { OUTPUT_CHANNEL } from '../../src/index.ts';

test('a program is held back until there is room, and not before it is needed', () => {
  const room = Promise.resolve();
  const said: unknown[] = [];
  const capture = new Capture((line) => {
    said.push(line);
    return line.line === 'much' ? room : undefined;
  });
  capture.start();
  try {
    const held: unknown[] = [];
    for (const line of ['little', 'much'])
      channel(OUTPUT_CHANNEL).publish({
        task: 'a',
        stream: 'stdout',
        line,
        hold: (until: unknown) => held.push(until),
      });
    assert.deepEqual(said, [
      { task: 'a', stream: 'stdout', line: 'little' },
      { task: 'a', stream: 'stdout', line: 'much' },
    ]);
    assert.deepEqual(held, [room]);
  } finally {
    capture.stop();
  }
});
