/**
 * A store of a test clock. The clock waits for its answers, a scheduler that waits for its lock waits by that clock, and its
 * sessions die with their process.
 *
 * The inner store is never asked to wait for the lock, since it would wait by real time. Instead it is asked again when a session
 * of this clock is closed, and when the time is up.
 *
 * A request that is made through it is asked for as a question, too (I1). If a session of this store is open, the question is over when that
 * session has heard of the request: a file tells its owner by real time.
 */
import { StoreLockedError } from '../store/errors.ts';
import type {
  AskedRequest,
  HistoryQuery,
  OpenOptions,
  PastRun,
  Store,
  StoreSession,
  StoreSnapshot,
} from '../store/port.ts';
import type { Timer } from '../time/clock.ts';
import { Life, type Works } from './work.ts';

type ControlRequest = Parameters<NonNullable<Store['ask']>>[0];

/** What a store needs from its clock. */
export interface StorePorts {
  readonly works: Works;
  monotonic(): number;
  alarm(ring: () => void, delayMs: number): Timer;
  /** The life of the test itself, when it opens a store directly. */
  currentLife(): Life;
}

/** The life of sessions that a crash closes: closing goes on after the crash. */
const AFTER_CRASH = new Life();

/** All sessions of a clock, and the schedulers that wait until one of them is closed. */
export class TestSessions {
  readonly ports: StorePorts;
  #open = new Set<TestSession>();
  #waiting: (() => void)[] = [];

  constructor(ports: StorePorts) {
    this.ports = ports;
  }

  add(session: TestSession): void {
    this.#open.add(session);
  }

  /** A session is closed: all that wait ask again, in the order in which they came. */
  closed(session: TestSession): void {
    this.#open.delete(session);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves when a session is closed, or at the latest after a time by the clock. */
  closedWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.ports.alarm(resolve, ms);
      this.#waiting.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** The process is dead, so the stores that it owned are free. */
  die(): void {
    this.#waiting = [];
    for (const session of this.#open) session.die();
  }
}

export class TestStore implements Store {
  readonly location: string;
  readonly sessions: TestSessions;
  readonly inspect?: () => Promise<StoreSnapshot>;
  readonly history?: (query: HistoryQuery) => AsyncIterable<PastRun>;
  readonly ask?: (request: ControlRequest) => Promise<AskedRequest>;
  readonly #inner: Store;
  readonly #label: string;
  readonly #requests = new HeardRequests();

  constructor(inner: Store, sessions: TestSessions) {
    this.#inner = inner;
    this.sessions = sessions;
    this.location = inner.location;
    this.#label = `store "${inner.location}"`;
    const { works, currentLife } = sessions.ports;
    const inspect = inner.inspect?.bind(inner);
    if (inspect !== undefined) this.inspect = () => works.ask(this.#label, currentLife(), inspect);
    const ask = inner.ask?.bind(inner);
    if (ask !== undefined)
      this.ask = (request) =>
        works.ask(this.#label, currentLife(), () => this.#requests.heard(request, () => ask(request)));
    const history = inner.history?.bind(inner);
    if (history !== undefined)
      this.history = (query) => asked(history(query), (next) => works.ask(this.#label, currentLife(), next));
  }

  open(options: OpenOptions): Promise<StoreSession> {
    return this.openFor(this.sessions.ports.currentLife(), options);
  }

  async openFor(life: Life, options: OpenOptions): Promise<StoreSession> {
    const { works, monotonic } = this.sessions.ports;
    const { waitMs } = options;
    const until = monotonic() + waitMs;
    for (;;) {
      try {
        const inner = await works.ask(this.#label, life, () => this.#openOnce(life, options));
        const { onRequests } = options;
        if (onRequests !== undefined) this.#requests.opened();
        return new TestSession(inner, this.#label, life, this.sessions, () => this.#requests.closed());
      } catch (error) {
        if (!(error instanceof StoreLockedError)) throw error;
        const leftMs = until - monotonic();
        if (!(leftMs > 0)) throw new StoreLockedError({ path: this.location, waitedMs: waitMs }, error.cause);
        await this.sessions.closedWithin(leftMs);
      }
    }
  }

  /** A process that died meanwhile does not keep the session. */
  async #openOnce(life: Life, options: OpenOptions): Promise<StoreSession> {
    const onRequests = options.onRequests && this.#requests.hearing(options.onRequests);
    const session = await this.#inner.open({ ...options, onRequests, waitMs: 0 });
    if (!life.isAlive) await session.close();
    return session;
  }
}

/** Which requests the owner of a store has heard of. */
class HeardRequests {
  readonly #unheard = new Map<string, () => void>();
  #isOpen = false;

  opened(): void {
    this.#isOpen = true;
  }

  /** Nobody hears of them until the next opening. */
  closed(): void {
    this.#isOpen = false;
    for (const end of this.#unheard.values()) end();
  }

  hearing(onRequests: NonNullable<OpenOptions['onRequests']>): NonNullable<OpenOptions['onRequests']> {
    return (requests) => {
      for (const { id } of requests) this.#unheard.get(id)?.();
      onRequests(requests);
    };
  }

  /** Makes a request, and waits until the owner, if there is one, has heard of it. */
  async heard({ id }: ControlRequest, ask: () => Promise<AskedRequest>): Promise<AskedRequest> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unheard.set(id, resolve);
    try {
      const asked = await ask();
      if (this.#isOpen) await promise;
      return asked;
    } finally {
      this.#unheard.delete(id);
    }
  }
}

/** A walk of which each step is asked for as a question. */
async function* asked<T>(
  walk: AsyncIterable<T>,
  ask: <Answer>(question: () => Promise<Answer>) => Promise<Answer>,
): AsyncGenerator<T> {
  const steps = walk[Symbol.asyncIterator]();
  try {
    for (let step = await ask(() => steps.next()); !step.done; step = await ask(() => steps.next()))
      yield step.value;
  } finally {
    await steps.return?.();
  }
}

/** A session that dies with its process: from then on it takes no request and gives no answer. */
class TestSession implements StoreSession {
  readonly readPages?: () => AsyncIterable<readonly unknown[]>;
  readonly enroll?: NonNullable<StoreSession['enroll']>;
  readonly timeZone?: () => Promise<string | undefined>;
  readonly #inner: StoreSession;
  readonly #label: string;
  readonly #life: Life;
  readonly #sessions: TestSessions;
  readonly #onClose: () => void;

  constructor(inner: StoreSession, label: string, life: Life, sessions: TestSessions, onClose: () => void) {
    this.#onClose = onClose;
    this.#inner = inner;
    this.#label = label;
    this.#life = life;
    this.#sessions = sessions;
    const readPages = inner.readPages?.bind(inner);
    if (readPages !== undefined) this.readPages = () => asked(readPages(), (next) => this.#ask(next));
    const enroll = inner.enroll?.bind(inner);
    if (enroll !== undefined) this.enroll = (...tasks) => this.#ask(() => enroll(...tasks));
    const timeZone = inner.timeZone?.bind(inner);
    if (timeZone !== undefined) this.timeZone = () => this.#ask(timeZone);
    sessions.add(this);
  }

  read(names?: readonly string[]): Promise<readonly unknown[]> {
    return this.#ask(() => this.#inner.read(names));
  }

  commit(batch: Parameters<StoreSession['commit']>[0]): ReturnType<StoreSession['commit']> {
    return this.#ask(() => this.#inner.commit(batch));
  }

  async close(): Promise<void> {
    this.#onClose();
    await this.#ask(() => this.#inner.close());
    this.#sessions.closed(this);
  }

  die(): void {
    this.#onClose();
    const { works } = this.#sessions.ports;
    const closed = (): void => this.#sessions.closed(this);
    works.ask(this.#label, AFTER_CRASH, () => this.#inner.close()).then(closed, closed);
  }

  #ask<T>(question: () => Promise<T>): Promise<T> {
    const { works } = this.#sessions.ports;
    return this.#life.isAlive ? works.ask(this.#label, this.#life, question) : new Promise(() => {});
  }
}
