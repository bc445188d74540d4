/**
 * The executor as data: who waits, who is queued, who runs, which triggers are remembered, which sources are still open. Nothing here
 * waits, sleeps or calls anybody; the shell does, and the model checker drives these very functions through every interleaving.
 *
 *                 trigger                    pass                      take
 *     waiting ───────────────▶ waiting, ──────────────▶ queued ──────────────────▶ running
 *        ▲                     in the wait set           │ ▲                        │  │
 *        │                         ▲                     └─┘ trigger: served by     │  │ trigger: into the
 *        │                         │                         the run that comes     │  │ wait set, once
 *        │                         └────────── finish, if in the wait set ──────────┘◀─┘
 *        └──────────────────────────────────── finish, otherwise ───────────────────┘
 *
 * - *waiting*: entered at birth and by `finish`. Left by `pass`, if the task is in the wait set.
 * - *queued*: entered by `pass`, at the tail; all timers of a pass before all its subscribers. Left by `take`,
 *   from the head. Nothing else reorders the queue, so every queued task is taken after finitely many takes.
 * - *running*: entered by `take`, while fewer than `workers` run and the executor is not stopped. Left by `finish`.
 *
 * The wait set is the bit `triggered`. Being queued consumes it (X2), so no trigger is served twice; `trigger`
 * sets it for a waiting or a running task and leaves a queued one alone, so none is lost. A task that waits *and*
 * is triggered also stands in one of two ready lists, one a kind, which is all that a pass has to walk.
 *
 * A task stands in at most one list at any time (a ready list while waiting, the run queue while queued, the free
 * list once released), so one link a task, `next`, carries all of them, and no step allocates or searches.
 */

export const TIMER = 0;
export const SUBSCRIBER = 1;
export type Kind = typeof TIMER | typeof SUBSCRIBER;

export const WAITING = 0;
export const QUEUED = 1;
export const RUNNING = 2;
export const FREE = 3; // not a task at all: the slot is on the free list

/** What became of a trigger. */
export const ACCEPTED = 0; // entered the wait set of a waiting task
export const REMEMBERED = 1; // entered the wait set of a running task
export const COALESCED = 2; // already there, or served by the queued run that is coming
export const REFUSED = 3; // the executor is stopped
export type Triggered = typeof ACCEPTED | typeof REMEMBERED | typeof COALESCED | typeof REFUSED;

/** No task: the end of a list, or the answer of `take` when there is nothing to take. */
export const NONE = -1;

// A list is a head and a tail, side by side in `lists`. The first two are the ready lists, indexed by kind.
const RUN_QUEUE = 2;
const FREE_LIST = 3;

export interface ExecutorState {
  /** How many tasks may run at once; `Infinity` for no bound. */
  readonly workers: number;
  /** How many slots have ever been used; every task's number is below it. */
  size: number;
  phase: Uint8Array;
  kind: Uint8Array;
  triggered: Uint8Array;
  openSources: Int32Array;
  next: Int32Array;
  readonly lists: Int32Array;
  /** How many tasks are triggered, queued, running, and how many sources are open, over all tasks. */
  triggeredCount: number;
  queuedCount: number;
  runningCount: number;
  openSourceCount: number;
  stopped: boolean;
}

export function createState(workers: number, capacity = 16): ExecutorState {
  if (!(workers === Number.POSITIVE_INFINITY || (Number.isSafeInteger(workers) && workers >= 1))) {
    throw new RangeError(`workers must be a whole number of at least 1, or Infinity; got ${workers}`);
  }
  return {
    workers,
    size: 0,
    phase: new Uint8Array(capacity),
    kind: new Uint8Array(capacity),
    triggered: new Uint8Array(capacity),
    openSources: new Int32Array(capacity),
    next: new Int32Array(capacity).fill(NONE),
    lists: new Int32Array(8).fill(NONE),
    triggeredCount: 0,
    queuedCount: 0,
    runningCount: 0,
    openSourceCount: 0,
    stopped: false,
  };
}

/** Some new waiting tasks with one open source each, in a state that has no other; their numbers begin at 0. */
export function addTasks(state: ExecutorState, kind: Kind, count: number): void {
  if (state.size > 0 || state.phase.length < count) broken('only an empty state is filled', count);
  state.size = count;
  state.phase.fill(WAITING, 0, count);
  state.kind.fill(kind, 0, count);
  state.openSources.fill(1, 0, count);
  state.openSourceCount = count;
}

/** A new waiting task with `sources` open sources; answers its number, which a released task may have had before. */
export function addTask(state: ExecutorState, kind: Kind, sources = 1): number {
  let task = shift(state, FREE_LIST);
  if (task === NONE) {
    if (state.size === state.phase.length) grow(state);
    task = state.size++;
  }
  state.phase[task] = WAITING;
  state.kind[task] = kind;
  state.openSources[task] = sources;
  state.openSourceCount += sources;
  return task;
}

/** A source has something for this task. */
export function trigger(state: ExecutorState, task: number): Triggered {
  if (state.stopped) return REFUSED;
  const phase = state.phase[task];
  if (phase === QUEUED || state.triggered[task] === 1) return COALESCED;
  if (phase > RUNNING) broken('a trigger needs a task', task);
  state.triggered[task] = 1;
  state.triggeredCount++;
  if (phase === RUNNING) return REMEMBERED;
  push(state, state.kind[task], task);
  return ACCEPTED;
}

/** Whether a pass would move anybody. */
export const hasReady = (state: ExecutorState): boolean =>
  state.lists[2 * TIMER] !== NONE || state.lists[2 * SUBSCRIBER] !== NONE;

/** The scheduling pass: every task that waits and is triggered goes to the tail of the run queue, timers first. */
export function pass(state: ExecutorState): number {
  return passKind(state, TIMER) + passKind(state, SUBSCRIBER);
}

function passKind(state: ExecutorState, kind: Kind): number {
  let moved = 0;
  for (let task = shift(state, kind); task !== NONE; task = shift(state, kind)) {
    const isReady = state.phase[task] === WAITING && state.triggered[task] === 1;
    if (!isReady) broken('only ready tasks are queued', task);
    state.phase[task] = QUEUED;
    state.triggered[task] = 0;
    push(state, RUN_QUEUE, task);
    moved++;
  }
  state.triggeredCount -= moved;
  state.queuedCount += moved;
  return moved;
}

/** Whether a worker is free and has something to take. */
export const canTake = (state: ExecutorState): boolean =>
  !state.stopped && state.queuedCount > 0 && state.runningCount < state.workers;

/** A free worker takes the head of the run queue; `NONE` if no worker is free, nothing is queued, or all is stopped. */
export function take(state: ExecutorState): number {
  if (!canTake(state)) return NONE;
  const task = shift(state, RUN_QUEUE);
  if (state.phase[task] !== QUEUED) broken('the head of the queue is queued', task);
  state.phase[task] = RUNNING;
  state.queuedCount--;
  state.runningCount++;
  return task;
}

/** The run of a task has ended, however it ended. A trigger that came meanwhile makes it ready at once (A5). */
export function finish(state: ExecutorState, task: number): void {
  if (state.phase[task] !== RUNNING) broken('only a running task finishes', task);
  state.phase[task] = WAITING;
  state.runningCount--;
  if (state.triggered[task] === 1) push(state, state.kind[task], task);
}

/** One of a task's sources will trigger it no more. */
export function endSource(state: ExecutorState, task: number): void {
  if (state.openSources[task] === 0) broken('a source ends once', task);
  state.openSources[task]--;
  state.openSourceCount--;
}

/** Whether a task can never run again: no source is open and nothing is owed to it. */
export function isSpent(state: ExecutorState, task: number): boolean {
  return state.openSources[task] === 0 && state.phase[task] === WAITING && state.triggered[task] === 0;
}

/** Gives a spent task's slot to the next one that is added. */
export function release(state: ExecutorState, task: number): void {
  if (!isSpent(state, task)) broken('only a spent task is released', task);
  state.phase[task] = FREE;
  push(state, FREE_LIST, task);
}

/** From here on nothing is triggered and nothing is taken; what runs goes on to its end. */
export function stop(state: ExecutorState): void {
  state.stopped = true;
}

/** Every source is finished (X3), every trigger served, nothing runs: the executor has come to its end. */
export function isDone(state: ExecutorState): boolean {
  return (
    state.openSourceCount === 0 &&
    state.triggeredCount === 0 &&
    state.queuedCount === 0 &&
    state.runningCount === 0
  );
}

/** After a stop: nothing runs any more. */
export const isQuiescent = (state: ExecutorState): boolean => state.runningCount === 0;

function push(state: ExecutorState, list: number, task: number): void {
  const { lists, next } = state;
  const tail = lists[2 * list + 1];
  if (tail === NONE) lists[2 * list] = task;
  else next[tail] = task;
  lists[2 * list + 1] = task;
}

function shift(state: ExecutorState, list: number): number {
  const { lists, next } = state;
  const task = lists[2 * list];
  if (task === NONE) return NONE;
  lists[2 * list] = next[task];
  if (next[task] === NONE) lists[2 * list + 1] = NONE;
  next[task] = NONE;
  return task;
}

function grow(state: ExecutorState): void {
  const capacity = Math.max(1, state.phase.length * 2);
  const bytes = (old: Uint8Array): Uint8Array => {
    const wider = new Uint8Array(capacity);
    wider.set(old);
    return wider;
  };
  const integers = (old: Int32Array, fill: number): Int32Array => {
    const wider = new Int32Array(capacity).fill(fill);
    wider.set(old);
    return wider;
  };
  state.phase = bytes(state.phase);
  state.kind = bytes(state.kind);
  state.triggered = bytes(state.triggered);
  state.openSources = integers(state.openSources, 0);
  state.next = integers(state.next, NONE);
}

function broken(rule: string, task: number): never {
  throw new Error(`Executor invariant broken: ${rule} (task ${task})`);
}
