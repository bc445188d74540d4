/** How `run` ends, with a clock that is moved: which signals count as the first wish to stop, and which as the second. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Shutdown } from '../../src/cli/run/shutdown.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const;

describe('the end of run', () => {
  let now = 0;
  let said: string[] = [];
  let shutdown: Shutdown;
  beforeEach(() => {
    now = 0;
    said = [];
    shutdown = new Shutdown({ stop: () => said.push('stop'), leave: () => said.push('leave') }, () => now);
    shutdown.listen();
  });
  afterEach(() => {
    for (const signal of signals) process.removeAllListeners(signal);
  });
  const send = (signal: NodeJS.Signals): boolean => process.emit(signal, signal);

  for (const signal of signals) {
    test(`${signal} is a wish to stop, and a later SIGINT one to leave`, () => {
      send(signal);
      assert.deepEqual(said, ['stop']);
      now = 501;
      send('SIGINT');
      assert.deepEqual(said, ['stop', 'leave']);
    });
  }

  test('a SIGINT directly after the first is the same key press, passed on by a wrapper', () => {
    send('SIGINT');
    now = 500;
    send('SIGINT');
    assert.deepEqual(said, ['stop']);
  });

  test('no number of other signals makes it leave', () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const) {
      send(signal);
      now += 1000;
    }
    assert.deepEqual(said, ['stop']);
  });

  test('when it is over signals do nothing, and do not kill the process either', () => {
    send('SIGINT');
    now = 1000;
    shutdown.finish();
    for (const signal of signals) assert.equal(send(signal), true, 'somebody listens');
    assert.deepEqual(said, ['stop']);
  });
});
