/** Who is pinged, and in which words: healthchecks.io and its like, Sentry, or a function of your own. */
import { createHash } from 'node:crypto';
import { pingsOf, webAddress } from '../config.ts';
import { askGuest } from '../guest.ts';
import type { PingAdapter, PingTarget, Registration, Task } from '../index.ts';
import { printable } from '../text/printable.ts';

export type { Ping, PingAdapter, PingRequest, PingTarget } from '../index.ts';

/** Who is pinged for which task: the list of an `initialize`, each task with its own `ping`; by name; or a function that says so. */
export type PingTargets =
  | ReadonlyArray<Registration | Task>
  | Readonly<Record<string, PingTarget>>
  | ((task: string) => PingTarget | undefined);

/** An address without its words: an error that shows it would show a secret. */
function addressOf(what: string, given: string | URL): URL {
  const url = webAddress(given);
  if (url === undefined)
    throw new TypeError(`${what} must be an address that begins with https:// or http://`);
  return url;
}

/** A target as a function. Throws at once for what is none; the error does not show it. */
export function adapterOf(what: string, target: PingTarget): PingAdapter {
  return typeof target === 'function' ? target : healthchecks(addressOf(what, target));
}

/** Returns the target of each task. A wrong address in a list is an error at once; one that a function gives is reported as trouble. */
export function adaptersOf(
  tasks: PingTargets,
  failed: (task: string, error: unknown) => void,
): (task: string) => PingAdapter | undefined {
  if (typeof tasks === 'function')
    return (task) => {
      const tell = (error: unknown): void => failed(task, error);
      const target = askGuest(() => tasks(task), tell);
      return target === undefined ? undefined : askGuest(() => adapterOf('a ping', target), tell);
    };
  const targets = Array.isArray(tasks) ? pingsOf(tasks) : Object.entries(tasks);
  const adapters = new Map(
    Array.from(targets, ([task, target]) => [task, adapterOf(`the ping of "${printable(task)}"`, target)]),
  );
  return (task) => adapters.get(task);
}

/** A UUID that follows from a text, so that the start and the end of a run have the same one. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The address of a check at healthchecks.io, or at a service that understands the same: `<url>/start`, `<url>`, and `<url>/fail` with the error as
 * its body. `rid` pairs the start and the end of a run.
 */
export function healthchecks(address: string | URL): PingAdapter {
  const base = addressOf('the address of a check', address);
  const headers = authorizationOf(base);
  const parts = { start: '/start', success: '', fail: '/fail', alive: '' };
  return ({ kind, id, error }) => {
    const url = new URL(base);
    url.pathname = url.pathname.replace(/\/$/, '') + parts[kind];
    if (kind !== 'alive') url.searchParams.set('rid', uuidOf(id));
    return { url, headers, body: error };
  };
}

/** A name and a password in an address are for a header: `fetch` takes no such address. They are taken out of it. */
function authorizationOf(url: URL): Readonly<Record<string, string>> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A monitor at Sentry. */
export interface SentryMonitor {
  /** The DSN of the project. */
  readonly dsn: string;
  /** The name of the monitor; by default made of the name of the task. */
  readonly slug?: string;
  readonly environment?: string;
  /** Creates the monitor, or changes it, with the first check-in: Sentry's `monitor_config`, such as `{ schedule: { type: 'crontab', value: '0 3 * * *' } }`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

const SENTRY_STATUS = { start: 'in_progress', success: 'ok', fail: 'error', alive: 'ok' } as const;

/** Check-ins at Sentry Crons. */
export function sentry({ dsn, slug, environment, config }: SentryMonitor): PingAdapter {
  const base = addressOf('the dsn of a monitor', dsn);
  const project = /^(.*)\/(\d+)\/?$/.exec(base.pathname);
  if (project === null || base.username === '')
    throw new TypeError('the dsn of a monitor must be that of a project, as Sentry shows it');
  const [, path = '', number = ''] = project;
  const key = base.username;
  return ({ kind, task, id }) => {
    const url = new URL(base.origin);
    url.pathname = `${path}/api/${number}/cron/${encodeURIComponent(slug ?? slugOf(task))}/${key}/`;
    url.searchParams.set('status', SENTRY_STATUS[kind]);
    if (kind !== 'alive') url.searchParams.set('check_in_id', uuidOf(id));
    if (environment !== undefined) url.searchParams.set('environment', environment);
    if (config === undefined || kind === 'success' || kind === 'fail') return { url };
    return {
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ monitor_config: config, status: SENTRY_STATUS[kind] }),
    };
  };
}

/** The name of a task as Sentry takes it: at most 50 lower-case letters, digits, `-` and `_`. */
const slugOf = (task: string): string =>
  task
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'scheduler';
