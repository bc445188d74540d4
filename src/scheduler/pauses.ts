/**
 * Pauses that operators ask for, and their ends (I2, I3).
 *
 *     goes on ──pause──▶ paused here ──durable──▶ paused ──resume──▶ goes on
 *
 * Where other instances share the store, a pause holds for all of them only from when the store knows it (K1). Until then another one may
 * start the task: for it there is no pause yet. So a pause is reported when it is durable, and nobody resumes the task here before (`operator.ts`):
 * there would be the end of a pause that no other instance has heard of, and they might start what it lets pass. A
 * resume is reported at once: no other instance can act on it before the store knows it.
 */
import type { PauseChange } from '../core/changes.ts';
import type { ControlRequest } from '../core/control.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Outbox } from './outbox.ts';

/** The engine, as far as its pauses need it. */
export interface PausePorts {
  readonly outbox: Outbox;
  readonly moves: CursorMoves;
  readonly dues: Dues;
}

export class Pauses {
  readonly #options: EngineOptions;
  readonly #ports: PausePorts;
  /** Those that are not durable yet, by request, in a store that is shared. */
  readonly #pausing = new Map<string, PauseChange>();
  #pausedAt = Number.NEGATIVE_INFINITY;

  constructor(options: EngineOptions, ports: PausePorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Answers what has become of the request. */
  pause(task: number, { id, task: name }: ControlRequest, now: number): string {
    const { tasks, session } = this.#options;
    if (tasks.isPaused(task)) return 'it was paused already';
    const isShared = session.sharing !== undefined;
    // No two pauses have the same instant: by that, traces of other instances tell them apart (K9).
    if (isShared) this.#pausedAt = Math.max(now, this.#pausedAt + 1);
    const pause = { name, pausedAt: isShared ? this.#pausedAt : now, ...this.#asked(id) };
    tasks.pause(task, pause.pausedAt);
    this.#ports.outbox.paused(task, pause);
    if (isShared) this.#pausing.set(id, pause);
    else this.#report(id, name, now);
    return 'paused';
  }

  /** Answers what has become of the request. */
  resume(task: number, { id, task: name, catchUp }: ControlRequest, now: number): string {
    const { tasks, owed, emit, trace } = this.#options;
    if (!tasks.isPaused(task)) return 'it was not paused';
    tasks.resume(task);
    owed.freed(task, now);
    this.#ports.outbox.paused(task, { name, pausedAt: null, ...this.#asked(id) });
    if (!catchUp) this.#ports.moves.pass(task, now); // what came due during the pause is not owed
    emit('TaskResumed', now, { task: name, request: id, catchUp });
    trace?.({ event: 'Resumed', at: now, task: name, request: id, catchUp });
    this.#ports.dues.lookAt(task);
    return 'goes on';
  }

  /** A pause that was not reported is, once. */
  durable(request: string, at: number): void {
    const { name, pausedAt = null } = this.#pausing.get(request) ?? {};
    if (this.#pausing.delete(request) && name !== undefined && pausedAt !== null)
      this.#report(request, name, at, { since: pausedAt });
  }

  #asked(request: string): { readonly request?: string } {
    return this.#options.session.sharing === undefined ? {} : { request };
  }

  #report(request: string, task: string, at: number, durable: { readonly since?: number } = {}): void {
    this.#options.emit('TaskPaused', at, { task, request });
    this.#options.trace?.({ event: 'Paused', at, task, request, ...durable });
  }
}
