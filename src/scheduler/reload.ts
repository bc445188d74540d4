/**
 * Another list while the scheduler runs (I5), without a stop. The store, its lock and the callbacks that run are kept.
 *
 *     running ──hold: nothing starts──▶ quiet: all but what runs is durable ──▶ read, plan, commit ──▶ the new engine begins
 *        ▲                                                                          │
 *        └────────────────────────── the list is refused, or the commit fails ──────┘
 *
 * Why nothing is lost or doubled: in `quiet` the store says all there is to know of every task but those that run, and nobody changes
 * that until the plan, made from it, is durable. A task that runs is *busy* for the new engine: it starts nothing of it. The old engine
 * writes the end when it comes, and then releases the task with the state that the end has left, exactly what is stored. What came due
 * in between lies after its cursor, and the new engine starts it at once (A5). A busy name that the new list lacks is forgotten then; if
 * a later list has it again before that, it is busy there too. A run that ends while the list is planned is released with the plan.
 */
import type { ControlRequest } from '../core/control.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Engine } from './engine.ts';
import type { Emit } from './events.ts';
import type { ReleasedState, Served } from './handover.ts';
import { instanceOf, partsOf, planLife } from './life.ts';
import type { Life, LifeRequest } from './life-request.ts';
import { asScheduleTaskError } from './planned-write.ts';
import type { SettledOptions } from './settled-options.ts';

/** The engines of earlier lists, while something of them runs or has not been released. */
export class Retired implements Elsewhere {
  /** Each with the names of the runs that it has not released. Only this says what is busy: an engine does not hear of others' releases. */
  readonly #unreleased = new Map<Engine, Set<string>>();
  /** Of these names: a list may leave one out, and the next one bring it back. */
  readonly #served: Served = new Map();
  /** What was released while no engine had the list. */
  readonly #waiting: Array<readonly [name: string, state: ReleasedState]> = [];
  #heir: Engine | undefined;
  /** The one whose list is in force, also while the next list is planned. */
  #inForce: Engine | undefined;

  get engines(): readonly Engine[] {
    return [...this.#unreleased.keys()];
  }

  get busy(): readonly string[] {
    return [...this.#unreleased.values()].flatMap((names) => [...names]);
  }

  get running(): number {
    return this.engines.reduce((sum, { running }) => sum + running, 0);
  }

  /** From now on releases wait for the next engine. */
  expect(): void {
    this.#heir = undefined;
  }

  /** The engine to which tasks are released. */
  inherit(engine: Engine): void {
    this.#heir = engine;
    this.#inForce = engine;
    for (const [name, state] of this.#waiting.splice(0)) this.#releaseTo(engine, name, state);
  }

  /** What an engine runs goes on in it, and `heir` has the list. Answers what was taken in and is not answered. */
  add(engine: Engine, running: ReadonlySet<string>, heir: Engine): readonly ControlRequest[] {
    this.#inForce = heir;
    if (running.size > 0) this.#unreleased.set(engine, new Set(running));
    return engine.retire(heir, this.#served, {
      released: (name, state) => this.#released(engine, name, state),
      servedBefore: (name) => this.#inForce?.cursorOfBusy(name),
      ended: (name, servedThrough) => this.#ended(name, servedThrough),
    });
  }

  /** Kept also while no list has the name. */
  #ended(name: string, servedThrough: number): void {
    this.#served.set(name, servedThrough);
    this.#inForce?.servedElsewhere(name, servedThrough);
  }

  #released(from: Engine, name: string, state: ReleasedState): void {
    const names = this.#unreleased.get(from);
    names?.delete(name);
    if (names?.size === 0) this.#unreleased.delete(from);
    if (this.#heir === undefined) this.#waiting.push([name, state]);
    else this.#releaseTo(this.#heir, name, state);
  }

  #releaseTo(heir: Engine, name: string, state: ReleasedState): void {
    this.#served.delete(name);
    heir.release(name, state);
  }

  abort(name: string, reason: unknown): void {
    for (const { handover } of this.engines) handover?.abort(name, reason);
  }

  hasRun(name: string): boolean {
    return this.engines.some(({ handover }) => handover?.hasRun(name));
  }

  /** Answers, whenever it is asked, which of these names have no run of an earlier list any more. */
  endedOf(names: ReadonlySet<string>): () => readonly string[] {
    return () => [...names].filter((name) => !this.hasRun(name));
  }

  clear(): void {
    this.#unreleased.clear();
    this.#served.clear();
    this.#waiting.length = 0;
    this.#heir = undefined;
    this.#inForce = undefined;
  }
}

/** Replaces the list. Answers the new life, which has not begun; `undefined` if a stop came first. If it throws, nothing has changed. */
export async function reloadLife(
  options: SettledOptions,
  emit: Emit,
  before: Life,
  retired: Retired,
  request: Omit<LifeRequest, 'busy' | 'elsewhere'>,
): Promise<Life | undefined> {
  const { engine, session, hearer } = before;
  const handover = await engine.hold();
  if (handover === undefined) return undefined;
  retired.expect();
  const { running } = handover;
  const whole: LifeRequest = {
    ...request,
    busy: new Set([...running, ...retired.busy]),
    elsewhere: retired,
    before,
  };
  try {
    const life = await planLife(options, emit, whole, {
      ...partsOf(whole, instanceOf(whole, options), options.workers),
      session,
      hearer,
    });
    hearer.engine = undefined;
    hearer.asked.unshift(...retired.add(engine, running, life.engine));
    return { ...life, ranAtPlan: retired.endedOf(whole.busy) };
  } catch (error) {
    retired.inherit(engine);
    if (request.isWanted()) engine.goOn();
    return asScheduleTaskError(error);
  }
}
