/** What `dashboard` takes, and what is wrong with it. A mistake is reported at the call, with the way out. */
import { zoneOf } from '../cron/index.ts';
import type { HttpRequest, HttpResponse } from '../http.ts';
import { type Registration, type Store, sqlite, type Task } from '../index.ts';
import type { Metrics } from '../telemetry/index.ts';
import { refuseUnknown } from '../text/unknown-name.ts';
import { type LogFolders, logFoldersOf } from './output.ts';

/** A handler as `node:http` takes it; Express, Fastify and Hono take it too. */
export interface Dashboard {
  (request: HttpRequest, response: HttpResponse): void;
  /** Ends the streams of all viewers, and refuses requests from now on. The store is left alone. */
  close(): Promise<void>;
}

/** How to make a dashboard. */
export interface DashboardOptions {
  /** The store of the scheduler, or the path of its file. It is only read, unless `control` is set. */
  readonly store: Store | string | URL;
  /** The zone of the scheduler, as an IANA name; by default the one that the store says, or the host's if no scheduler of this version has run on it. */
  readonly timeZone?: string | undefined;
  /** The tasks of the next deploy, as `initialize` takes them. With them the page shows what that deploy would change. */
  readonly tasks?: ReadonlyArray<Registration | Task> | undefined;
  /**
   * The folder in which `command` keeps what programs write, or a function that says so of a task; with it the page shows that. By default the callbacks of
   * `tasks` say where.
   */
  readonly logs?: string | URL | ((task: string) => string | undefined) | undefined;
  /** Whether the page may run, pause, resume and cancel tasks; `false` by default. */
  readonly control?: boolean | undefined;
  /** What a viewer must know: at least 16 characters, chosen at random. Without one, only this machine is answered. */
  readonly token?: string | undefined;
  /** Asked at each request, instead of a token: for a program that knows its users already. */
  readonly authorize?: Authorize | undefined;
  /** The names, without ports, by which browsers reach it, apart from `localhost` and plain addresses. They demand `token` or `authorize`. */
  readonly hosts?: readonly string[] | undefined;
  /** Where it is mounted, such as `/jobs`, if the request still carries that: in `node:http`, Fastify and Hono; Express takes it off. */
  readonly path?: string | undefined;
  /** What the page is called; the name of the store's file by default. */
  readonly title?: string | undefined;
  /** The verdict of a monitor that runs in this process; undefined while there is none. It is asked whenever the page asks. */
  readonly verdict?: (() => MonitorVerdict | undefined) | undefined;
  /**
   * What `metrics` of the page answers, if the program has metrics of its own; they are not closed. By default they are made here, and hear the scheduler
   * of the store if it runs in this process.
   */
  readonly metrics?: Metrics | undefined;
  /** The clock; the host's by default. */
  readonly now?: (() => number) | undefined;
}

/** Whether a request may be answered. A function that takes Node's or a framework's own kind of request will do. */
export type Authorize = { ask(request: HttpRequest): boolean | Promise<boolean> }['ask'];

/** What the page shows of a verdict of `obbligato/theory`. */
export interface MonitorVerdict {
  readonly conformant: boolean;
  readonly blame: string;
  readonly axioms: Readonly<
    Record<
      string,
      {
        readonly status: string;
        readonly count: number;
        readonly notes?: readonly string[];
        readonly violations: ReadonlyArray<{
          readonly axiom: string;
          readonly task?: string;
          readonly at?: number;
          readonly blame: string;
          readonly because: string;
          readonly events?: ReadonlyArray<{
            readonly event: string;
            readonly at?: number;
            readonly task?: string;
          }>;
        }>;
      }
    >
  >;
}

/** The options with what holds where nothing was said. */
export interface Settings {
  readonly store: Store;
  /** Undefined if the store is to say so. */
  readonly timeZone: string | undefined;
  readonly tasks: DashboardOptions['tasks'];
  readonly logFolders: LogFolders | undefined;
  readonly control: boolean;
  readonly token: string | undefined;
  readonly authorize: DashboardOptions['authorize'];
  readonly hosts: ReadonlySet<string>;
  /** Without a slash at its end; empty if there is none. */
  readonly path: string;
  readonly title: string;
  readonly verdict: DashboardOptions['verdict'];
  readonly metrics: Metrics | undefined;
  readonly now: () => number;
}

const NAMES: ReadonlyArray<keyof DashboardOptions> = [
  'store',
  'timeZone',
  'tasks',
  'logs',
  'control',
  'token',
  'authorize',
  'hosts',
  'path',
  'title',
  'verdict',
  'metrics',
  'now',
];
/** A token that can be guessed is none. */
const SHORTEST_TOKEN = 16;

export function settingsOf(options: DashboardOptions): Settings {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('dashboard takes an object such as { store }');
  refuseUnknown('dashboard', options, NAMES);
  const { store, token, authorize, hosts = [], path = '', tasks, verdict } = options;
  if (store === undefined) throw new TypeError("dashboard needs a store, such as { store: 'obbligato.db' }");
  if (token !== undefined && (typeof token !== 'string' || token.length < SHORTEST_TOKEN))
    throw new TypeError(`token must be a text of at least ${SHORTEST_TOKEN} characters`);
  if (authorize !== undefined && typeof authorize !== 'function')
    throw new TypeError('authorize must be a function that takes a request and answers true or false');
  if (hosts.length > 0 && token === undefined && authorize === undefined)
    throw new TypeError('hosts beyond this machine demand a token, or an authorize function');
  if (options.metrics !== undefined && typeof options.metrics?.handler !== 'function')
    throw new TypeError('metrics must be what metrics() of obbligato/telemetry makes');
  if (path !== '' && !/^(\/[^/?#]+)+\/?$/.test(path))
    throw new TypeError(`path must begin with a slash, such as "/jobs"; got "${path}"`);
  const opened = typeof store === 'string' || store instanceof URL ? sqlite(store) : store;
  return {
    store: opened,
    timeZone: options.timeZone === undefined ? undefined : zoneOf(options.timeZone).name,
    tasks,
    logFolders: logFoldersOf(options.logs, options.tasks),
    control: options.control === true,
    token,
    authorize,
    hosts: new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]),
    path: path.replace(/\/$/, ''),
    title: options.title ?? lastPart(opened.location),
    verdict,
    metrics: options.metrics,
    now: options.now ?? Date.now,
  };
}

const lastPart = (location: string): string => location.split(/[\\/]/).at(-1) || location;
