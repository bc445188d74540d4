/** A viewer that does not read, next to one that does; and queries that are as large as they can be. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { dashboard } from '../../src/dashboard/index.ts';
import { memory } from '../../src/index.ts';
import { bounded, Words } from '../patience.ts';
import { atEnd, dashboardOf, raw } from './kit.ts';
import { recordOf } from './records.ts';

const LISTEN = 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** As long as a name in a message may be. */
const NAME = 'x'.repeat(3900);
/** Far more than fits into the buffers of a socket of the file system, which are much smaller than those of TCP. */
const MOST_MESSAGES = 2000;

describe('attacks on the streams of a dashboard', () => {
  test('a viewer that does not read is dropped, and the others hear on', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-slow-'));
    atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    await session.commit({ puts: [recordOf(NAME, 1)] });
    // Whoever asks for a look gets one: a minute passes whenever the clock is read.
    let clock = 0;
    t.mock.method(performance, 'now', () => (clock += 60_000));
    const handler = dashboard({ store });
    const server = createServer(handler);
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const path = join(folder, 'socket');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    atEnd(t, async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await handler.close();
      server.closeAllConnections();
      await closed;
    });

    const slow = connect(path).pause();
    slow.on('error', () => {});
    atEnd(t, () => slow.destroy());
    slow.write(LISTEN);
    await bounded('a connection', connected(sockets, 1));
    const words = new Words();
    const eager = connect(path).on('data', (piece) => words.hear(piece));
    atEnd(t, () => eager.destroy());
    eager.write(LISTEN);
    await words.says(/event: change\nid: 1\n/);

    const happens = async (failures: number): Promise<void> => {
      await session.commit({ puts: [{ ...recordOf(NAME, 1), failures }] });
      await raw(path, 'GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    };
    let messages = 0;
    while (!sockets[0].destroyed && messages < MOST_MESSAGES) await happens(++messages);
    assert.ok(sockets[0].destroyed, `it was not dropped within ${messages} messages`);
    assert.equal(eager.destroyed, false);
    const heard = words.text.length;
    while (words.text.length === heard) await happens(++messages);
  });

  test('huge queries: thousands of parameters, repeated ones, and names that fill a header', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    await session.commit({
      puts: Array.from({ length: 500 }, (_, index) => recordOf(`task-${index}`, index)),
    });
    const { ask } = await dashboardOf(t, store);
    const { json } = await ask(`/api/tasks?${'a=1&'.repeat(3000)}limit=3`);
    assert.equal(json.rows.length, 3);
    const repeated = await ask(`/api/tasks?${'search=task-1&'.repeat(800)}search=x`);
    assert.equal(repeated.json.matching, 111);
    assert.equal((await ask(`/api/tasks?search=${'%41'.repeat(201)}`)).status, 400);
    assert.equal((await ask(`/api/tasks?${'a'.repeat(20_000)}`)).status, 431);
    assert.equal((await ask('/api/tasks?search=%&sort=%ff')).status, 400);
    // The dearest questions that are allowed, many at once: some are told to wait, and none fails.
    const dear = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ask(`/api/load?step=1&from=${index * 60_000}&to=${index * 60_000 + 3000 * 60_000}`),
      ),
    );
    assert.deepEqual(
      dear.map(({ status }) => status).filter((status) => status !== 200 && status !== 503),
      [],
    );
    assert.equal((await ask('/api/state')).status, 200);
  });
});

async function connected(sockets: readonly Socket[], count: number): Promise<void> {
  while (sockets.length < count) await new Promise((resolve) => setImmediate(resolve));
}
