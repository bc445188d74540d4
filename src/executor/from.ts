/**
 * The source that is pulled. The next item is asked for only when the run for the previous one has ended, so nothing
 * coalesces: every item gets exactly one run, in order, and a slow callback slows the producer down.
 *
 *     pulling ──item──▶ holding ──served──▶ pulling ──done or error──▶ closed
 *
 * - *pulling*: `next()` has been called and has not answered. Entered at `attach` and by `served`.
 * - *holding*: an item is owed a run, or is running.
 * - *closed*: entered by the iterator's end or error, or by `detach`. An answer that comes later is dropped.
 */
import type { Attachment, Sink, Source } from './source.ts';

/** Anything that gives items when asked: a Node or web stream, an async generator, an array… */
export type Pullable<Item> = AsyncIterable<Item> | Iterable<Item> | WebStream<Item>;

/** The part of a web stream (`ReadableStream`) that is needed here, for the types of Node do not put it among the globals. */
export interface WebStream<Item> {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Item | undefined }>;
    cancel(): Promise<void>;
  };
}

interface Puller<Item> {
  next(): PromiseLike<IteratorResult<Item, unknown>> | IteratorResult<Item, unknown>;
  return?(): unknown;
  /** Lets go even while `next` has not answered, where the producer can do that. */
  destroy?(): unknown;
}

/**
 * Fires once for each item of an async iterable, a readable stream or an iterable, and ends with it. When the task is ended or
 * the executor stopped before that, a stream is destroyed, and `return()` of an iterator is called.
 */
export function from<Item>(source: Pullable<Item>): Source<Item> {
  const open = opener(source);
  return { kind: 'subscriber', attach: (sink) => pullInto(sink, open()) };
}

function pullInto<Item>(sink: Sink<Item>, puller: Puller<Item>): Attachment {
  let phase: 'pulling' | 'holding' | 'closed' = 'pulling';

  const fail = (error: unknown): void => {
    if (phase === 'closed') return;
    phase = 'closed';
    sink.fail(error);
  };
  const take = (result: IteratorResult<Item, unknown>): void => {
    if (phase === 'closed') return;
    try {
      if (typeof result !== 'object' || result === null) {
        throw new TypeError(
          `next() of the iterator given to from() answered ${String(result)}, not an object`,
        );
      }
      if (result.done === true) {
        phase = 'closed';
        sink.end();
      } else {
        const { value } = result;
        phase = 'holding';
        sink.trigger(value);
      }
    } catch (error) {
      fail(error);
    }
  };
  const pull = (): void => {
    if (phase === 'closed') return;
    phase = 'pulling';
    try {
      const result = puller.next();
      if (typeof result === 'object' && result !== null && 'then' in result)
        Promise.resolve(result).then(take, fail);
      else take(result);
    } catch (error) {
      fail(error);
    }
  };

  pull();
  return {
    served: pull,
    detach() {
      if (phase === 'closed') return undefined;
      const mayHang = phase === 'pulling';
      phase = 'closed';
      puller.destroy?.();
      const returned = puller.return?.();
      if (!mayHang) return returned;
      // A generator in the middle of `next` gets to its `return` only when that is over, which may be never: so `stop` does not
      // wait for it, but its error is still reported.
      Promise.resolve(returned).then(undefined, sink.fail.bind(sink));
      return undefined;
    },
  };
}

/** How to begin reading, decided now so that a wrong argument is an error of the call. */
function opener<Item>(source: Pullable<Item>): () => Puller<Item> {
  if (typeof source === 'object' && source !== null) {
    if ('getReader' in source) return () => webReader(source);
    if (Symbol.asyncIterator in source) return () => asyncIterator(source);
    if (Symbol.iterator in source) return () => source[Symbol.iterator]();
  }
  throw new TypeError(
    `from() takes an async iterable, a readable stream or an iterable such as an array; got ${typeof source}`,
  );
}

function asyncIterator<Item>(source: AsyncIterable<Item>): Puller<Item> {
  const iterator = source[Symbol.asyncIterator]();
  const isStream = 'pipe' in source && 'destroy' in source && typeof source.destroy === 'function';
  return {
    next: () => iterator.next(),
    return: () => iterator.return?.(),
    ...(isStream ? { destroy: () => (source as unknown as { destroy(): void }).destroy() } : {}),
  };
}

function webReader<Item>(source: WebStream<Item>): Puller<Item> {
  const reader = source.getReader();
  return {
    // `done` decides which of the two shapes of a result it is, exactly as in an iterator's.
    next: () => reader.read() as Promise<IteratorResult<Item, unknown>>,
    return: () => reader.cancel(),
  };
}
