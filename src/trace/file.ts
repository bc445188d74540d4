/**
 * `traceFile`: a sink that records to a file, for as long as processes come and go.
 *
 * *What is written when.* The file always holds the first so many of the events that happened, in their order; the question is only
 * how many. A process killed by SIGKILL loses what it has not handed to the kernel, so almost everything is handed over at once:
 *
 * - `RunStart`, before its callback is called: otherwise there could be an effect without a start.
 * - `RunSuccess`, `RunFailure`, `RunInterrupted`: the store may make an end durable as soon as it gets it. If the end were then missing here, the
 *   oracle would see a run that was cut off, demand that it be repeated, and blame a scheduler that rightly does not.
 * - What begins and ends lives, clock steps, store trouble: they are rare.
 *
 * `StartDurable` and `EndDurable`, half of all records, wait for the next of the others, or the end of the tick. If they are
 * lost, the process died, and no more is known than before: a start may be durable and uncalled (T10), an end durable or not
 * (A10). The oracle allows both after every crash, since a trace never shows what a store has done and not yet answered. So their
 * loss widens what is allowed by at most a tick, and accuses no one falsely. Nothing later can be in the file without them.
 *
 *     open ──close──▶ closed        (trouble with the file: pen.ts)
 */

import { refuseUnknown } from '../text/unknown-name.ts';
import { type Duration, lengthOf, seconds } from '../time/duration.ts';
import { type Opened, openTrace } from './continuation.ts';
import { TraceFileError } from './errors.ts';
import { Freezes } from './freezes.ts';
import { Pen } from './pen.ts';
import type { TraceSink, WrittenRecord } from './record.ts';

/** How a trace is recorded in a file. */
export interface TraceFileOptions {
  /** The file is rotated when it has grown to this; 64 MiB by default. */
  readonly rotateBytes?: number;
  /** How many rotated files are kept; all by default, since a trace without its beginning says less. */
  readonly keep?: number;
  /** Whether a thread watches for freezes; true by default. With a clock of your own it must not, since it knows the host's. */
  readonly watch?: boolean;
  /** The main thread is frozen when it has not moved for this long; 1 second by default. */
  readonly frozenAfter?: Duration;
  /** How long opening waits, blocking, for another recorder to let go of the file; not at all by default. */
  readonly lockWait?: Duration;
  /**
   * Called when trouble with the file begins, once each time; by default it is a warning of the process. The schedule goes on.
   */
  readonly onError?: (error: Error) => void;
  /** What the scheduler's clock shows; the host's by default. */
  readonly now?: () => number;
}

/** A trace file that is open: give it to the scheduler as its `trace`. */
export interface TraceFile extends TraceSink {
  readonly path: string;
  /**
   * When the call returns, everything is in the file and the file is released. It resolves when the watching thread has ended.
   */
  close(): Promise<void>;
}

/**
 * Opens a trace file, and continues what is in it. Throws if it cannot be opened, is not a trace, or another recorder writes to
 * it.
 */
export function traceFile(path: string, options: TraceFileOptions = {}): TraceFile {
  refuseUnknown('traceFile', options, NAMES);
  const settled = settle(options);
  const recorder = new Recorder(path, settled, openTrace(path, settled.lockWaitMs, settled.now));
  return Object.assign((record: WrittenRecord): void => recorder.record(record), {
    path,
    close: (): Promise<void> => recorder.close(),
  });
}

type Settled = Required<Omit<TraceFileOptions, 'frozenAfter' | 'lockWait'>> & {
  readonly frozenAfterMs: number;
  readonly lockWaitMs: number;
};

const NAMES = ['rotateBytes', 'keep', 'watch', 'frozenAfter', 'lockWait', 'onError', 'now'];

function settle({ frozenAfter = seconds(1), lockWait = 0, ...options }: TraceFileOptions): Settled {
  const settled: Settled = {
    rotateBytes: 64 * 1024 * 1024,
    keep: Number.POSITIVE_INFINITY,
    watch: options.now === undefined,
    frozenAfterMs: lengthOf('frozenAfter', frozenAfter),
    lockWaitMs: lengthOf('lockWait', lockWait),
    onError: (error) => process.emitWarning(error),
    now: () => Date.now(),
    ...options,
  };
  for (const [name, value, least] of [
    ['rotateBytes', settled.rotateBytes, 1],
    ['keep', settled.keep, 0],
    ['frozenAfter', settled.frozenAfterMs, 1],
  ] as const) {
    if (typeof value !== 'number' || !(value >= least))
      throw new RangeError(`${name} must be at least ${least}; got ${value}`);
  }
  return settled;
}

class Recorder {
  readonly #path: string;
  readonly #options: Settled;
  readonly #opened: Opened;
  readonly #pen: Pen;
  readonly #freezes: Freezes;
  readonly #atExit = (): void => this.#pen.flush();
  #isClosed = false;
  #hasToldLate = false;
  #tickPlanned = false;
  #watchEnded: Promise<void> | undefined;

  constructor(path: string, options: Settled, opened: Opened) {
    this.#path = path;
    this.#options = options;
    this.#opened = opened;
    const { rotateBytes, keep, watch, frozenAfterMs } = options;
    this.#pen = new Pen(opened.fd, { path, rotateBytes, keep, tell: (error) => this.#tell(error) });
    this.#pen.add(opened.text);
    this.#pen.flush();
    process.on('exit', this.#atExit);
    this.#freezes = new Freezes({
      watch,
      frozenAfterMs,
      now: options.now,
      lastAt: opened.lastAt,
      write: (record) => this.#pen.add(`${JSON.stringify(record)}\n`),
      onError: (error) =>
        this.#tell(new TraceFileError(path, 'is not watched: freezes will be missing in it', error)),
    });
  }

  record(record: WrittenRecord): void {
    if (this.#isClosed) {
      this.#tellLate(record);
      return;
    }
    const { event } = record;
    this.#freezes.before(record);
    this.#pen.add(`${JSON.stringify(record)}\n`);
    this.#freezes.after(record);
    const mayWait = event === 'StartDurable' || event === 'EndDurable';
    if (!mayWait) this.#pen.flush();
    if (mayWait || event === 'RunStart') this.#planTick();
  }

  close(): Promise<void> {
    if (this.#watchEnded === undefined) {
      this.#watchEnded = this.#freezes.close();
      this.#isClosed = true;
      process.off('exit', this.#atExit);
      this.#pen.close();
      this.#opened.lock.release();
    }
    return this.#watchEnded;
  }

  /** The end of the tick: what waits is written, and the callbacks of the tick have returned. One for all records of a tick. */
  #planTick(): void {
    if (this.#tickPlanned) return;
    this.#tickPlanned = true;
    setImmediate(() => {
      this.#tickPlanned = false;
      if (this.#isClosed) return;
      this.#freezes.endOfTick();
      this.#pen.flush();
    });
  }

  #tellLate({ event }: WrittenRecord): void {
    if (this.#hasToldLate) return;
    this.#hasToldLate = true;
    this.#tell(new TraceFileError(this.#path, `was closed before the scheduler was: ${event} is not in it`));
  }

  /** What the listener throws must not reach the scheduler. */
  #tell(error: Error): void {
    try {
      this.#options.onError(error);
    } catch {
      // There is nowhere left to report this.
    }
  }
}
