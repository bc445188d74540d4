/** `control`: asks a running scheduler, from anywhere, to run, pause, resume or cancel a task (I1). */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlAnswer, ControlKind, ControlRequest } from '../core/control.ts';
import { refuseUnknown } from '../text/unknown-name.ts';
import { type Duration, lengthOf } from '../time/duration.ts';
import { StoreFailedError } from './errors.ts';
import type { AskedRequest, Store, StoreSnapshot } from './port.ts';
import { storeOf } from './sqlite.ts';

/** What became of a request so far. */
export interface ControlResult {
  readonly id: string;
  readonly kind: ControlKind;
  readonly task: string;
  /** `waiting`: it is durable, and no scheduler has answered it yet. */
  readonly state: ControlAnswer['state'] | 'waiting';
  /** When it was applied or refused, in epoch milliseconds; `null` while it waits. */
  readonly at: number | null;
  /** What happened, why not, or what it waits for, in a few words. */
  readonly text: string;
}

/** How long to wait for an answer. */
export interface ControlOptions {
  /** 5 seconds by default; 0 for not at all. The request stands however long that is. */
  readonly wait?: Duration;
}

/** What an operator may ask for. Every method resolves once the request is durable, and answered or waited for long enough. */
export interface Control {
  /** Starts a task now; if it runs, once more right after its end (I2). Also if it is paused. */
  run(name: string, options?: ControlOptions): Promise<ControlResult>;
  /** Starts it for nothing but `run` from now on (I3). What runs goes on. It stays so through restarts and deploys. */
  pause(name: string, options?: ControlOptions): Promise<ControlResult>;
  /** Lets it go on. What came due during the pause is served only with `catchUp`. */
  resume(name: string, options?: ControlOptions & { readonly catchUp?: boolean }): Promise<ControlResult>;
  /** Aborts the signal of its current run (I4). */
  cancel(name: string, options?: ControlOptions): Promise<ControlResult>;
}

const WAIT_MS = 5000;
/** Each look at the store is a little later than the one before, up to the second of these. */
const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 1000;

/** The controls of a store, given as such or by the path of its file. If no scheduler runs on it, requests wait for the next one. */
export function control(target: string | URL | Store): Control {
  const store = storeOf(target);
  const ask = (kind: ControlKind, name: string, options?: ControlOptions, catchUp = false) => {
    if (options !== undefined) refuseUnknown(kind, options, ['wait', 'catchUp']);
    const waitMs = options?.wait === undefined ? WAIT_MS : lengthOf('wait', options.wait);
    return settled(
      store,
      { id: randomUUID(), kind, task: checkedName(name), askedAt: Date.now(), catchUp },
      waitMs,
    );
  };
  return {
    run: (name, options) => ask('run', name, options),
    pause: (name, options) => ask('pause', name, options),
    resume: (name, options) => ask('resume', name, options, options?.catchUp),
    cancel: (name, options) => ask('cancel', name, options),
  };
}

function checkedName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.isWellFormed()) return name;
  throw new TypeError('a control takes the name of a task');
}

async function settled(store: Store, request: ControlRequest, waitMs: number): Promise<ControlResult> {
  if (store.ask === undefined)
    throw new StoreFailedError({ path: store.location, reason: 'it takes no requests' });
  const { id, kind, task } = request;
  const asked = await store.ask(request);
  try {
    const answer = await answerWithin(asked, waitMs);
    if (answer === undefined)
      return { id, kind, task, state: 'waiting', at: null, text: waitText(kind, asked.owner) };
    return { id, kind, task, state: answer.state, at: answer.at, text: answer.text };
  } finally {
    await asked.close();
  }
}

async function answerWithin(asked: AskedRequest, waitMs: number): Promise<ControlAnswer | undefined> {
  const until = performance.now() + waitMs;
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(1.5 * lookMs, LAST_LOOK_MS)) {
    const answer = await asked.answer();
    const leftMs = until - performance.now();
    if (answer !== undefined || leftMs <= 0) return answer;
    await delay(Math.min(lookMs, leftMs));
  }
}

function waitText(kind: ControlKind, owner: StoreSnapshot['owner']): string {
  if (owner === 'free')
    return kind === 'cancel'
      ? 'no scheduler runs, and so nothing that could be cancelled'
      : 'no scheduler runs: the next one does it';
  return kind === 'run'
    ? 'it starts as soon as it can: right after its run, if it runs'
    : 'the scheduler has not answered yet';
}
