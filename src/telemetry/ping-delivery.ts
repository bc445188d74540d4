/**
 * Brings pings to where they go, and never holds anything up. Pings of one task go in order, one at a time, in a *lane*:
 *
 *              a ping comes             answered: the next one, or idle
 *     idle ───────────────────▶ sending ──────────────────────────────▶ idle
 *                                │   ▲
 *                       failed   ▼   │ its delay has passed
 *                               resting ──▶ given up: reported, then as if answered   (after the last delay)
 *
 * What failed is sent again after each delay of `retryAfterMs`, and then given up. A refusal (any answer of 3xx or 4xx but 429) is given up at
 * once. Why no redirect is followed: the error in a ping would go to another host, and a page that asks for a login would count as an arrival.
 *
 * Why it is bounded: a lane keeps at most `MOST_WAITING` pings and drops the oldest that waits, since the newest says how things are; at
 * most `MOST_AT_ONCE` requests are on their way, each for `timeoutMs` at most; a lane that is idle is forgotten, unless it is in trouble.
 * Timers do not keep the process alive. A request that is on its way does, until it is answered or has timed out.
 */
import type { PingRequest } from './ping-targets.ts';

/** Pings do not arrive, or arrive again. */
export interface PingTrouble {
  /** The task whose pings they are; empty for the dead man's switch. */
  readonly task: string;
  /** `lost` when a ping was given up, once until one arrives again; `arrives` then. */
  readonly state: 'lost' | 'arrives';
  /** Why, without the address: an answer (`HTTP 500`), `timeout`, the code of an error, or that the program's own function has failed. */
  readonly reason: string;
}

export interface DeliveryOptions {
  readonly timeoutMs: number;
  readonly retryAfterMs: readonly number[];
  readonly onTrouble: (trouble: PingTrouble) => void;
}

interface Lane {
  readonly task: string;
  readonly waiting: PingRequest[];
  /** The one that is being sent or rests. */
  current: PingRequest | undefined;
  failures: number;
  isInTrouble: boolean;
  timer: NodeJS.Timeout | undefined;
}

const MOST_WAITING = 4;
const MOST_AT_ONCE = 20;

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that have something to send and wait for a place. */
  readonly #ready = new Set<Lane>();
  #sending = 0;
  #idle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  send(task: string, request: PingRequest): void {
    if (this.#isClosed) return;
    const lane = this.#laneOf(task);
    lane.waiting.push(request);
    if (lane.waiting.length > MOST_WAITING) lane.waiting.shift();
    if (lane.current === undefined) this.#next(lane);
  }

  /** There is nothing to send, because the program's own function has failed. */
  failed(task: string, reason: string): void {
    if (!this.#isClosed) this.#report(this.#laneOf(task), reason);
  }

  #laneOf(task: string): Lane {
    const known = this.#lanes.get(task);
    if (known !== undefined) return known;
    const lane: Lane = {
      task,
      waiting: [],
      current: undefined,
      failures: 0,
      isInTrouble: false,
      timer: undefined,
    };
    this.#lanes.set(task, lane);
    return lane;
  }

  /** How many pings are on their way or wait. */
  get pending(): number {
    let count = 0;
    for (const { waiting, current } of this.#lanes.values())
      count += waiting.length + (current === undefined ? 0 : 1);
    return count;
  }

  /** Resolves when nothing is on its way and nothing waits: everything has arrived or was given up. */
  async settled(): Promise<void> {
    // Who waits for this wants the process to stay until then.
    const stay = setInterval(() => {}, 2 ** 30);
    while (this.pending > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    clearInterval(stay);
  }

  /** Sends nothing more, and drops what waits. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#lanes.values()) clearTimeout(timer);
    this.#lanes.clear();
    this.#ready.clear();
    this.#tellIdle();
  }

  #next(lane: Lane): void {
    lane.current = lane.waiting.shift();
    lane.failures = 0;
    if (lane.current !== undefined) this.#queue(lane);
    else {
      if (!lane.isInTrouble) this.#lanes.delete(lane.task);
      this.#tellIdle();
    }
  }

  #queue(lane: Lane): void {
    this.#ready.add(lane);
    for (const ready of this.#ready) {
      if (this.#sending >= MOST_AT_ONCE) return;
      this.#ready.delete(ready);
      if (ready.current !== undefined) void this.#deliver(ready, ready.current);
    }
  }

  async #deliver(lane: Lane, request: PingRequest): Promise<void> {
    this.#sending++;
    const problem = await attempt(request, this.#options.timeoutMs);
    this.#sending--;
    if (this.#isClosed) return;
    const delayMs = this.#options.retryAfterMs[lane.failures];
    if (problem?.isTemporary && delayMs !== undefined) {
      lane.failures++;
      lane.timer = setTimeout(() => this.#queue(lane), delayMs).unref();
    } else {
      this.#report(lane, problem?.reason);
      this.#next(lane);
    }
    const [waiting] = this.#ready;
    if (waiting !== undefined) this.#queue(waiting);
  }

  #report(lane: Lane, problem: string | undefined): void {
    const isInTrouble = problem !== undefined;
    if (isInTrouble === lane.isInTrouble) return;
    lane.isInTrouble = isInTrouble;
    const { task } = lane;
    this.#options.onTrouble({ task, state: isInTrouble ? 'lost' : 'arrives', reason: problem ?? '' });
  }

  #tellIdle(): void {
    for (const tell of this.#idle.splice(0)) tell();
  }
}

interface Problem {
  readonly reason: string;
  readonly isTemporary: boolean;
}

/** Sends once. What comes back is not read, and what went wrong is said without the address. */
async function attempt(
  { url, method = 'POST', headers, body }: PingRequest,
  timeoutMs: number,
): Promise<Problem | undefined> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(headers && { headers }),
      ...(method === 'POST' && { body: body ?? '' }),
    });
    response.body?.cancel().catch(() => {});
    if (response.ok) return undefined;
    const { status } = response;
    return { reason: `HTTP ${status}`, isTemporary: status >= 500 || status === 429 };
  } catch (error) {
    return { reason: reasonOf(error), isTemporary: true };
  }
}

/** Only the code or the name: the text of an error may have the address in it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'timeout';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
