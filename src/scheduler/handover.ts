/**
 * How an engine hands its list over to the engine of the next one (I5). `reload.ts` has the whole of a reload.
 *
 *     held: nothing starts ──everything but what runs is durable──▶ quiet ──the next list is in force──▶ retired
 *       │                                                            └──the next list is refused──▶ over: starts go on
 *       └──a stop comes, or the store is lost──▶ over
 *
 * In `quiet` and `retired` nothing is written but what ends. Why an end that comes in `quiet` is not lost: its name is remembered, and it is
 * released together with the plan. Why an end that comes in `held` releases nothing: the plan reads it from the store, and the batch that
 * brought it may have brought the next start of the same task, which runs when the list is planned (F2). Why the plan of a list that is refused
 * does no harm: what it may have written is taken back with the first start that follows (E5, E9).
 */
import type { Undo } from '../core/plan.ts';
import type { Tasks } from '../core/tasks.ts';
import type { Caller } from './caller.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { Dues } from './dues.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Outbox } from './outbox.ts';

/** What a run leaves behind when it has ended. */
export type ReleasedState = ReturnType<Tasks['stateOf']>;

/**
 * Of names that run under earlier lists: where their cursors will be when the runs have ended. Each engine that has such a name in its list moves
 * this on, since the run itself has no cursor that could be moved.
 */
export type Served = Map<string, number>;

/** The list in force, whichever that is by now. */
export interface ListInForce {
  /** A run of an earlier list has ended, and left this. */
  released(name: string, state: ReleasedState): void;
  /** A run of an earlier list is about to end: answers where its cursor is, as far as a list has the name. */
  servedBefore(name: string): number | undefined;
  /** The end of that run has brought the cursor here. */
  ended(name: string, servedThrough: number): void;
}

/** The engine, as far as its handover needs it. */
export interface HandoverPorts {
  readonly tasks: Tasks;
  readonly steps: ClockSteps;
  readonly moves: CursorMoves;
  readonly outbox: Outbox;
  readonly caller: Caller;
  readonly dues: Dues;
}

export class Handover implements Elsewhere {
  readonly #ports: HandoverPorts;
  readonly #settled = Promise.withResolvers<Handover | undefined>();
  #state: 'held' | 'quiet' | 'retired' | 'over' = 'held';
  #inForce: ListInForce | undefined;
  #undo: Undo | undefined;
  /** Names that ran when the next list was planned, and whose ends are durable since. */
  readonly #ended = new Set<string>();
  /** The names whose runs have ended, and that have not been released. */
  readonly #unreleased = new Set<string>();

  constructor(ports: HandoverPorts) {
    this.#ports = ports;
  }

  /** This, once it is quiet; `undefined` if a stop came first. Rejects if the store is lost. */
  get settled(): Promise<Handover | undefined> {
    return this.#settled.promise;
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** Whether only ends are written. A stop ends that: what is left is written then. */
  get isQuiet(): boolean {
    return this.#state === 'quiet' || this.#state === 'retired';
  }

  /** Whether another engine has the list. It stays so after a stop. */
  get isRetired(): boolean {
    return this.#inForce !== undefined;
  }

  /** Where the cursor of a name is whose run is about to end here: the list in force has moved it. */
  servedBefore(name: string): number | undefined {
    return this.#inForce?.servedBefore(name);
  }

  /** Everything but what runs is durable. */
  becomeQuiet(): void {
    this.#state = 'quiet';
    this.#ports.steps.wait();
    this.#settled.resolve(this);
  }

  /** A stop comes. */
  stop(): void {
    this.#state = 'over';
    this.#settled.resolve(undefined);
  }

  lose(error: Error): void {
    this.#state = 'over';
    this.#settled.reject(error);
  }

  /** The names that run here. */
  get running(): ReadonlySet<string> {
    const { tasks, moves } = this.#ports;
    const names = new Set<string>();
    for (let task = 0; task < tasks.count; task++) if (moves.isCalled(task)) names.add(tasks.nameOf(task));
    return names;
  }

  hasRun(name: string): boolean {
    const task = this.#ports.tasks.find(name);
    return task >= 0 && this.#ports.moves.isCalled(task);
  }

  abort(name: string, reason: unknown): void {
    if (this.hasRun(name)) this.#ports.caller.abort(this.#ports.tasks.find(name), reason);
  }

  /** The plan of the next list is about to be written. */
  beforePlan(undo: Undo): void {
    this.#undo = undo;
  }

  /** The list stays. */
  goOn(): void {
    this.#state = 'over';
    if (this.#undo !== undefined) this.#ports.outbox.undo(this.#undo);
    this.#ports.steps.goOn();
  }

  /** Another engine has the list now, and `inForce` hears of each run that has ended here. `served` is kept from list to list. */
  retire(heir: HandoverPorts, served: Served, inForce: ListInForce): void {
    const { tasks, steps, moves, dues } = this.#ports;
    // After a stop everything that is left is written.
    if (this.#state !== 'over') this.#state = 'retired';
    this.#inForce = inForce;
    for (let task = 0; task < tasks.count; task++) {
      const name = tasks.nameOf(task);
      // What has ended since the next list was planned is busy there until it is released.
      if (moves.isRunning(task) || this.#unreleased.has(name)) served.set(name, tasks.cursorOf(task));
    }
    for (let task = 0; task < heir.tasks.count; task++) {
      const upTo = heir.tasks.isBusy(task) ? served.get(heir.tasks.nameOf(task)) : undefined;
      if (upTo !== undefined) heir.tasks.serve(task, upTo);
    }
    steps.giveTo(heir.steps);
    heir.dues.inherit(dues);
    for (const name of this.#ended) this.#release(name);
  }

  /** A run has ended. */
  runOver(task: number): void {
    const { tasks } = this.#ports;
    this.#unreleased.add(tasks.nameOf(task));
    this.#inForce?.ended(tasks.nameOf(task), tasks.cursorOf(task));
  }

  /** The end of a run is durable. */
  ended(name: string): void {
    if (this.#state === 'held') this.#unreleased.delete(name);
    else if (this.#inForce === undefined) this.#ended.add(name);
    else this.#release(name);
  }

  #release(name: string): void {
    const { tasks } = this.#ports;
    this.#unreleased.delete(name);
    this.#inForce?.released(name, tasks.stateOf(tasks.find(name)));
  }
}
