/** What a hostile client may send to a dashboard, on real sockets: nothing of it may show a file, crash anything, or fill it up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { memory } from '../../src/index.ts';
import { bounded, until } from '../patience.ts';
import { atEnd, control, dashboardOf, later, ours, raw, runEach, stage } from './kit.ts';
import { recordOf } from './records.ts';

describe('attacks on a dashboard', () => {
  test('traversal: no path leads to a file, and every answer keeps to its policy', async (t) => {
    const { ask, port } = await stage(t, [later]);
    const paths = [
      '/../package.json',
      '/..%2f..%2fetc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '//etc/passwd',
      '/api/../../x',
      '/api/__proto__',
      '/api/constructor',
      '/api/toString',
      '/__proto__',
      '/.git/config',
      '/page.html',
      '/api',
      '/api/',
      '/api/tasks/',
      '/\\..\\x',
    ];
    for (const path of paths) {
      const { status, text } = await ask(path);
      assert.ok([400, 404].includes(status), `${path}: ${status}`);
      assert.doesNotMatch(text, /root:|"name": "obbligato"/);
    }
    for (const path of ['/', '/api/state', '/nothing']) {
      const { headers } = await ask(path);
      const policy = headers['content-security-policy'] ?? '';
      assert.match(String(policy), /^default-src 'none'/);
      assert.doesNotMatch(String(policy), /unsafe|\*|http/);
      assert.match(String(policy), /frame-ancestors 'none'/);
      assert.deepEqual(
        [headers['x-content-type-options'], headers['cache-control'], headers['referrer-policy']],
        ['nosniff', 'no-store', 'no-referrer'],
      );
    }
    assert.match(
      await raw(
        port,
        'GET http://evil.example/api/state HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      ),
      /^HTTP\/1\.1 404/,
    );
  });

  test('malformed everything: each is refused, and the next viewer is answered', async (t) => {
    const { ask, port } = await stage(t, [later], { control: true });
    const bad = [
      'tasks?limit=0',
      'tasks?limit=-1',
      'tasks?limit=1e9',
      'tasks?limit=999999',
      'tasks?offset=x',
      'tasks?sort=name;drop',
      'tasks?state=__proto__',
      'tasks?order=sideways',
      `tasks?search=${'x'.repeat(201)}`,
      'timeline?from=NaN',
      'timeline?from=5&to=5',
      'timeline?from=0&to=99999999999999',
      'load?step=0',
      'load?step=1&from=0&to=604800000',
      'task',
      `task?name=${'x'.repeat(10_001)}`,
      'history?name=later&outcome=nice',
      'history?name=later&offset=99999999',
    ];
    for (const path of bad) {
      const { status, json } = await ask(`/api/${path}`);
      assert.equal(status, 400, path);
      assert.ok(json.error.length < 200);
    }
    for (const body of [
      '',
      'null',
      '[]',
      '"run"',
      '{',
      '{"kind":"run"}',
      '{"kind":"toString","task":"later"}',
      '{"kind":"run","task":5}',
      `{"kind":"run","task":"${'x'.repeat(20_000)}"}`,
    ])
      assert.equal((await ask('/api/control', control(ours, body))).status, 400, body.slice(0, 40));
    assert.equal((await ask('/api/control', control(ours, '{"kind":"run","task":"nobody"}'))).status, 404);
    for (const bytes of [
      '\0\0\0\0\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
      `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      'POST /api/control HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ])
      assert.doesNotMatch(await raw(port, bytes), /^HTTP\/1\.1 200/);
    assert.equal((await ask('/api/state')).status, 200);
  });

  test('names and errors of tasks come as JSON, and as nothing else', async (t) => {
    const hostile = '<img src=x onerror=alert(1)>\u2028\r\nevent: change\r\ndata: {}\r\n\r\n</script>';
    const scene = await stage(t, [
      [
        hostile,
        '0 0 1 1 *',
        () => {
          throw new Error(hostile);
        },
        60_000,
      ],
    ]);
    await runEach(scene, hostile);
    const { rows } = (await scene.ask('/api/tasks')).json;
    assert.deepEqual([rows[0].name, rows[0].failures], [hostile, 1]);
    const socket = connect(scene.port, '127.0.0.1');
    atEnd(t, () => socket.destroy());
    const text = await hears(socket, `GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n`, /event: change/);
    assert.equal(text.match(/^event: /gm)?.length, 1);
  });

  test('names of ten thousand characters cost no viewer its stream', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    const { port } = await dashboardOf(t, store);
    const socket = connect(port, '127.0.0.1');
    atEnd(t, () => socket.destroy());
    const puts = Array.from({ length: 200 }, (_, index) => recordOf(`${index} ${'x'.repeat(10_000)}`, 1));
    await hears(socket, 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n', /event: change/);
    const heard = hears(socket, '', /"all":200/);
    await session.commit({ puts });
    assert.ok((await heard).length < 10_000);
    assert.equal(socket.destroyed, false);
  });

  test('slow and idle readers are dropped or refused, and hold nobody up', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    const { port, ask } = await dashboardOf(t, store);
    const idle = await crowd(port, 120, 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    atEnd(t, () => idle.map(({ socket }) => socket.destroy()));
    await bounded('all to be answered', Promise.all(idle.map(({ answered }) => answered)));
    const refused = idle.filter(({ text }) => text().startsWith('HTTP/1.1 503')).length;
    assert.equal(refused, 20);
    await session.commit({ puts: [recordOf('later', 1)] });
    assert.equal((await ask('/api/tasks')).json.total >= 0, true);
    // A viewer that leaves makes room for the next.
    for (const { socket } of idle) socket.destroy();
    await bounded(
      'room for a viewer',
      again(async () => {
        const [next] = await crowd(port, 1, 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await next.answered;
        next.socket.destroy();
        return next.text().startsWith('HTTP/1.1 200');
      }),
    );
  });

  test('a thousand connections: some are refused, and it answers when they are gone', async (t) => {
    const { port, ask } = await dashboardOf(t, memory());
    const sockets = Array.from({ length: 1000 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    atEnd(t, () => sockets.map((socket) => socket.destroy()));
    await until(
      () => sockets.filter(({ destroyed, readyState }) => destroyed || readyState === 'open').length === 1000,
    );
    const open = (): number => sockets.filter(({ destroyed }) => !destroyed).length;
    await until(() => open() <= 256);
    for (const socket of sockets) socket.destroy();
    await bounded(
      'an answer',
      again(async () => (await ask('/api/state').catch(() => undefined))?.status === 200),
    );
  });
});

async function again(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function hears(socket: Socket, bytes: string, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  socket.once('close', () => reject(new Error(`the connection ended before ${pattern}`)));
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (pattern.test(text)) resolve(text);
  });
  socket.write(bytes);
  return bounded(String(pattern), promise);
}

interface Visitor {
  readonly socket: Socket;
  readonly answered: Promise<unknown>;
  text(): string;
}

/** Connections that ask for something and read only its beginning. */
async function crowd(port: number, size: number, bytes: string): Promise<Visitor[]> {
  return Array.from({ length: size }, () => {
    let text = '';
    const socket = connect(port, '127.0.0.1')
      .setEncoding('latin1')
      .on('error', () => {});
    const answered = once(socket, 'data').then(([piece]) => {
      text += piece;
      socket.pause();
    });
    socket.write(bytes);
    return { socket, answered, text: () => text };
  });
}
