/**
 * The sources that fire on demand: events, channels, and `trigger()`. None of them can be slowed down, so triggers that come
 * faster than the runs coalesce (X2), and a run gets the latest item. For sources that can be slowed down, and so lose nothing,
 * see `from`.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Source } from './source.ts';

/** What `onEvent` takes in addition to the emitter and the event. */
export interface EventOptions {
  /** The event after which there will be no more, such as `'close'`: it ends the source. */
  readonly until?: string | symbol;
}

/** What `onEvent` needs of an emitter: an `EventEmitter` of Node is one. */
export interface Emitter {
  on(event: string | symbol, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string | symbol, listener: (...args: unknown[]) => void): unknown;
}

/** Fires on an event of an emitter, or of an `EventTarget`. The item is the array of the latest event's arguments. */
export function onEvent<Arguments extends readonly unknown[] = readonly unknown[]>(
  emitter: Emitter | EventTarget,
  event: string | symbol,
  { until }: EventOptions = {},
): Source<Arguments> {
  const listen = listening(emitter);
  for (const name of until === undefined ? [event] : [event, until]) {
    if (typeof name !== 'string' && typeof name !== 'symbol') {
      throw new TypeError(`onEvent() takes the name of an event, a string or a symbol; got ${String(name)}`);
    }
  }
  return {
    kind: 'subscriber',
    attach(sink) {
      // An emitter says nothing of its arguments' types, so their type is the caller's word.
      const detachEvent = listen(event, (...args) => sink.trigger(args as readonly unknown[] as Arguments));
      const detachUntil = until === undefined ? undefined : listen(until, () => sink.end());
      return {
        detach() {
          detachEvent();
          detachUntil?.();
        },
      };
    },
  };
}

type Listener = (...args: unknown[]) => void;
type Listen = (event: string | symbol, listener: Listener) => () => void;

/** How to listen to an emitter of either sort; the listening answers how to leave off. */
function listening(emitter: Emitter | EventTarget): Listen {
  if (typeof emitter === 'object' && emitter !== null) {
    if ('on' in emitter && 'removeListener' in emitter) {
      return (event, listener) => {
        emitter.on(event, listener);
        return () => emitter.removeListener(event, listener);
      };
    }
    if ('addEventListener' in emitter) {
      return (event, listener) => {
        if (typeof event === 'symbol') throw new TypeError('an EventTarget names its events by strings');
        emitter.addEventListener(event, listener);
        return () => emitter.removeEventListener(event, listener);
      };
    }
  }
  throw new TypeError('onEvent() takes an EventEmitter or an EventTarget as its first argument');
}

/** Fires on the messages of a `diagnostics_channel`, given by name or as such. The item is the latest message. */
export function onChannel<Message = unknown>(
  channel: { readonly name: string | symbol } | string | symbol,
): Source<Message> {
  const name = typeof channel === 'object' && channel !== null ? channel.name : channel;
  if (typeof name !== 'string' && typeof name !== 'symbol') {
    throw new TypeError(
      `onChannel() takes a diagnostics_channel, or the name of one; got ${String(channel)}`,
    );
  }
  return {
    kind: 'subscriber',
    attach(sink) {
      // A channel says nothing of its messages' type, so their type is the caller's word.
      const listener = (message: unknown): void => void sink.trigger(message as Message);
      subscribe(name, listener);
      return { detach: () => unsubscribe(name, listener) };
    },
  };
}

declare const manualItem: unique symbol;
/** The source behind `task.trigger(item)`. */
export interface ManualSource<Item> extends Source<Item> {
  /** Never there: it distinguishes the types, so that only a manual task has `trigger`. */
  readonly [manualItem]?: Item;
}

const MANUAL: ManualSource<never> = { kind: 'subscriber', attach: () => NOTHING_TO_DETACH };
const NOTHING_TO_DETACH = {};

/** Fires on `task.trigger(item)` and nothing else, until `task.end()`. The item is the latest one given. */
export function manual<Item = void>(): ManualSource<Item> {
  return MANUAL; // it has no state, so a million tasks can share it
}
