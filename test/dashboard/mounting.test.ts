/** The dashboard under a path of the servers that people have: the page finds everything, and changes reach it through their bodies too. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { type HttpBindings, serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { type Dashboard, dashboard } from '../../src/dashboard/index.ts';
import { memory, type Store } from '../../src/index.ts';
import { atEnd, built, ours } from './kit.ts';
import { recordOf } from './records.ts';

const token = 'a-token-of-many-characters';

async function storeWith(t: TestContext): Promise<Store> {
  const store = memory();
  const session = await store.open({ waitMs: 0 });
  atEnd(t, () => session.close());
  await session.commit({ puts: [recordOf('later', 1)] });
  await built;
  return store;
}

/** What a browser does there, by hand. */
async function tried(port: number): Promise<void> {
  const base = `http://127.0.0.1:${port}/jobs`;
  const page = await fetch(base);
  assert.deepEqual([page.status, page.url], [200, `${base}/`]);
  assert.match(await page.text(), /<!doctype html>/);
  assert.equal((await fetch(`${base}/api/tasks`)).status, 401);
  const body = JSON.stringify({ token });
  const login = await fetch(`${base}/api/login`, { method: 'POST', headers: ours, body });
  assert.equal(login.status, 200);
  const cookie = login.headers.get('set-cookie') ?? '';
  assert.match(cookie, /; Path=\/jobs\/; /);
  const answer = await fetch(`${base}/api/tasks`, { headers: { cookie: cookie.split(';')[0] } });
  assert.match(await answer.text(), /"name":"later"/);
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/tasks`)).status, 404);
}

function listening(t: TestContext, server: Server, jobs: Dashboard): Promise<number> {
  atEnd(t, async () => {
    await jobs.close();
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
}

describe('mounting a dashboard', () => {
  test('in node:http', async (t) => {
    const jobs = dashboard({ store: await storeWith(t), token, path: '/jobs' });
    const listener: RequestListener = (request, response) => jobs(request, response);
    await tried(await listening(t, createServer(listener), jobs));
  });

  test('in Express, with a parser of bodies before it', async (t) => {
    const jobs = dashboard({ store: await storeWith(t), token });
    const app = express();
    app.use(express.json());
    app.use('/jobs', jobs);
    await tried(await listening(t, createServer(app), jobs));
  });

  test('in Fastify', async (t) => {
    const jobs = dashboard({ store: await storeWith(t), token, path: '/jobs' });
    const app = Fastify();
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      for (const url of ['/jobs', '/jobs/*'])
        scope.all(url, (request, reply) => {
          reply.hijack();
          jobs(request.raw, reply.raw);
        });
    });
    atEnd(t, async () => {
      await jobs.close();
      await app.close();
    });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    await tried(Number(new URL(address).port));
  });

  test('in Hono', async (t) => {
    const jobs = dashboard({ store: await storeWith(t), token, path: '/jobs' });
    const app = new Hono<{ Bindings: HttpBindings }>();
    for (const path of ['/jobs', '/jobs/*'])
      app.all(path, (context) => {
        jobs(context.env.incoming, context.env.outgoing);
        return RESPONSE_ALREADY_SENT;
      });
    const port = await new Promise<number>((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info) =>
        resolve(info.port),
      );
      atEnd(t, async () => {
        await jobs.close();
        server.close();
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
    });
    await tried(port);
  });
});
