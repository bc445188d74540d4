/**
 * `pings`: tells services such as healthchecks.io and Sentry of each run, and that the scheduler is alive. It hangs on events, so no run waits for it, and
 * none fails because of it.
 */
import { askGuest, callGuest, LateAnswerError } from '../guest.ts';
import { type Duration, type SchedulerEvent, type Store, sqlite } from '../index.ts';
import { describeError } from '../text/describe-error.ts';
import { printable } from '../text/printable.ts';
import { toMilliseconds } from '../time/duration.ts';
import { hostClock } from '../time/host-clock.ts';
import { DeadMansSwitch } from './dead-mans-switch.ts';
import { Delivery, type PingTrouble } from './ping-delivery.ts';
import {
  adapterOf,
  adaptersOf,
  type Ping,
  type PingAdapter,
  type PingTarget,
  type PingTargets,
} from './ping-targets.ts';
import { Surveyor } from './survey.ts';
import { TaskLabels } from './task-labels.ts';

/** The dead man's switch of the scheduler. */
export interface AliveOptions {
  /** Who is pinged. */
  readonly target: PingTarget;
  /** How often; every minute by default. */
  readonly every?: Duration;
  /** The store of the scheduler: with it, a ping is sent only if nothing is overdue. */
  readonly store?: Store | string | URL;
  /** The zone of the scheduler; the host's by default. It matters with a store. */
  readonly timeZone?: string;
  /** How long a task may be overdue; 5 minutes by default. */
  readonly lateAfter?: Duration;
}

/** What `pings` takes. */
export interface PingOptions {
  /**
   * The list of tasks that `initialize` gets, each with its own `ping`; or who is pinged for each task, by its name; or a function that says so.
   * A task without any is not pinged for.
   */
  readonly tasks?: PingTargets;
  /** The dead man's switch of the whole scheduler. */
  readonly alive?: AliveOptions;
  /** From which failure in a row on a failure is reported; 1 by default, the first. */
  readonly failures?: number;
  /** Whether the text of what a callback threw is sent; `false` leaves only the name of the error. */
  readonly sendErrors?: boolean;
  /** How long one request may take; 10 seconds by default. */
  readonly timeout?: Duration;
  /** After which delays a request that failed is sent again; after 1, 5 and 25 seconds by default. */
  readonly retryAfter?: readonly Duration[];
  /** Called when pings of a task do not arrive, and when they do again; by default the standard error output gets a line. */
  readonly onTrouble?: (trouble: PingTrouble) => void;
}

/** Pings of one scheduler. */
export interface Pings {
  /** Goes into `createScheduler({ onEvent })`. */
  readonly onEvent: (event: SchedulerEvent) => void;
  /** How many pings are on their way or wait. */
  readonly pending: number;
  /** Resolves when everything has arrived or was given up; call it after `stop`, before a process that exits by itself. */
  flush(): Promise<void>;
  /** Sends nothing more, and drops what waits. */
  close(): void;
}

/** Creates pings: `onEvent` for the scheduler. */
export function pings(options: PingOptions): Pings {
  const sender = new Sender(options);
  return {
    onEvent: (event) => sender.hear(event),
    get pending() {
      return sender.delivery.pending;
    },
    flush: () => sender.delivery.settled(),
    close: () => sender.close(),
  };
}

const RETRY_AFTER_MS = [1000, 5000, 25_000];

class Sender {
  readonly delivery: Delivery;
  readonly #adapterFor: (task: string) => PingAdapter | undefined;
  readonly #switch: DeadMansSwitch | undefined;
  readonly #failures: number;
  readonly #sendsErrors: boolean;
  /** By task: failures since the last success. */
  readonly #inARow = new Map<string, number>();

  constructor({ tasks = {}, alive, failures = 1, sendErrors = true, ...options }: PingOptions) {
    const { timeout = 10_000, retryAfter = RETRY_AFTER_MS, onTrouble = complain } = options;
    this.#failures = failures;
    this.#sendsErrors = sendErrors;
    this.delivery = new Delivery({
      timeoutMs: lengthOf('timeout', timeout),
      retryAfterMs: retryAfter.map((delay) => lengthOf('retryAfter', delay)),
      onTrouble: (trouble) => callGuest(() => onTrouble(trouble)),
    });
    const ping: Ping = { kind: 'alive', task: '', id: '', error: '' };
    this.#adapterFor = adaptersOf(tasks, (task, error) => this.delivery.failed(task, wrongWith(error)));
    this.#switch = alive && switchOf(alive, (adapter) => this.#send(adapter, ping));
  }

  hear(event: SchedulerEvent): void {
    this.#switch?.hear(event);
    switch (event.type) {
      case 'TaskRunStarted':
      case 'TaskRetryStarted':
        this.#tell('start', event);
        break;
      case 'TaskRunCompleted':
        this.#inARow.delete(event.task);
        this.#tell('success', event);
        break;
      case 'TaskRunFailed':
        this.#failed(event);
        break;
      case 'SchedulerInitializationCompleted':
        for (const task of event.removed) this.#inARow.delete(task);
        break;
      default:
    }
  }

  close(): void {
    this.#switch?.close();
    this.delivery.close();
  }

  #failed(event: Extract<SchedulerEvent, { type: 'TaskRunFailed' }>): void {
    if (this.#adapterFor(event.task) === undefined || event.outcome === 'cancelled') return;
    const count = (this.#inARow.get(event.task) ?? 0) + 1;
    this.#inARow.set(event.task, count);
    if (count < this.#failures) return;
    const { name, text } = describeError(event.error);
    this.#tell('fail', event, this.#sendsErrors ? text : name);
  }

  #tell(kind: Ping['kind'], { task, runId: id }: { task: string; runId: string }, error = ''): void {
    this.#send(this.#adapterFor(task), { kind, task, id, error });
  }

  #send(adapter: PingAdapter | undefined, ping: Ping): void {
    const failed = (error: unknown): void => this.delivery.failed(ping.task, wrongWith(error));
    const request = adapter && askGuest(() => adapter(ping), failed);
    if (request !== undefined) this.delivery.send(ping.task, request);
  }
}

function switchOf(
  { target, every = 60_000, store, timeZone, lateAfter = 300_000 }: AliveOptions,
  beat: (adapter: PingAdapter) => void,
): DeadMansSwitch {
  const adapter = adapterOf('the target of "alive"', target);
  const opened = typeof store === 'string' || store instanceof URL ? sqlite(store) : store;
  return new DeadMansSwitch({
    everyMs: lengthOf('every', every),
    lateAfterMs: lengthOf('lateAfter', lateAfter),
    surveyor:
      opened && new Surveyor({ store: opened, timeZone, clock: hostClock, labels: new TaskLabels(0) }),
    beat: () => beat(adapter),
  });
}

function lengthOf(name: string, duration: Duration): number {
  const ms = toMilliseconds(duration);
  if (ms === undefined || !(ms >= 1) || ms >= 2 ** 31)
    throw new RangeError(`${name} must be a duration of at least 1 ms, such as seconds(10)`);
  return ms;
}

/** Why a function of the program has named no target. Only the kind of the error is said: its text may hold the address. */
const wrongWith = (error: unknown): string =>
  error instanceof LateAnswerError ? error.message : `the function threw ${describeError(error).name}`;

function complain({ task, state, reason }: PingTrouble): void {
  const whose = task === '' ? "the dead man's switch" : `task "${printable(task)}"`;
  console.error(
    state === 'lost'
      ? `obbligato: pings of ${whose} do not arrive: ${reason}`
      : `obbligato: pings of ${whose} arrive again`,
  );
}
