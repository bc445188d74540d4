/**
 * Freezes as records: the watcher sees them, and here they get their place among the records of a sink.
 *
 * A freeze is stamped only when the next record is there, since that may carry an instant at which the clock was read some time
 * ago, and time in a trace must not go back. If there is no next record, because the process dies, nothing is lost: the next
 * process then records all time after the last record as frozen.
 */
import { type Duration, lengthOf, seconds } from '../time/duration.ts';
import type { TraceSink, WrittenRecord } from './record.ts';
import { type Freeze, Watcher } from './watcher.ts';

export interface FreezesOptions {
  /** Whether a thread watches at all. */
  readonly watch: boolean;
  /** The main thread is frozen when it has not moved for this long. */
  readonly frozenAfterMs: number;
  readonly now: () => number;
  /** The instant of the last record before this process, if there is one. */
  readonly lastAt: number | undefined;
  /** Takes the record of a freeze. */
  readonly write: (record: WrittenRecord) => void;
  /** Called if the watching thread has ended. */
  readonly onError: (error: unknown) => void;
}

/** A freeze, and what is known of it besides. */
interface SeenFreeze extends Freeze {
  readonly task: string | undefined;
}

/** How many freezes wait for the next record to stamp them. */
const SEEN_MAX = 100;

export class Freezes {
  readonly #options: FreezesOptions;
  readonly #watcher: Watcher | undefined;
  #lastAt: number | undefined;
  /** When the main thread last showed that it moved, by the host's clock. The clock of the records may be another one (K6). */
  #movedAt = Number.NEGATIVE_INFINITY;
  /** Whose callback was called last, if nothing has shown yet that it returned. */
  #called: string | undefined;
  #seen: SeenFreeze[] = [];

  constructor(options: FreezesOptions) {
    this.#options = options;
    this.#lastAt = options.lastAt;
    if (options.watch) this.#watcher = this.#startWatcher();
  }

  /** Without a watcher there is still a trace. */
  #startWatcher(): Watcher | undefined {
    const { frozenAfterMs, now, onError } = this.#options;
    try {
      return new Watcher({ frozenAfterMs, onBeat: () => this.#look(now()), onError });
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  /** A record comes: what froze before it is written first. */
  before({ at }: WrittenRecord): void {
    this.#look(at);
    if (this.#seen.length > 0) this.#write(at);
  }

  /** The record is written. */
  after(record: WrittenRecord): void {
    this.#lastAt = record.at;
    this.#movedAt = this.#options.now();
    this.#called = record.event === 'RunStart' ? record.task : undefined;
    this.#watcher?.moved();
  }

  /** The end of a tick: the callback that was called has returned. */
  endOfTick(): void {
    this.#look(this.#options.now());
    this.#called = undefined;
  }

  /** No record comes any more. Resolves when the watching thread has ended. */
  close(): Promise<void> {
    this.#look(this.#options.now());
    this.#write(Number.POSITIVE_INFINITY);
    return this.#watcher?.close() ?? Promise.resolve();
  }

  /** Takes what the watcher has laid down. Up to its last record the main thread has shown that it moved. */
  #look(now: number): void {
    const freeze = this.#watcher?.take();
    if (freeze === undefined) return;
    const from = Math.max(freeze.from, this.#movedAt);
    if (freeze.to <= from) return;
    this.#seen.push({ from, to: freeze.to, task: this.#called });
    if (this.#seen.length >= SEEN_MAX) this.#write(now);
  }

  #write(nextAt: number): void {
    for (const { from, to, task } of this.#seen) {
      const at = Math.max(this.#lastAt ?? from, Math.min(to, nextAt));
      const culprit = task === undefined ? {} : { task };
      this.#options.write({ event: 'Frozen', at, from, to, ...culprit });
      this.#lastAt = at;
    }
    this.#seen = [];
  }
}

/** Options of `withFreezes`. */
export interface FreezeOptions {
  /** This process was frozen when its main thread has not moved for this long; 1 second by default. */
  readonly frozenAfter?: Duration;
  /** The wall clock, in epoch milliseconds; the host's by default. */
  readonly now?: () => number;
  /** The instant of the last record that the sink was given before, if there was one. */
  readonly lastAt?: number | undefined;
  /** Called if freezes cannot be seen any more; the records go on. */
  readonly onError?: (error: unknown) => void;
}

/** A sink that has to be closed. */
export type FreezeWatch = TraceSink & {
  /** Ends the thread that watches. Resolves when it has ended. */
  close(): Promise<void>;
};

/**
 * A sink that passes every record on, with a `Frozen` record before it where this process stood still: the machine slept, or a
 * callback held the event loop. `traceFile` does so by itself; a monitor needs this, or it takes such a delay for the scheduler's fault.
 */
export function withFreezes(sink: TraceSink, options: FreezeOptions = {}): FreezeWatch {
  const { frozenAfter = seconds(1), now = Date.now, lastAt, onError = () => {} } = options;
  const frozenAfterMs = lengthOf('frozenAfter', frozenAfter);
  const freezes = new Freezes({ watch: true, frozenAfterMs, now, lastAt, write: sink, onError });
  const watched = (record: WrittenRecord): void => {
    freezes.before(record);
    sink(record);
    freezes.after(record);
    if (record.event === 'RunStart') setImmediate(() => freezes.endOfTick());
  };
  return Object.assign(watched, { close: () => freezes.close() });
}
