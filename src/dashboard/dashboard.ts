/**
 * `dashboard`: a handler for requests that answers with the page and with what it shows. It holds no connection and no store open of its own: a
 * snapshot is read while somebody looks, and then nothing is done until somebody looks again.
 *
 *     open ──close──▶ closed: streams are ended, requests are refused
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Metrics, metrics } from '../telemetry/index.ts';
import { readBody } from './body.ts';
import {
  changeProblem,
  hostProblem,
  originProblem,
  TOO_MANY_TOKENS,
  tokenProblem,
  viewerProblem,
} from './guard.ts';
import { type Dashboard, type DashboardOptions, type Settings, settingsOf } from './options.ts';
import { sendPage } from './page-file.ts';
import { boundReading, problemOf, reply, send, setHeaders } from './reply.ts';
import { type Answer, ask, QUESTIONS } from './routes.ts';
import { Sessions } from './sessions.ts';
import { Snapshots } from './snapshots.ts';
import { Strangers } from './strangers.ts';
import { Streams } from './streams.ts';
import { TaskList } from './task-list.ts';

const LOOKS: readonly string[] = ['GET', 'HEAD'];
const CHANGES: readonly string[] = ['POST'];
/** Every path there is, and its methods. */
const METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  ...['', 'metrics', ...Object.keys(QUESTIONS)].map((path) => [path, LOOKS] as const),
  ['api/events', ['GET']],
  ...['api/login', 'api/control'].map((path) => [path, CHANGES] as const),
]);

/** Requests of viewers that are being answered at once; a page asks for a few. */
const MOST_AT_ONCE = 64;

/** A live page about the tasks of a store. It only looks, unless `control` is set. */
export function dashboard(options: DashboardOptions): Dashboard {
  const handler = new Handler(settingsOf(options));
  return Object.assign(
    // Whatever server calls this, its requests and responses are Node's.
    (...[request, response]: Parameters<Dashboard>): void =>
      void handler.handle(request as IncomingMessage, response as ServerResponse),
    { close: () => handler.close() },
  );
}

class Handler {
  readonly #settings: Settings;
  readonly #snapshots: Snapshots;
  readonly #list: TaskList;
  readonly #streams: Streams;
  readonly #sessions: Sessions;
  readonly #strangers: Strangers;
  readonly #metrics: Metrics;
  #atOnce = 0;
  #isClosed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#snapshots = new Snapshots(settings.store, settings.timeZone, settings.now);
    this.#list = new TaskList(this.#snapshots.past);
    this.#streams = new Streams(this.#snapshots);
    this.#sessions = new Sessions(settings.now);
    this.#strangers = new Strangers(settings.now, (line) => console.error(`obbligato: ${line}`));
    // They must hear a scheduler of this process from its beginning. Nothing is measured or looked into before somebody scrapes.
    const { store, timeZone } = settings;
    this.#metrics = settings.metrics ?? metrics({ store, ...(timeZone && { timeZone }), listen: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#streams.close();
    // Those of the program are its own to close.
    if (this.#settings.metrics === undefined) this.#metrics.close();
    await this.#snapshots.close();
  }

  /** Never rejects: whatever goes wrong is the trouble of one request. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      setHeaders(response);
      const answer = await this.#answer(request, response);
      if (answer !== undefined) reply(response, answer);
    } catch (error) {
      reply(response, problemOf(error));
    }
  }

  /** What to answer; undefined if it is answered already. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
    if (this.#isClosed) return { status: 503, error: 'It is closed.' };
    const refused = hostProblem(request, this.#settings);
    if (refused !== undefined) return refused;
    const asked = targetOf(request, this.#settings.path);
    const methods = asked === undefined ? undefined : METHODS.get(asked.path);
    if (asked === undefined || methods === undefined) return { status: 404, error: 'There is nothing here.' };
    if (!methods.includes(request.method ?? '')) {
      response.setHeader('allow', methods.join(', '));
      return { status: 405, error: 'This method is not for this path.' };
    }
    if (asked.path === '') return this.#page(request, response, asked.base);
    const foreign = originProblem(request) ?? (methods === CHANGES ? changeProblem(request) : undefined);
    if (foreign !== undefined) return foreign;
    if (asked.path === 'api/login') return this.#login(request, response, asked.base);
    const stranger = await viewerProblem(request, this.#settings, this.#sessions, this.#strangers);
    if (stranger !== undefined) return stranger;
    // Only requests of viewers are counted: nobody else can shut the page for them.
    if (this.#atOnce >= MOST_AT_ONCE) return { status: 503, error: 'Too much at once. Try again.' };
    this.#atOnce++;
    try {
      return await this.#answerViewer(request, response, asked);
    } finally {
      this.#atOnce--;
    }
  }

  async #answerViewer(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: Target,
  ): Promise<Answer | undefined> {
    if (path === 'api/control') return ask(this.#site, await readBody(request));
    if (path === 'api/events') return this.#listen(response);
    if (path === 'metrics') return this.#scrape(request, response);
    return QUESTIONS[path](this.#site, query);
  }

  get #site(): Parameters<typeof ask>[0] {
    return { settings: this.#settings, snapshots: this.#snapshots, list: this.#list };
  }

  /** The page asks for everything by relative addresses, so its own must end with a slash. */
  #page(request: IncomingMessage, response: ServerResponse, base: string): undefined {
    if (base.endsWith('/')) sendPage(request, response);
    else {
      response.setHeader('location', `${base.slice(base.lastIndexOf('/') + 1)}/`);
      send(response, 308, 'text/plain; charset=utf-8', '');
    }
    return undefined;
  }

  async #login(request: IncomingMessage, response: ServerResponse, base: string): Promise<Answer> {
    const { token } = this.#settings;
    if (token === undefined) return { status: 404, error: 'There is no token here.' };
    const address = request.socket?.remoteAddress;
    const body = await this.#strangers.reading(address, () => readBody(request));
    if (body === undefined) return TOO_MANY_TOKENS;
    const wrong = tokenProblem(body.token, token, address, this.#strangers);
    if (wrong !== undefined) return wrong;
    const isSecure = 'encrypted' in request.socket || request.headers.origin?.startsWith('https:') === true;
    response.setHeader('set-cookie', this.#sessions.open(base, isSecure));
    return { json: {} };
  }

  async #scrape(request: IncomingMessage, response: ServerResponse): Promise<undefined> {
    boundReading(response);
    await this.#metrics.handler(request, response);
    return undefined;
  }

  async #listen(response: ServerResponse): Promise<Answer | undefined> {
    const latest = await this.#snapshots.fresh();
    if (this.#streams.isFull || this.#isClosed) return { status: 503, error: 'Too many viewers at once.' };
    this.#streams.open(response, latest);
    return undefined;
  }
}

/** Which of our paths is asked for, without slashes around it; and the path before it, as the browser sees it. */
interface Target {
  readonly path: string;
  readonly base: string;
  readonly query: URLSearchParams;
}

function targetOf(
  request: IncomingMessage & { readonly originalUrl?: string },
  mounted: string,
): Target | undefined {
  const [whole, search = ''] = (request.url ?? '').split('?', 2);
  if (whole !== mounted && !whole.startsWith(`${mounted}/`) && whole !== '') return undefined;
  const path = whole.slice(mounted.length).replace(/^\//, '');
  // A framework that takes the place of mounting off leaves the whole address here.
  const [original] = (request.originalUrl ?? request.url ?? '').split('?', 1);
  const base = path === '' ? original : original.slice(0, original.length - path.length);
  // What is not printable could end a header; our own paths are plain.
  if (!/^[\x21-\x7e]*$/.test(base)) return undefined;
  return { path, base: base === '' ? '/' : base, query: new URLSearchParams(search) };
}
