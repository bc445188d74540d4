/** What the tests of the dashboard share: a real scheduler on a real file, a dashboard on a real socket, and requests as anybody may send them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type {
  ControlResult,
  Instances,
  Load,
  Output,
  Plan,
  Runs,
  SiteState,
  TaskDetails,
  TaskPage,
  Timeline,
} from '../../page/answers.ts';
import { buildPage } from '../../scripts/page.ts';
import { type ServeOptions, serveDashboard } from '../../src/dashboard/index.ts';
import {
  createScheduler,
  control as operator,
  type Registration,
  type Store,
  sqlite,
  type Task,
} from '../../src/index.ts';
import { bounded } from '../patience.ts';

const root = join(import.meta.dirname, '..', '..');
/** The page of the sources: it is made of them, so it is not kept with them. */
export const built = buildPage(join(root, 'src', 'dashboard'));

/** What a path is answered with, as the page reads it. */
type Shape<Path extends string> = Path extends `/api/task?${string}`
  ? TaskDetails
  : Path extends `/api/tasks${string}`
    ? TaskPage
    : Path extends `/api/state`
      ? SiteState
      : Path extends `/api/history${string}`
        ? Runs
        : Path extends `/api/timeline${string}`
          ? Timeline
          : Path extends `/api/load${string}`
            ? Load
            : Path extends `/api/instances`
              ? Instances
              : Path extends `/api/output${string}`
                ? Output
                : Path extends `/api/plan`
                  ? Plan
                  : Path extends `/api/control`
                    ? ControlResult
                    : object;

export interface Answered<Path extends string = string> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The shape is the server's promise; `error` is there if the request is refused. */
  readonly json: Shape<Path> & { readonly error: string };
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as somebody may send it who minds no rule: every header can be set. */
function ask<Path extends string>(port: number, path: Path, asked: Asked = {}): Promise<Answered<Path>> {
  const { method = 'GET', headers = {}, body } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<Answered<Path>>();
  const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    response.once('error', reject).once('end', () => {
      const isJson = response.headers['content-type']?.startsWith('application/json');
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text,
        json: isJson && text !== '' ? JSON.parse(text) : undefined,
      });
    });
  });
  sent.once('error', reject);
  sent.end(body);
  return bounded(`an answer to ${method} ${path}`, promise);
}

/** The headers of a request that our page makes. */
export const ours = { 'x-obbligato': '1', 'content-type': 'application/json' } as const;

export interface Stage {
  readonly store: Store;
  readonly port: number;
  readonly url: string;
  ask<Path extends string>(path: Path, asked?: Asked): Promise<Answered<Path>>;
  /** Asks again until the answer is as wanted. */
  until<Path extends string>(
    path: Path,
    holds: (json: Answered<Path>['json']) => boolean,
  ): Promise<Answered<Path>['json']>;
}

const closers = new WeakMap<TestContext, Array<() => unknown>>();

/** Undoes something when the test ends; the latest first. */
export function atEnd(t: TestContext, close: () => unknown): void {
  const known = closers.get(t);
  if (known !== undefined) return void known.unshift(close);
  const all = [close];
  closers.set(t, all);
  t.after(async () => {
    const problems: unknown[] = [];
    // One that fails must not leave what the others hold: a scheduler would keep the process.
    for (const each of all) {
      try {
        await each();
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw problems[0];
  });
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-dashboard-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A scheduler that runs these tasks, and a dashboard of its store. Both end with the test. */
export async function stage(
  t: TestContext,
  tasks: ReadonlyArray<Registration | Task>,
  options: Partial<ServeOptions> = {},
): Promise<Stage> {
  const store = sqlite(join(temporary(t), 'jobs.db'));
  const scheduler = createScheduler({ store, timeZone: 'Europe/Berlin', logger: false });
  const scene = await dashboardOf(t, store, options);
  await scheduler.initialize(tasks);
  atEnd(t, () => scheduler.stop());
  return scene;
}

/** A dashboard of a store, without a scheduler. */
export async function dashboardOf(
  t: TestContext,
  store: Store,
  options: Partial<ServeOptions> = {},
): Promise<Stage> {
  await built;
  const { port, url, close } = await serveDashboard({
    store,
    timeZone: 'Europe/Berlin',
    port: 0,
    ...options,
  });
  atEnd(t, close);
  const asking: Stage['ask'] = (path, asked) => ask(port, path, asked);
  return {
    store,
    port,
    url,
    ask: asking,
    until: (path, holds) =>
      bounded(
        `${path} to be ${holds}`,
        again(() => asking(path), holds),
      ),
  };
}

async function again<Path extends string>(
  asking: () => Promise<Answered<Path>>,
  holds: (json: Answered<Path>['json']) => boolean,
): Promise<Answered<Path>['json']> {
  for (;;) {
    const { json } = await asking();
    if (json !== undefined && holds(json)) return json;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends bytes as they are to a port of this machine, or a socket of the file system, and answers what came back until the other side ends. */
export async function raw(place: number | string, bytes: string): Promise<string> {
  const socket = typeof place === 'number' ? connect(place, '127.0.0.1') : connect(place);
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  // An end by a reset is an end too.
  await bounded('the end of a connection', new Promise((resolve) => socket.once('close', resolve)));
  return text;
}

/** A request for a control, as our page makes it if the headers are ours. */
export const control = (headers: Readonly<Record<string, string>>, body = '{"kind":"run","task":"later"}') =>
  ({ method: 'POST', headers, body }) as const;

/** Runs tasks that do not start by themselves, so the turn of a minute adds no run; waits until the page knows how each has ended. */
export async function runEach({ store, until }: Stage, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await operator(store).run(name, { wait: 0 });
    await until('/api/tasks', ({ rows }) =>
      rows.some((row) => row.name === name && row.lastEndAt !== null && row.trend.length > 0),
    );
  }
}

/** A task that does not start by itself. */
export const later: Registration = ['later', '0 0 1 1 *', () => {}, 0];
