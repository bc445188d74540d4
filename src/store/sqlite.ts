/**
 * The embedded store: one SQLite file, written from a thread of its own so that the event loop hardly notices. Durable at every
 * commit (write-ahead log, `synchronous=FULL`), owned by one scheduler at a time.
 *
 * Next to the file lie `-wal` and `-shm` while it is open, and `.lock`, an empty file that stays. Leave all of them alone while a
 * scheduler runs; above all do not read `.lock` or `-shm` from the scheduler's own process (no directory copies either), because the
 * operating system then drops the locks on them. To look into the file, use `inspect`.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { RETENTION } from '../core/history.ts';
import { refuseUnknown } from '../text/unknown-name.ts';
import { type Duration, lengthOf } from '../time/duration.ts';
import { StorePathError } from './errors.ts';
import type { Store } from './port.ts';
import type { Asks } from './sqlite-asks.ts';
import { Connection } from './sqlite-connection.ts';
import { SqliteSession } from './sqlite-session.ts';

/** What `sqlite` takes in addition to the path. */
export interface SqliteOptions {
  /** How long a commit waits for another program that is writing to the file; 1 second by default. */
  readonly busyTimeout?: Duration;
}

/**
 * Not part of the public interface: what tests need to bring about a full disk, a fold, or the death of the thread.
 * @internal
 */
export interface SqliteTestOptions extends SqliteOptions {
  readonly maxPages?: number;
  readonly idleMs?: number;
  readonly onThread?: (thread: Worker) => void;
}

const BUSY_TIMEOUT_MS = 1000;
/** Who asks for something waits longer: under load an owner writes one batch after the other, and a request comes between two of them. */
const ASK_TIMEOUT_MS = 10_000;

/** A store in the file at `path`, which is made when it is first opened. A relative path is resolved now. */
export function sqlite(path: string | URL, options?: SqliteOptions): Store {
  if (options !== undefined) refuseUnknown('sqlite', options, ['busyTimeout']);
  return sqliteForTests(path, options);
}

/** A store as it is given wherever one is taken: a path is that of a file. */
export const storeOf = (target: Store | string | URL): Store =>
  typeof target === 'string' || target instanceof URL ? sqliteForTests(target) : target;

/** What those need who look into the file or ask for something, and its owner does not. It is loaded when they do. */
const visits = (): Promise<typeof import('./sqlite-visits.ts')> => import('./sqlite-visits.ts');

/**
 * As {@link sqlite}, with the means to make it fail.
 * @internal
 */
export function sqliteForTests(path: string | URL, { onThread, ...options }: SqliteTestOptions = {}): Store {
  const location = locationOf(path);
  const { busyTimeout, ...rest } = options;
  const givenMs = busyTimeout === undefined ? undefined : lengthOf('busyTimeout', busyTimeout);
  const file = { ...rest, busyTimeoutMs: givenMs ?? BUSY_TIMEOUT_MS, path: location };
  const look = { ...file, history: false, purpose: 'look' } as const;
  let asks: Promise<Asks> | undefined;
  return {
    location,
    async open({ waitMs, history = RETENTION, onTrouble, onRequests }) {
      const connection = await Connection.open({
        file: { ...file, history, isWatched: onRequests !== undefined },
        waitMs,
        onTrouble,
        onRequests,
        onThread,
      });
      return new SqliteSession(connection);
    },
    inspect: async (given = {}) => (await visits()).inspected(location, look, given),
    async ask(request) {
      asks ??= visits().then(
        ({ Asks }) => new Asks({ ...look, purpose: 'ask', busyTimeoutMs: givenMs ?? ASK_TIMEOUT_MS }),
      );
      return (await asks).ask(request);
    },
    async *history(query) {
      yield* (await visits()).pastRuns(look, query);
    },
  };
}

/** SQLite would take "", ":memory:" and "file:…" for something other than a file of that name. */
export function locationOf(path: string | URL): string {
  const text = path instanceof URL ? fileURLToPath(path) : path;
  if (typeof text !== 'string')
    throw new StorePathError({ path: String(text), reason: 'is not a text: give the path of a file' });
  if (text === '') throw new StorePathError({ path: text, reason: 'is empty: give the path of a file' });
  if (text === ':memory:')
    throw new StorePathError({ path: text, reason: 'is not a file: use memory() instead' });
  if (text.includes('\0'))
    throw new StorePathError({ path: text, reason: 'holds a NUL character: no file can be called that' });
  return resolve(text);
}
