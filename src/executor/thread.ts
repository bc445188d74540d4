/**
 * `inThread`: a callback whose work is done by a module in a worker thread, so that it cannot hold up the event loop,
 * and so that aborting its signal ends even an endless loop.
 */
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ThreadError } from './errors.ts';
import { ThreadPool, ThreadPoolError } from './thread-pool.ts';
import type { Failure } from './thread-runner.ts';

/** Limits of memory for a thread, as Node's `resourceLimits`. */
export interface ThreadLimits {
  /** Of the heap, for what lives longer. */
  readonly maxOldGenerationSizeMb?: number;
  /** Of the heap, for what was made lately. */
  readonly maxYoungGenerationSizeMb?: number;
  /** Of the memory for compiled code. */
  readonly codeRangeSizeMb?: number;
  /** Of the stack. */
  readonly stackSizeMb?: number;
}

/** How `inThread` runs its module. */
export interface ThreadOptions {
  /** The function to call, by the name of its export; the default export by default. */
  readonly exportName?: string;
  /** How many runs may be in threads at once, where several tasks share the callback; as many as the machine has cores. */
  readonly threads?: number;
  /** What to send to the thread; by default the context without its signal. It is cloned on the way. */
  readonly data?: (context: ThreadContext) => unknown;
  /** Limits of memory for each thread; running into one fails the run. */
  readonly resourceLimits?: ThreadLimits;
}

/** What such a callback needs of a context: the executor's will do, and the scheduler's. */
export interface ThreadContext {
  readonly name?: string;
  readonly signal?: AbortSignal;
}

/** A callback whose work is done in a thread. */
export interface ThreadCallback {
  /** Runs the module once. What it returns stays in the thread. */
  (context: ThreadContext): Promise<void>;
  /** Lets the runs in progress end, then ends the threads. Without it they end by themselves when idle. */
  close(): Promise<void>;
}

/** Makes a callback of a module, `.js` or `.ts`, given as `new URL('./module.ts', import.meta.url)`. */
export function inThread(module: URL | string, options: ThreadOptions = {}): ThreadCallback {
  const href = toFileUrl(module);
  const {
    exportName = 'default',
    threads = availableParallelism(),
    data = withoutSignal,
    resourceLimits,
  } = options;
  if (!(Number.isSafeInteger(threads) && threads >= 1)) {
    throw new RangeError(`threads must be a whole number of at least 1; got ${String(threads)}`);
  }
  const pool = new ThreadPool(threads, resourceLimits);

  const callback = async (context: ThreadContext = {}): Promise<void> => {
    const { name, signal } = context;
    signal?.throwIfAborted();
    const outcome = await pool
      .run({ href, exportName, data: data(context) }, signal)
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new ThreadError(href, name, explain(error, href), error);
      });
    if (outcome.status === 'failed') throw received(outcome);
  };
  return Object.assign(callback, { close: () => pool.close() });
}

/** What went wrong with the thread itself, in words that say what to do about it. */
function explain(error: unknown, href: string): string {
  if (error instanceof ThreadPoolError) return error.message;
  const message = error instanceof Error && error.message ? error.message : 'for no reason that it gave';
  if (error instanceof Error && error.name === 'DataCloneError') {
    return `what is to be sent to the thread cannot be cloned (${message}); choose what to send with inThread(url, { data: ({ item }) => … })`;
  }
  return `the thread running ${href} died: ${message}`;
}

/** Errors keep their message and stack on the way, but not their class or properties; those come separately. */
function received({ error, properties }: Failure): unknown {
  return error instanceof Error ? Object.assign(error, properties) : error;
}

function withoutSignal(context: ThreadContext): unknown {
  if ('toJSON' in context && typeof context.toJSON === 'function') return context.toJSON();
  const { signal: _, ...rest } = context;
  return rest;
}

function toFileUrl(module: URL | string): string {
  const url =
    module instanceof URL
      ? module
      : typeof module === 'string' && isAbsolute(module)
        ? pathToFileURL(module)
        : URL.parse(String(module));
  if (url?.protocol === 'file:') return url.href;
  throw new TypeError(
    `inThread() takes the URL of a file, such as new URL('./module.ts', import.meta.url); got ${JSON.stringify(String(module))}`,
  );
}
