/** Who may try to look or to change without being allowed to: a rebound name, another site, another machine, a viewer without the token. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { dashboard, serveDashboard } from '../../src/dashboard/index.ts';
import { memory } from '../../src/index.ts';
import { bounded } from '../patience.ts';
import { atEnd, control, dashboardOf, later, ours, raw, stage } from './kit.ts';

const TOKEN = 'a-token-of-many-characters';
const PATHS = [
  'state',
  'tasks',
  'task?name=later',
  'history?name=later',
  'timeline',
  'load',
  'plan',
  'events',
];

describe('attacks on who may look', () => {
  test('DNS rebinding: a name that is not ours is answered nothing', async (t) => {
    const { ask, port } = await stage(t, [later], { control: true });
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      'evil.example@localhost',
      'localhost:1:2',
      '127.0.0.1.evil.example',
    ]) {
      for (const path of ['/', '/api/state', '/api/tasks']) {
        const { status, text } = await ask(path, { headers: { host } });
        assert.ok([400, 403].includes(status), `${host} ${path}: ${status}`);
        assert.doesNotMatch(text, /later/);
      }
      assert.ok([400, 403].includes((await ask('/api/control', control({ ...ours, host }))).status));
    }
    for (const line of ['', 'Host: \r\n', 'Host: evil.example\r\n'])
      assert.match(await raw(port, `GET /api/state HTTP/1.0\r\n${line}\r\n`), /^HTTP\/1\.1 403/);
    for (const host of ['localhost', `LOCALHOST:${port}`, '127.0.0.1', `[::1]:${port}`])
      assert.equal((await ask('/api/state', { headers: { host } })).status, 200, host);
  });

  test('another site: its pages can neither read nor change', async (t) => {
    let runs = 0;
    const { ask, port } = await stage(t, [['later', '0 0 1 1 *', () => void runs++, 0]], { control: true });
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: `http://127.0.0.1:${port}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as const;
    for (const headers of foreign) {
      assert.equal(
        (await ask('/api/control', control({ ...ours, ...headers } as Record<string, string>))).status,
        403,
      );
      assert.equal(
        (await ask('/api/tasks', { headers: { ...headers } as Record<string, string> })).status,
        403,
      );
      assert.equal(
        (await ask('/api/events', { headers: { ...headers } as Record<string, string> })).status,
        403,
      );
    }
    // What a form, or a script without permission, can send.
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/plain;application/json',
    ])
      assert.equal(
        (await ask('/api/control', control({ 'content-type': type, 'x-obbligato': '1' }))).status,
        415,
      );
    assert.equal((await ask('/api/control', control({ 'content-type': 'application/json' }))).status, 403);
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      assert.equal((await ask('/api/control', { method, headers: ours })).status, 405);
    const { headers } = await ask('/api/control', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    });
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(runs, 0);
    const own = { ...ours, origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    assert.equal((await ask('/api/control', control(own))).json.state, 'applied');
  });

  test('a token: nothing without it, not in addresses, a session that scripts cannot read', async (t) => {
    const { ask } = await stage(t, [['payouts', '0 0 1 1 *', () => {}, 0]], { token: TOKEN });
    for (const path of PATHS) {
      const { status, text } = await ask(`/api/${path}`);
      assert.equal(status, 401, path);
      assert.doesNotMatch(text, /payouts|jobs\.db/);
    }
    assert.equal((await ask(`/api/state?token=${TOKEN}`)).status, 401);
    assert.equal((await ask('/api/state', { headers: { authorization: `Bearer ${TOKEN}x` } })).status, 401);
    assert.equal((await ask('/api/state', { headers: { cookie: `obbligato=${TOKEN}; a=b` } })).status, 401);
    assert.equal((await ask('/api/state', { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200);
    const wrong = await ask('/api/login', { method: 'POST', headers: ours, body: '{"token":"x"}' });
    assert.deepEqual([wrong.status, wrong.headers['set-cookie']], [401, undefined]);
    const login = await ask('/api/login', {
      method: 'POST',
      headers: ours,
      body: JSON.stringify({ token: TOKEN }),
    });
    const [cookie] = login.headers['set-cookie'] ?? [];
    assert.match(
      cookie,
      /^obbligato_[0-9a-f]{12}=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    assert.doesNotMatch(cookie, new RegExp(TOKEN));
    assert.equal((await ask('/api/state', { headers: { cookie: cookie.split(';')[0] } })).status, 200);
    const page = await ask('/');
    assert.equal(/payouts|jobs\.db/.test(page.text), false);
  });

  test('another machine: no address beyond this one without a token, and no name without one', async () => {
    const store = memory();
    await assert.rejects(serveDashboard({ store, host: '0.0.0.0', port: 0 }), /give a token/);
    await assert.rejects(serveDashboard({ store, host: '::', port: 0 }), /give a token/);
    await assert.rejects(serveDashboard({ store, host: 'jobs.example', port: 0 }), /give a token/);
    assert.throws(() => dashboard({ store, hosts: ['jobs.example'] }), /demand a token/);
    assert.throws(() => dashboard({ store, token: 'short' }), /at least 16/);
    assert.throws(() => dashboard({ store, readonly: true } as never), /no option "readonly"/);
  });

  test('a proxy on this machine: what it sends on is answered only with a token', async (t) => {
    const { ask, port } = await stage(t, [later], { control: true });
    for (const [name, value] of [
      ['forwarded', 'for=203.0.113.9'],
      ['via', '1.1 proxy'],
      ['x-real-ip', '203.0.113.9'],
      ['x-forwarded-for', '203.0.113.9'],
      ['x-forwarded-host', 'jobs.example'],
      ['x-forwarded-proto', 'https'],
    ]) {
      const { status, text } = await ask('/api/state', { headers: { [name]: value } });
      assert.equal(status, 403, name);
      assert.match(text, /give the page one/);
      assert.equal((await ask('/api/control', control({ ...ours, [name]: value }))).status, 403, name);
    }
    assert.match(await raw(port, 'GET /api/state HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n'), /^HTTP\/1\.1 403/);
    const guarded = await dashboardOf(t, memory(), { token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.9' };
    assert.equal((await guarded.ask('/api/state', { headers })).status, 200);
  });

  test('guesses of the token: after ten within a minute no token is compared until the minute is over; viewers go on', async (t) => {
    let now = Date.UTC(2026, 0, 1);
    const lines = t.mock.method(console, 'error', () => {}).mock;
    const { ask } = await dashboardOf(t, memory(), { token: TOKEN, now: () => now });
    const login = (token: string) =>
      ask('/api/login', { method: 'POST', headers: ours, body: JSON.stringify({ token }) });
    const [cookie = ''] = (await login(TOKEN)).headers['set-cookie'] ?? [];
    const viewer = { cookie: cookie.split(';')[0] };
    for (let guess = 0; guess < 10; guess++) {
      const bearer = { headers: { authorization: `Bearer wrong-${guess}` } };
      const answer = guess % 2 === 0 ? login(`wrong-${guess}`) : ask('/api/state', bearer);
      assert.equal((await answer).status, 401);
    }
    assert.equal((await login(TOKEN)).status, 429);
    const right = { authorization: `Bearer ${TOKEN}` };
    assert.equal((await ask('/api/state', { headers: right })).status, 429);
    assert.equal((await ask('/api/state', { headers: viewer })).status, 200);
    assert.deepEqual(
      lines.calls.map(({ arguments: [line] }) => line),
      ['obbligato: the page was shown 10 wrong tokens within a minute by 127.0.0.1'],
    );
    now += 60_000;
    assert.equal((await login(TOKEN)).status, 200);
  });

  test('a stranger who sends tokens slowly shuts the page for nobody', async (t) => {
    const { ask, port } = await dashboardOf(t, memory(), { token: TOKEN });
    const head = [
      'POST /api/login HTTP/1.1',
      'Host: localhost',
      'x-obbligato: 1',
      'content-type: application/json',
    ];
    const slow = [...head, 'content-length: 100', '', '{'].join('\r\n');
    const crowd = Array.from({ length: 70 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    atEnd(t, () => crowd.map((socket) => socket.destroy()));
    const refused = crowd.map((socket) => once(socket, 'data'));
    for (const socket of crowd) socket.write(slow);
    // Four are read, and the others are refused at once.
    await bounded('the others', settledOf(refused, 66));
    const right = { authorization: `Bearer ${TOKEN}` };
    assert.equal((await ask('/api/state', { headers: right })).status, 200);
  });

  test('a program that decides itself is asked each time, and its mistakes let nobody in', async (t) => {
    const answers: Array<() => unknown> = [
      () => false,
      () => 'yes',
      () => Promise.reject(new Error('secret')),
      () => Promise.resolve(true),
    ];
    const { ask } = await dashboardOf(t, memory(), { authorize: () => answers.shift()?.() as boolean });
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const { status, text } = await ask('/api/state');
      assert.doesNotMatch(text, /secret/);
      statuses.push(status);
    }
    assert.deepEqual(statuses, [403, 403, 503, 200]);
  });
});

/** Resolves when so many of the promises are fulfilled. */
async function settledOf(promises: readonly Promise<unknown>[], count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  for (const each of promises) void each.then(() => --left === 0 && resolve());
  await promise;
}
