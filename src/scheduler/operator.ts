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
 * that start is taken back, the request is open again.
 *
 * Where other instances share the store, what is asked for holds for all of them only from when the store knows it (K1). Until then another
 * one may start the task: for it there is no pause yet, and its start is not the one that was asked for. So a pause is reported
 * when it is durable, and a request to run with the claim that the store has granted for it. A resume is reported at once: no other instance can
 * act on it before the store knows it.
 */
import type { PauseChange } from '../core/changes.ts';
import type { ControlRequest, GivenAnswer } from '../core/control.ts';
import type { Starts } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import { TaskCancelledError, visible } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { TraceSink } from '../trace/record.ts';
import type { Emit } from './events.ts';
import type { Logger } from './options.ts';
import type { Outbox } from './outbox.ts';

export interface OperatorPorts {
  readonly tasks: Tasks;
  readonly outbox: Outbox;
  readonly emit: Emit;
  readonly trace: TraceSink | undefined;
  readonly logger: Logger;
  /** Whether other instances share the store. */
  readonly isShared: boolean;
  /** Whether the callback of a task has been called and has not ended. */
  isCalled(task: number): boolean;
  /** What is due of a task up to an instant is not owed. */
  moveCursor(task: number, at: number): void;
  /** Something may be pending now. */
  look(task: number): void;
  abort(task: number, reason: unknown): void;
}

/** How many names are compared with one that is not known. */
const MOST_NAMES = 10_000;
/** How many requests that are over are remembered. */
const MOST_OVER = 1000;

export class Operator {
  readonly #ports: OperatorPorts;
  /** Requests that were taken in. Their answers may not be durable yet, and until then the store shows them again. */
  readonly #known = new Map<string, ControlRequest>();
  /** The last ones whose answers are durable: what the store showed before that may arrive after it. */
  readonly #over = new Set<string>();
  /** By task: the requests to run that its next call answers. */
  readonly #toRun = new Map<number, string[]>();
  /** By task: those that its claim has answered, until it is called. */
  readonly #answeredBy = new Map<number, string[]>();
  /** Pauses that are not durable yet, by request, in a store that is shared. */
  readonly #pausing = new Map<string, PauseChange>();
  #pausedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: OperatorPorts) {
    this.#ports = ports;
  }

  /** Requests that are open in the store. */
  take(requests: readonly ControlRequest[], now: number): void {
    for (const request of requests) {
      if (this.#known.has(request.id) || this.#over.has(request.id)) continue;
      this.#known.set(request.id, request);
      const task = this.#ports.tasks.find(request.task);
      if (task < 0) this.#refuse(request, now, this.#unknown(request.task));
      else this.#apply(task, request, now);
    }
  }

  /** What is not answered yet, for the engine of the next list (I5). */
  get open(): readonly ControlRequest[] {
    return [...this.#known.values()];
  }

  /** Whether a pause or a resume of a task is not durable yet. */
  isTurning(name: string): boolean {
    return Array.from(this.#known.values()).some(
      ({ kind, task }) => task === name && (kind === 'pause' || kind === 'resume'),
    );
  }

  /** These claims are about to be written. If the store grants one, it has the answers with it. */
  claimed(starts: Starts, at: number): void {
    if (this.#toRun.size === 0 || !this.#ports.isShared) return;
    for (let place = 0; place < starts.length; place++) {
      const task = starts.taskAt(place);
      const start = this.#ports.tasks.nameOf(task);
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
      this.#ports.trace?.({ event: 'RunRequested', at, task: this.#ports.tasks.nameOf(task), request: id });
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
      if (start !== undefined) this.#answeredWith(this.#ports.tasks.find(start), id);
      this.#known.delete(id);
      this.#paused(id, at);
      this.#over.add(id);
    }
    for (const id of this.#over) if (this.#over.size > MOST_OVER) this.#over.delete(id);
  }

  #answeredWith(task: number, request: string): void {
    const left = (this.#toRun.get(task) ?? []).filter((id) => id !== request);
    if (left.length === 0) this.#toRun.delete(task);
    else this.#toRun.set(task, left);
    this.#answeredBy.set(task, [...this.answeredBy(task), request]);
  }

  /** A pause that was not reported is, once. */
  #paused(id: string, at: number): void {
    const { name, pausedAt = null } = this.#pausing.get(id) ?? {};
    if (this.#pausing.delete(id) && name !== undefined && pausedAt !== null)
      this.#reportPause(id, name, at, { since: pausedAt });
  }

  #apply(task: number, request: ControlRequest, now: number): void {
    const { tasks, emit, trace, isShared } = this.#ports;
    const { id, kind } = request;
    const name = request.task;
    switch (kind) {
      case 'run':
        this.#toRun.set(task, [...(this.#toRun.get(task) ?? []), id]);
        tasks.request(task);
        emit('TaskRunRequested', now, { task: name, request: id });
        if (!isShared) trace?.({ event: 'RunRequested', at: now, task: name, request: id });
        this.#ports.look(task);
        break;
      case 'pause':
        this.#pause(task, request, now);
        break;
      case 'resume':
        this.#resume(task, request, now);
        break;
      case 'cancel':
        if (!this.#ports.isCalled(task)) {
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
        this.#ports.abort(task, new TaskCancelledError(name));
        break;
    }
  }

  #pause(task: number, { id, task: name }: ControlRequest, now: number): void {
    const { tasks, outbox, isShared } = this.#ports;
    const isPaused = tasks.isPaused(task);
    if (!isPaused) {
      // No two pauses have the same instant: by that, traces of other instances tell them apart (K9).
      if (isShared) this.#pausedAt = Math.max(now, this.#pausedAt + 1);
      const pause = { name, pausedAt: isShared ? this.#pausedAt : now, ...this.#asked(id) };
      tasks.pause(task);
      outbox.paused(pause);
      if (isShared) this.#pausing.set(id, pause);
      else this.#reportPause(id, name, now);
    }
    this.#answer({ id, at: now, state: 'applied', text: isPaused ? 'it was paused already' : 'paused' });
  }

  #asked(request: string): { readonly request?: string } {
    return this.#ports.isShared ? { request } : {};
  }

  #reportPause(request: string, task: string, at: number, durable: { readonly since?: number } = {}): void {
    this.#ports.emit('TaskPaused', at, { task, request });
    this.#ports.trace?.({ event: 'Paused', at, task, request, ...durable });
  }

  #resume(task: number, { id, task: name, catchUp }: ControlRequest, now: number): void {
    const { tasks, outbox, emit, trace } = this.#ports;
    const isPaused = tasks.isPaused(task);
    // A pause comes before its end.
    for (const [pause, { name: paused }] of this.#pausing) if (paused === name) this.#paused(pause, now);
    if (isPaused) {
      tasks.resume(task);
      outbox.paused({ name, pausedAt: null, ...this.#asked(id) });
      if (!catchUp) this.#ports.moveCursor(task, now); // what came due during the pause is not owed
      emit('TaskResumed', now, { task: name, request: id, catchUp });
      trace?.({ event: 'Resumed', at: now, task: name, request: id, catchUp });
      this.#ports.look(task);
    }
    this.#answer({ id, at: now, state: 'applied', text: isPaused ? 'goes on' : 'it was not paused' });
  }

  #unknown(name: string): string {
    const { tasks } = this.#ports;
    const names = Array.from({ length: Math.min(tasks.count, MOST_NAMES) }, (_, task) => tasks.nameOf(task));
    const meant = nearest(name, names);
    return `no task is called that${meant === undefined ? '' : `: did you mean "${visible(meant, 100)}"?`}`;
  }

  #refuse({ id, kind, task }: ControlRequest, at: number, why: string): void {
    this.#ports.logger.warn(`refused to ${kind} "${visible(task, 100)}": ${why}`);
    this.#answer({ id, at, state: 'refused', text: why });
  }

  #answer(answer: GivenAnswer): void {
    this.#ports.outbox.answered(answer);
  }
}
