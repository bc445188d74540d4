/**
 * The store's thread: this file is both the way to start it and the code that it runs.
 *
 * The thread answers one request after the other, in the order in which they were posted; that is what makes commits of a session
 * take effect in their order. Its life:
 *
 *     starting ──▶ open (answer 0) ──requests──▶ open ──close──▶ ended
 *         └─cannot open: failure as answer 0, everything let go ──▶ ended
 */
import { parentPort, type Worker } from 'node:worker_threads';
import { ownThread } from '../thread.ts';
import { StoreRecordMissingError } from './errors.ts';
import { type Failure, failureOf, type Phase, storeErrorOf } from './failure.ts';
import type { Page } from './page.ts';
import type { Refusal } from './port.ts';
import { type FileOptions, ownFile } from './sqlite-file.ts';
import { type LookedAt, lookAt } from './sqlite-look.ts';
import { type PageAnswer, Reader } from './sqlite-read.ts';
import { MissingRecord, Writer } from './sqlite-write.ts';
import type { Sheet } from './wire.ts';

/** `own` takes the file for itself; `look` reads it, also while another process owns it. */
export interface ThreadOptions extends FileOptions {
  readonly purpose: 'own' | 'look';
}

export type Request =
  | { readonly kind: 'write'; readonly id: number; readonly sheets: readonly Sheet[]; readonly last: boolean }
  | { readonly kind: 'abandon'; readonly id: number }
  | { readonly kind: 'page'; readonly id: number; readonly after: number; readonly limit: number }
  | { readonly kind: 'named'; readonly id: number; readonly names: readonly string[] }
  | { readonly kind: 'close'; readonly id: number };

/** The answer to the request of the same id; 0 is the opening. */
export type Answer =
  | { readonly kind: 'opened'; readonly id: 0; readonly looked: LookedAt | undefined }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'durable'; readonly id: number; readonly refused: readonly Refusal[] }
  | { readonly kind: 'page'; readonly id: number; readonly answer: PageAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };

const thread = ownThread<ThreadOptions>(import.meta.url, 'store');

/** A new thread for a file. */
export const startThread = (options: ThreadOptions): Worker => thread.start(options);

interface Held {
  readonly reader: Reader;
  readonly writer: Writer | undefined;
  readonly looked: LookedAt | undefined;
  close(): void;
}

async function take(options: ThreadOptions): Promise<Held> {
  if (options.purpose === 'look') {
    const { db, looked, close } = lookAt(options);
    return { reader: new Reader(db), writer: undefined, looked, close };
  }
  const { db, close } = await ownFile(options);
  return { reader: new Reader(db), writer: new Writer(db), looked: undefined, close };
}

async function serve(options: ThreadOptions, post: (answer: Answer) => void, end: () => void): Promise<void> {
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
      if (answer !== undefined) post(answer);
    } catch (error) {
      fail(request.id, named(error, options.path), 'open');
    }
    if (request.kind === 'close') end();
  });
  post({ kind: 'opened', id: 0, looked: held.looked });
}

/** A missing record gets the name of the file here, where it is known. */
const named = (error: unknown, path: string): unknown =>
  error instanceof MissingRecord
    ? new StoreRecordMissingError({ path, taskName: error.taskName, change: error.change })
    : error;

function answerTo(request: Request, { reader, writer, close }: Held): Answer | undefined {
  const { id } = request;
  switch (request.kind) {
    case 'write': {
      if (writer === undefined) throw new Error('this session only looks');
      const refused = writer.write(request.sheets, request.last);
      return request.last ? { kind: 'durable', id, refused } : undefined;
    }
    case 'abandon':
      writer?.abandon();
      return undefined;
    case 'page':
      return { kind: 'page', id, answer: reader.pageAfter(request.after, request.limit) };
    case 'named':
      return { kind: 'page', id, answer: onlyPage(reader.named(request.names)) };
    case 'close':
      close();
      return { kind: 'done', id };
  }
}

const onlyPage = (page: Page): PageAnswer => ({ page, next: null });

if (thread.options !== undefined && parentPort !== null) {
  const port = parentPort;
  void serve(
    thread.options,
    (answer) => port.postMessage(answer),
    () => port.close(),
  );
}
