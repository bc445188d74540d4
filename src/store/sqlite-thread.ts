/**
 * The store's thread: this file is both the way to start it and the code that it runs.
 *
 * The thread answers one request after the other, in the order in which they were posted; that is what makes commits of a session
 * take effect in their order. Its life:
 *
 *     starting ──▶ open (answer 0) ──requests──▶ open ──close──▶ ended
 *         └─cannot open: failure as answer 0, everything let go ──▶ ended
 */
import { parentPort, type Transferable, type Worker } from 'node:worker_threads';
import type { HistoryQuery, PastRun, Retention } from '../core/history.ts';
import { ownThread } from '../thread.ts';
import { type Failure, failureOf, type Phase, storeErrorOf } from './failure.ts';
import type { Refusal } from './port.ts';
import { Background } from './sqlite-background.ts';
import { type FileOptions, ownFile } from './sqlite-file.ts';
import { Folder } from './sqlite-fold.ts';
import { HistoryReader } from './sqlite-history.ts';
import { Journal } from './sqlite-journal.ts';
import { type LookedAt, lookAt } from './sqlite-look.ts';
import { type PageAnswer, Reader } from './sqlite-read.ts';
import { Writer } from './sqlite-write.ts';
import type { Sheet } from './wire.ts';

/** `own` takes the file for itself; `look` reads it, also while another process owns it. */
export interface ThreadOptions extends FileOptions {
  readonly purpose: 'own' | 'look';
  /** How much of the past to keep. */
  readonly history: Retention | false;
}

export type Request =
  | { readonly kind: 'write'; readonly id: number; readonly sheets: readonly Sheet[]; readonly last: boolean }
  | { readonly kind: 'abandon'; readonly id: number }
  | { readonly kind: 'page'; readonly id: number; readonly after: number; readonly limit: number }
  | { readonly kind: 'named'; readonly id: number; readonly names: readonly string[] }
  | { readonly kind: 'ids'; readonly id: number; readonly names: readonly string[] }
  | { readonly kind: 'history'; readonly id: number; readonly query: HistoryQuery }
  | { readonly kind: 'close'; readonly id: number };

/** The answer to the request of the same id; 0 is the opening. */
export type Answer =
  | { readonly kind: 'opened'; readonly id: 0; readonly looked: LookedAt | undefined }
  | { readonly kind: 'done'; readonly id: number }
  | {
      readonly kind: 'durable';
      readonly id: number;
      readonly refused: readonly Refusal[];
      /** The numbers of the records that were put, in their order. */
      readonly ids: Float64Array<ArrayBuffer>;
    }
  | { readonly kind: 'ids'; readonly id: number; readonly ids: Float64Array<ArrayBuffer> }
  /** Some runs of the past; none after the last. */
  | { readonly kind: 'history'; readonly id: number; readonly runs: readonly PastRun[] }
  | { readonly kind: 'page'; readonly id: number; readonly answer: PageAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };

const thread = ownThread<ThreadOptions>(import.meta.url, 'store');

/** A new thread for a file. */
export const startThread = (options: ThreadOptions): Worker => thread.start(options);

interface Held {
  readonly reader: Reader;
  readonly writer: Writer | undefined;
  readonly background: Background | undefined;
  readonly history: HistoryReader | undefined;
  readonly looked: LookedAt | undefined;
  close(): void;
}

async function take(options: ThreadOptions): Promise<Held> {
  const { path, history } = options;
  if (options.purpose === 'look') {
    const { db, looked, close } = lookAt(options);
    const journal = looked.version < 2 ? undefined : new Journal(db, path);
    return {
      reader: new Reader(db, journal),
      writer: undefined,
      background: undefined,
      history: journal && new HistoryReader(db, path),
      looked,
      close,
    };
  }
  const { db, close } = await ownFile(options);
  try {
    const journal = new Journal(db, path);
    journal.restore();
    const writer = new Writer(db, journal, history !== false);
    const background = new Background(new Folder(db, journal, history), () => writer.isIdle, options.idleMs);
    const reader = new Reader(db, journal);
    return { reader, writer, background, history: undefined, looked: undefined, close };
  } catch (error) {
    close();
    throw error;
  }
}

type Post = (answer: Answer, transfer?: readonly Transferable[]) => void;

async function serve(options: ThreadOptions, post: Post, end: () => void): Promise<void> {
  const fail = (id: number, error: unknown, phase: Phase): void =>
    post({ kind: 'failed', id, failure: failureOf(storeErrorOf(error, options.path, phase)) });
  let held: Held;
  try {
    held = await take(options);
  } catch (error) {
    fail(0, error, 'opening');
    end();
    return;
  }
  parentPort?.on('message', (request: Request) => {
    try {
      const answer = answerTo(request, held);
      if (answer !== undefined) post(answer, transferOf(answer));
    } catch (error) {
      fail(request.id, error, 'open');
    }
    if (request.kind === 'close') end();
    else held.background?.wake();
  });
  post({ kind: 'opened', id: 0, looked: held.looked });
  held.background?.wake();
}

function answerTo(request: Request, held: Held): Answer | undefined {
  const { id } = request;
  const { reader, writer } = held;
  switch (request.kind) {
    case 'write': {
      if (writer === undefined) throw new Error('this session only looks');
      const written = writer.write(request.sheets, request.last);
      return request.last ? { kind: 'durable', id, ...written } : undefined;
    }
    case 'abandon':
      writer?.abandon();
      return undefined;
    case 'page':
      return { kind: 'page', id, answer: reader.pageAfter(request.after, request.limit) };
    case 'named':
      return { kind: 'page', id, answer: reader.named(request.names) };
    case 'ids':
      return { kind: 'ids', id, ids: reader.ids(request.names) };
    case 'history':
      return { kind: 'history', id, runs: held.history?.next(request.query) ?? [] };
    case 'close':
      held.background?.end();
      held.close();
      return { kind: 'done', id };
  }
}

/** What of an answer is handed over instead of copied. */
function transferOf(answer: Answer): ArrayBuffer[] {
  if (answer.kind === 'durable' || answer.kind === 'ids') return [answer.ids.buffer];
  if (answer.kind !== 'page') return [];
  const { page, ids } = answer.answer;
  return [page.numbers.buffer, page.cronPlaces.buffer, ids.buffer];
}

if (thread.options !== undefined && parentPort !== null) {
  const port = parentPort;
  void serve(
    thread.options,
    (answer, transfer) => port.postMessage(answer, transfer),
    () => port.close(),
  );
}
