/**
 * What the store's thread does: it answers one request after the other, in the order in which they were posted; that is what makes commits of
 * a session take effect in their order. Its life:
 *
 *     starting ──▶ open (answer 0) ──requests──▶ open ──close──▶ ended
 *         │          ▲         └──rest, if it only looks──▶ resting: nothing is open
 *         │          └──────────────again──────────────────────┘
 *         └─cannot open: failure as answer 0, everything let go ──▶ ended
 */
import type { MessagePort, Transferable } from 'node:worker_threads';
import { failureOf, type Phase, storeErrorOf } from './failure.ts';
import { Background } from './sqlite-background.ts';
import { type Ownership, ownFile } from './sqlite-file.ts';
import { Folder } from './sqlite-fold.ts';
import type { Held } from './sqlite-held.ts';
import { Journal } from './sqlite-journal.ts';
import type { LookedAt } from './sqlite-look.ts';
import type { Answer, Request, ThreadOptions } from './sqlite-messages.ts';
import { examine } from './sqlite-place.ts';
import { Reader } from './sqlite-read.ts';
import { type RequestWatch, watchRequests } from './sqlite-requests.ts';
import { Writer } from './sqlite-write.ts';

async function take(options: ThreadOptions): Promise<Held | undefined> {
  const { purpose } = options;
  switch (purpose) {
    case 'examine':
      examine(options.path, options.busyTimeoutMs);
      return undefined;
    case 'ask':
      return (await import('./sqlite-visitor.ts')).takeToAsk(options);
    case 'look':
      return (await import('./sqlite-visitor.ts')).takeToLook(options);
    default:
      return takeToOwn(options, purpose);
  }
}

async function takeToOwn(options: ThreadOptions, purpose: Ownership): Promise<Held> {
  const { path, history } = options;
  const { db, possession, close } = await ownFile(options, purpose);
  try {
    const journal = new Journal(db, path);
    journal.restore();
    const writer = new Writer(db, possession, journal, history !== false);
    const folder = new Folder(db, journal, history, () => possession.mustBeOurs());
    const background = new Background(folder, () => writer.isIdle, options.idleMs);
    let watch: RequestWatch | undefined;
    return {
      reader: new Reader(db, journal),
      writer,
      possession,
      background,
      ...(options.isWatched && {
        watch(tell) {
          watch = watchRequests(db, () => writer.isIdle, tell);
          return watch;
        },
      }),
      close() {
        watch?.end();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

type Post = (answer: Answer, transfer?: readonly Transferable[]) => void;

/** Opens what the options say, and answers what comes by the port, until it is closed. */
export async function serve(options: ThreadOptions, port: MessagePort): Promise<void> {
  const post: Post = (answer, transfer) => port.postMessage(answer, transfer);
  const fail: Fail = (id, error, phase) =>
    post({ kind: 'failed', id, failure: failureOf(storeErrorOf(error, options.path, phase)) });
  let held: Held | undefined;
  try {
    held = await take(options);
  } catch (error) {
    fail(0, error, 'opening');
    port.close();
    return;
  }
  post({ kind: 'opened', id: 0, looked: held?.looked, identity: held?.possession?.identity });
  if (held === undefined) port.close();
  else answerAll(held, port, post, fail);
}

type Fail = (id: number, error: unknown, phase: Phase) => void;

function answerAll(first: Held, port: MessagePort, post: Post, fail: Fail): void {
  let held = first;
  const watch = held.watch?.((requests) => post({ kind: 'requests', id: -1, requests }));
  port.on('message', (request: Request) => {
    if (request.kind === 'ask') {
      const { id } = request;
      const durable = (owner: LookedAt['owner']): void => post({ kind: 'asked', id, owner });
      held.asker?.ask(request.request, durable, (error) => fail(id, error, 'open'));
      return;
    }
    try {
      if (request.kind === 'again') held = held.again?.() ?? held;
      const answer = answerTo(request, held);
      if (answer !== undefined) post(answer, transferOf(answer));
    } catch (error) {
      fail(request.id, error, request.kind === 'again' ? 'opening' : 'open');
    }
    if (request.kind === 'close') {
      port.close();
      return;
    }
    watch?.served();
    held.background?.wake();
  });
  held.background?.wake();
}

function answerTo(request: Exclude<Request, { readonly kind: 'ask' }>, held: Held): Answer | undefined {
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
    case 'look':
      if (held.changedAfter === undefined) throw new Error('this session does not look');
      return { kind: 'look', id, answer: held.changedAfter(request.after, request.limit, request.known) };
    case 'changes':
      return { kind: 'changes', id, answer: held.changes?.(request.since) ?? {} };
    case 'again':
      return { kind: 'opened', id, looked: held.looked, identity: undefined };
    case 'named':
      held.possession?.mustBeInPlace();
      return { kind: 'page', id, answer: reader.named(request.names) };
    case 'ids':
      return { kind: 'ids', id, ids: reader.ids(request.names) };
    case 'timeZone':
      return { kind: 'timeZone', id, timeZone: writer?.timeZone };
    case 'history':
      return { kind: 'history', id, runs: held.history?.next(request.query) ?? [] };
    case 'answerTo':
      return { kind: 'answered', id, answer: held.asker?.answerTo(request.request) };
    case 'rest':
    case 'close':
      held.background?.end();
      held.close();
      return { kind: 'done', id };
  }
}

/** What of an answer is handed over instead of copied. */
function transferOf(answer: Answer): ArrayBuffer[] {
  if (answer.kind === 'durable' || answer.kind === 'ids') return [answer.ids.buffer];
  if (answer.kind === 'look') return [answer.answer.prints.buffer, answer.answer.ids.buffer];
  if (answer.kind !== 'page') return [];
  const { page, ids } = answer.answer;
  return [page.numbers.buffer, page.cronPlaces.buffer, ids.buffer];
}
