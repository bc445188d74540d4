/**
 * Applies a durable edit to a living scheduler (I5): to the table, the agenda, the requests and the outbox. Nothing here can fail. Also forgets each name
 * that no list has, once its run is over and the end is durable.
 */
import type { Applied, EditedList, Plan, Planner } from '../core/plan.ts';
import { namesOf } from '../core/registration.ts';
import type { Batch } from '../store/port.ts';
import type { Zone } from '../time/zone.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Operator } from './operator.ts';
import type { Outbox } from './outbox.ts';
import type { PlanResult } from './read-back.ts';
import type { Turns } from './turns.ts';

/** An edit that is asked for. */
export interface Edit extends EditedList {
  readonly zone: Zone;
  /** Whether a list that forgets most of what is stored is refused (I6). */
  readonly isGuarded: boolean;
  /** Given if configurations of other instances are followed: only names that are not there are written (K5). */
  readonly follows?: true;
  /** Called when the edit is in force, before anything starts by it. */
  inForce(edited: Edited): void;
}

/** An edit that is in force. */
export interface Edited extends Pick<Plan, 'plannedAt' | 'came'> {
  readonly at: number;
  readonly changes: {
    readonly added: readonly string[];
    readonly overridden: readonly string[];
    readonly orphaned: readonly string[];
    readonly removed: readonly string[];
  };
  /** The names that ran when it was planned, and whose runs have ended since. */
  readonly ranAtPlan: readonly string[];
  /** The store's answer for a list that several instances share (K5). */
  readonly forgotten: readonly string[] | undefined;
  readonly added: readonly string[] | undefined;
  readonly epoch: number | undefined;
}

/** The engine, as far as its edits need it. */
export interface EditsPorts {
  readonly outbox: Outbox;
  readonly moves: CursorMoves;
  readonly steps: ClockSteps;
  readonly dues: Dues;
  readonly turns: Turns;
  operator(): Operator | undefined;
  /** Throws if nothing is written any more. */
  mustBeOpen(): void;
}

/** An edit that is compared, and waits for the writer or the store. */
export interface OpenEdit {
  readonly edit: Edit;
  readonly planner: Planner;
  readonly over: PromiseWithResolvers<'in force' | 'stale'>;
  planned?: { readonly plan: Plan; readonly batch: Batch; readonly ran: ReadonlySet<number> };
}

export class EditEffects {
  readonly #options: EngineOptions;
  readonly #ports: EditsPorts;

  constructor(options: EngineOptions, ports: EditsPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** The plan is durable. */
  inForce(open: OpenEdit, result: PlanResult): void {
    const { tasks, executor } = this.#options;
    const { moves, steps, dues } = this.#ports;
    const { planner, edit, planned, over } = open;
    if (planned === undefined) return;
    const { plan, ran } = planned;
    const at = steps.readClock();
    const names = new Map(Array.from(ran, (task) => [task, tasks.nameOf(task)]));
    const isOut = (task: number): boolean => moves.isOut(task);
    const applied = planner.apply(plan, edit.zone, isOut);
    const fresh = plan.fresh.map((place) => planner.numberAt(place));
    for (const task of fresh) {
      const version = result.versions?.get(tasks.nameOf(task)) ?? result.firstVersion;
      tasks.begin([task], version ?? Number.NaN);
    }
    this.#hand(applied, edit.zone, at);
    const ranAtPlan = Array.from(names).flatMap(([task, name]) => (isOut(task) ? [] : [name]));
    edit.inForce({ at, ranAtPlan, ...this.#editedBy(open, plan, fresh, result) });
    over.resolve('in force');
    // A clock that was set back is judged by the list that comes (B5), and was not while no list had the name.
    for (const [task, delayMs] of applied.judged) moves.afterStep(task, plan.plannedAt, delayMs);
    steps.editEnds('in force');
    this.forgetLeft();
    if (!executor.stopped) dues.edited(applied.changed, at);
  }

  /** Hands what has changed to those who know tasks by their numbers. */
  #hand({ changed, freed, left }: Applied, zone: Zone, at: number): void {
    const { tasks, agenda, session } = this.#options;
    const { outbox, dues } = this.#ports;
    for (const task of [...freed, ...left]) {
      agenda.drop(task);
      this.#ports.operator()?.forget(task, at);
    }
    for (const task of freed) outbox.forget(task);
    if (zone !== agenda.zone) agenda.moveTo(zone, (task) => tasks.registrationOf(task), at);
    for (const task of changed) agenda.set(task, tasks.registrationOf(task), at);
    const named = new Map(changed.map((task) => [task, tasks.nameOf(task)]));
    void session.enroll?.(namesOf(tasks.registrations), named);
    dues.cluster?.edited(changed, freed);
  }

  #editedBy(
    { edit, planner }: OpenEdit,
    plan: Plan,
    fresh: readonly number[],
    { held, epoch }: PlanResult,
  ): Omit<Edited, 'at' | 'ranAtPlan'> {
    const { tasks } = this.#options;
    const { plannedAt, came, overridden, orphaned, removes: removed } = plan;
    const added = fresh.map((task) => tasks.nameOf(task));
    return {
      plannedAt,
      came,
      epoch,
      forgotten: held && (edit.follows ? [] : removed.filter((name) => !held.includes(name))),
      added: held && planner.newNames(plan),
      changes: { added, overridden, orphaned, removed },
    };
  }

  /** Forgets the names that no list has, and whose runs are over and durable. */
  forgetLeft(): void {
    const { tasks } = this.#options;
    const { outbox, moves, turns } = this.#ports;
    if (tasks.leaving.size === 0 || outbox.hasRemoves) return;
    const { ending } = outbox.waiting();
    // One that a stop has interrupted stays for the next initialize, which finds it or forgets it.
    for (const task of tasks.leaving)
      if (!moves.isOut(task) && !ending.has(task) && tasks.runOf(task) === null)
        outbox.removed(tasks.nameOf(task));
    if (outbox.hasRemoves) turns.plan();
  }

  /** These names are not in the store any more. */
  removed(names: readonly string[]): void {
    const { tasks } = this.#options;
    if (names.length === 0) return;
    const gone = new Set(names);
    for (const task of tasks.leaving) {
      if (!gone.has(tasks.nameOf(task))) continue;
      this.#ports.outbox.forget(task);
      tasks.free(task);
    }
  }
}
