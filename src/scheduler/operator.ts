/**
 * What operators ask for (I1–I4): run a task now, pause it, let it go on, cancel its run. A request is durable in the store before it
 * comes here, and stays there until its answer is.
 *
 *     asked (durable) ──▶ taken in ──▶ applied or refused ──answer durable──▶ over
 *            ▲                                   │
 *            └── the process dies before that ───┘   the next scheduler takes it in again
 *
 * Why it is applied once: a pause and a resume are the same when they are repeated, and their answer is in the transaction of their
 * effect. A request to run is answered by the call that serves it (A3), and the answer is durable no later than the end of that run. If
 * the process dies before, the run was cut off, and the one start that follows serves both. Where other instances share the store, one of them
 * might start what was cut off, and another one take the request: there the answer is in the transaction that grants the start. If
 * that start is taken back, the request is open again. Which requests are over is remembered: the store may have shown one again before its answer
 * was durable.
 *
 * Where other instances share the store, what is asked for holds for all of them only from when the store knows it (K1). Until then another
 * one may start the task, and its start is not the one that was asked for. So a request to run is reported with the claim that the store has
 * granted for it. A pause or a resume waits until the one before it, of the same task, is durable; then it is decided by what the store has. Pauses
 * and their ends are in `pauses.ts`.
 */
import type { ControlRequest, GivenAnswer } from '../core/control.ts';
import type { Starts } from '../core/rows.ts';
import { TaskCancelledError, visible } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { Caller } from './caller.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { EngineOptions } from './engine-options.ts';
import { type PausePorts, Pauses } from './pauses.ts';
import type { Turns } from './turns.ts';

/** The engine, as far as its operator needs it. */
export interface OperatorPorts extends PausePorts {
  readonly caller: Caller;
  readonly steps: ClockSteps;
  readonly turns: Turns;
}

/** How many names are compared with one that is not known. */
const MOST_NAMES = 10_000;
/** How many requests that are over are remembered. */
const MOST_OVER = 1000;

const isTurn = ({ kind }: ControlRequest): boolean => kind === 'pause' || kind === 'resume';

/** Why nothing can be asked of a task whose record another program has deleted (E7). */
const GONE = 'its record is gone from the store; the next initialize brings it back';

export class Operator {
  readonly #options: EngineOptions;
  readonly #ports: OperatorPorts;
  readonly #pauses: Pauses;
  /** Whether other instances share the store. */
  readonly #isShared: boolean;
  /** Requests that were taken in. Their answers may not be durable yet, and until then the store shows them again. */
  readonly #known = new Map<string, ControlRequest>();
  /** The last requests whose answers are durable: what the store showed before that may arrive after it (I1). */
  readonly #over = new Set<string>();
  /** Pauses and resumes that wait for the one before them, in a store that is shared. */
  readonly #waiting = new Map<string, ControlRequest>();
  /** By task: the requests to run that its next call answers. */
  readonly #toRun = new Map<number, string[]>();
  /** By task: those that its claim has answered, until it is called. */
  readonly #answeredBy = new Map<number, string[]>();

  constructor(options: EngineOptions, ports: OperatorPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#pauses = new Pauses(options, ports);
    this.#isShared = options.session.sharing !== undefined;
  }

  /** Takes in what waits. What other instances may have changed is decided by what the store has now. */
  takeWaiting(): void {
    const names = this.#options.requests.map(({ task }) => task);
    const stale = names.filter((name) => !this.isTurning(name));
    const { cluster } = this.#ports.dues;
    if (cluster === undefined || stale.length === 0) this.#takeIn(names.length);
    else void cluster.refresh(stale).then(() => this.#takeIn(names.length));
  }

  #takeIn(count: number): void {
    const { executor, requests, tasks } = this.#options;
    if (executor.stopped) return;
    const now = this.#ports.steps.readClock();
    this.#ports.steps.judgeRest();
    for (const request of requests.splice(0, count)) {
      if (this.#known.has(request.id) || this.#over.has(request.id)) continue;
      if (this.#isShared && isTurn(request) && this.isTurning(request.task)) {
        this.#waiting.set(request.id, request);
        continue;
      }
      this.#known.set(request.id, request);
      const task = tasks.find(request.task);
      if (task < 0) this.#refuse(request, now, this.#unknown(request.task));
      else if (tasks.recordsGone.has(request.task)) this.#refuse(request, now, GONE);
      else this.#apply(task, request, now);
    }
    this.#ports.turns.plan();
  }

  /** No list has the task any more: what was asked for it is refused (I5). */
  forget(task: number, now: number): void {
    const asked = new Set(this.#toRun.get(task));
    this.#toRun.delete(task);
    for (const request of this.#known.values())
      if (asked.has(request.id)) this.#refuse(request, now, this.#unknown(request.task));
  }

  /** Whether a pause or a resume of a task is not durable yet. */
  isTurning(name: string): boolean {
    return Array.from(this.#known.values()).some((request) => request.task === name && isTurn(request));
  }

  /** These claims are about to be written. If the store grants one, it has the answers with it. */
  claimed(starts: Starts, at: number): void {
    if (this.#toRun.size === 0 || !this.#isShared) return;
    for (let place = 0; place < starts.length; place++) {
      const task = starts.taskAt(place);
      const start = this.#options.tasks.nameOf(task);
      for (const id of this.#toRun.get(task) ?? [])
        this.#answer({ id, at, state: 'applied', text: 'started', start });
    }
  }

  /** Which requests the claim of a task has answered that is durable and not called. */
  answeredBy(task: number): readonly string[] {
    return this.#answeredBy.get(task) ?? [];
  }

  /** The store has granted a start of the task, before the other instances. */
  granted(task: number, at: number): void {
    if (this.#toRun.size === 0) return;
    for (const id of this.#toRun.get(task) ?? [])
      this.#options.trace?.({
        event: 'RunRequested',
        at,
        task: this.#options.tasks.nameOf(task),
        request: id,
      });
  }

  /** A task was called: that is the run which was asked for. */
  called(task: number, at: number): void {
    this.#answeredBy.delete(task);
    if (this.#toRun.size === 0) return;
    for (const id of this.#toRun.get(task) ?? []) this.#answer({ id, at, state: 'applied', text: 'started' });
    this.#toRun.delete(task);
  }

  /** These answers are durable, but for those of starts that were refused. */
  answered(answers: Iterable<GivenAnswer>, refusedStarts: ReadonlySet<string>, at: number): void {
    for (const { id, start } of answers) {
      if (start !== undefined && refusedStarts.has(start)) continue;
      if (start !== undefined) this.#answeredWith(this.#options.tasks.known(start), id);
      this.#known.delete(id);
      this.#pauses.durable(id, at);
      this.#over.add(id);
    }
    for (const id of this.#over) if (this.#over.size > MOST_OVER) this.#over.delete(id);
    if (this.#waiting.size > 0) this.#takeNextTurns();
  }

  /** What has waited is decided by what the store has now. What has to wait again does. */
  #takeNextTurns(): void {
    this.#options.requests.push(...this.#waiting.values());
    this.#waiting.clear();
    this.takeWaiting();
  }

  #answeredWith(task: number, request: string): void {
    const left = (this.#toRun.get(task) ?? []).filter((id) => id !== request);
    if (left.length === 0) this.#toRun.delete(task);
    else this.#toRun.set(task, left);
    this.#answeredBy.set(task, [...this.answeredBy(task), request]);
  }

  #apply(task: number, request: ControlRequest, now: number): void {
    const { tasks, emit, trace } = this.#options;
    const { id, kind } = request;
    const name = request.task;
    switch (kind) {
      case 'run':
        this.#toRun.set(task, [...(this.#toRun.get(task) ?? []), id]);
        tasks.request(task);
        emit('TaskRunRequested', now, { task: name, request: id });
        if (!this.#isShared) trace?.({ event: 'RunRequested', at: now, task: name, request: id });
        this.#ports.dues.lookAt(task);
        break;
      case 'pause':
        this.#answer({ id, at: now, state: 'applied', text: this.#pauses.pause(task, request, now) });
        break;
      case 'resume':
        this.#answer({ id, at: now, state: 'applied', text: this.#pauses.resume(task, request, now) });
        break;
      case 'cancel':
        if (!this.#ports.moves.isRunning(task)) {
          this.#refuse(request, now, 'it does not run');
          break;
        }
        emit('TaskCancelRequested', now, { task: name, request: id });
        trace?.({ event: 'CancelRequested', at: now, task: name, request: id });
        this.#answer({
          id,
          at: now,
          state: 'applied',
          text: 'its signal is aborted; the run ends when its callback does',
        });
        this.#ports.caller.abort(task, new TaskCancelledError(name));
        break;
    }
  }

  #unknown(name: string): string {
    const { tasks } = this.#options;
    const some = Array.from({ length: Math.min(tasks.count, MOST_NAMES) }, (_, task) => task);
    const names = some.filter((task) => tasks.isListed(task)).map((task) => tasks.nameOf(task));
    const meant = nearest(name, names);
    return `no task is called that${meant === undefined ? '' : `: did you mean "${visible(meant, 100)}"?`}`;
  }

  #refuse({ id, kind, task }: ControlRequest, at: number, why: string): void {
    this.#options.logger.warn(`refused to ${kind} "${visible(task, 100)}": ${why}`);
    this.#answer({ id, at, state: 'refused', text: why });
  }

  #answer(answer: GivenAnswer): void {
    this.#ports.outbox.answered(answer);
  }
}
