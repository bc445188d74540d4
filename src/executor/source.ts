/**
 * What stands between the world and a task. A source is attached once, to one task; from then on it reports to its sink what
 * happens, until it ends or is detached. Any object of this shape will do, not only the ones made here.
 */
import type { Clock } from './clock.ts';

/** `Item` is what each run gets to see of the event that caused it. */
export interface Source<Item> {
  /** In one scheduling pass, timers go before subscribers. */
  readonly kind: 'timer' | 'subscriber';
  /** Begins to watch. If it throws, that is reported and the source counts as ended. */
  attach(sink: Sink<Item>): Attachment;
}

/** What a source may say. Nothing here throws or calls user code, so it is safe from inside any listener. */
export interface Sink<Item> {
  readonly clock: Clock;
  /** Something happened. While a run is already owed, the newer item takes the place of the older (X2). */
  trigger(item: Item): boolean;
  /** Nothing will happen any more. What is owed is still served. */
  end(): void;
  /** As `end`, and the error is reported; it is reported even when the source has ended already. */
  fail(error: unknown): void;
}

/** A source at work. */
export interface Attachment {
  /** Releases everything. Called once, however the source ended; `stop` waits for a promise that it returns. */
  detach?(): unknown;
  /** A run of the task has just ended: the moment for a source that is pulled to pull again. */
  served?(): void;
}
