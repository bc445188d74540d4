/** Pings to a real server that fails, resets and hangs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/index.ts';
import { clock, running, secret, server, troubles } from './ping-stage.ts';

describe('pings that do not arrive', () => {
  const everyMinute: Registration[] = [['a', '* * * * *', () => {}, 0]];

  test('an answer of 500 and a reset connection are tried again, in order', async () => {
    server.answer = (response, before) => {
      if (before === 0) response.writeHead(500).end();
      else if (before === 1) response.socket?.resetAndDestroy();
      else response.end('OK');
    };
    const told = await running({ tasks: { a: secret() } }, everyMinute);
    await clock.advance(seconds(1));
    await told.flush();
    const [start, end] = ['/5f1b-secret/start', '/5f1b-secret'];
    assert.deepEqual(server.paths, [start, start, start, end]);
    assert.deepEqual(troubles, []);
  });

  test('after the last try a ping is given up, which is reported once, without the address; so is that they arrive again', async () => {
    let isDown = true;
    server.answer = (response) => void (isDown ? response.writeHead(503) : response).end();
    const told = await running({ tasks: { a: secret() } }, everyMinute);
    await clock.advance(minutes(1));
    await told.flush();
    assert.deepEqual(troubles, [{ task: 'a', state: 'lost', reason: 'HTTP 503' }]);
    isDown = false;
    await clock.advance(minutes(1));
    await told.flush();
    assert.deepEqual(troubles.slice(1), [{ task: 'a', state: 'arrives', reason: '' }]);
  });

  test('a refusal is not tried again, and a server that is not there is a code', async () => {
    server.answer = (response) => void response.writeHead(404).end();
    const told = await running({ tasks: { a: secret(), b: 'http://127.0.0.1:9/nobody' } }, [
      ['a', '0 12 * * *', () => {}, 0],
      ['b', '0 12 * * *', () => {}, 0],
    ]);
    await clock.advance(seconds(1));
    await told.flush();
    assert.deepEqual(server.paths, ['/5f1b-secret/start', '/5f1b-secret']);
    assert.deepEqual(
      troubles.toSorted((a, b) => (a.task < b.task ? -1 : 1)),
      [
        { task: 'a', state: 'lost', reason: 'HTTP 404' },
        { task: 'b', state: 'lost', reason: troubles.find(({ task }) => task === 'b')?.reason },
      ],
    );
    assert.match(troubles.find(({ task }) => task === 'b')?.reason ?? '', /^[A-Z]\w+$/);
  });

  test('a server that hangs holds no run up and keeps no more than five pings per task; a request has a limit of time', async () => {
    server.answer = () => {};
    let runs = 0;
    const told = await running({ tasks: { a: secret() }, timeout: minutes(9) }, [
      ['a', '* * * * *', () => void runs++, 0],
    ]);
    await clock.advance(minutes(30));
    await server.got(1);
    assert.equal(runs, 31);
    assert.equal(told.pending, 5);
    assert.equal(server.received.length, 1);

    const limited = await running({ tasks: { a: secret() }, timeout: 20, retryAfter: [] }, [
      ['a', '0 13 * * *', () => {}, 0],
    ]);
    await clock.advance(minutes(30));
    await limited.flush();
    assert.deepEqual(troubles, [{ task: 'a', state: 'lost', reason: 'timeout' }]);
  });

  test('many tasks: at most twenty requests are on their way', async () => {
    const open: (() => void)[] = [];
    let most = 0;
    // What is sent after the twentieth request has come finds the server after any that was sent before.
    const release = async (): Promise<void> => {
      await fetch(server.url('/marker'));
      for (const end of open.splice(0)) end();
    };
    server.answer = (response) => {
      if (server.paths.at(-1) === '/marker') return void response.end();
      open.push(() => response.end());
      most = Math.max(most, open.length);
      if (open.length === 20) void release();
    };
    const names = Array.from({ length: 60 }, (_, index) => `task ${index}`);
    const adapter = ({ kind }: { kind: string }) => (kind === 'success' ? { url: secret() } : undefined);
    const told = await running(
      { tasks: Object.fromEntries(names.map((name) => [name, adapter])) },
      names.map((name) => [name, '0 12 * * *', () => {}, 0]),
    );
    await clock.advance(seconds(1));
    await told.flush();
    const sent = server.paths.filter((path) => path !== '/marker');
    assert.deepEqual([sent.length, most], [60, 20]);
  });
});
