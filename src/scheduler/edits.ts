/**
 * Another list while the scheduler runs (I5), without a stop: an edit of its tasks, one at a time.
 *
 *     none ──asked: compared with the table, in slices──▶ compared ──the writer is free: planned──▶ on its way ──durable──▶ in force
 *       ▲                                                  ▲   │                                     │  │
 *       │                                                  └───┼──── stale: planned again (K5) ──────┘  │
 *       └───── refused, or the store is lost ──────────────────┘◀──── read back: it is not stored ──────┘
 *
 * The plan is made when the writer is free, and goes at once: so from the plan to its durability nothing else is written, no name starts, and what
 * ends waits. That is no longer than one commit, and whatever it does in memory is counted (`Outbox.waiting`). Everything else goes on: callbacks,
 * limits, what comes due. Comparing a long list is the long part, and nothing waits for that.
 *
 * Why an edit that is durable cannot fail any more: all memory that it needs is taken when it is compared. Why one that fails leaves the old list as
 * it was: nothing finds what was taken for it, and the store was read before it is called failed (`writer.ts`, E9).
 *
 * A name that goes while its run does is *leaving*: nothing starts it, and it counts as had. Its record goes with the batch behind the end of the run,
 * before any later edit is planned.
 */
import type { ConfigureChange } from '../core/changes.ts';
import { Planner } from '../core/plan.ts';
import { namesOf } from '../core/registration.ts';
import { addTask, type ExecutorState, TIMER } from '../executor/state.ts';
import type { Batch, CommitResult } from '../store/port.ts';
import { type Edit, EditEffects, type EditsPorts, type OpenEdit } from './edit-effects.ts';
import type { EngineOptions } from './engine-options.ts';
import { blame } from './planned-write.ts';
import type { PlanResult } from './read-back.ts';
import { checkRemovals } from './removals-guard.ts';
import { readStored, yieldToEventLoop } from './slow-store.ts';

export class Edits {
  readonly #options: EngineOptions;
  readonly #ports: EditsPorts;
  readonly #executor: ExecutorState;
  readonly #effects: EditEffects;
  #open: OpenEdit | undefined;

  constructor(options: EngineOptions, ports: EditsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#executor = options.executor;
    this.#effects = new EditEffects(options, ports);
  }

  /** Whether something waits for the store, or to be planned. */
  get isIdle(): boolean {
    return this.#open === undefined;
  }

  /** Resolves when the edit is in force. If it rejects, nothing has changed. */
  async make(edit: Edit): Promise<void> {
    const { session, tasks } = this.#options;
    for (;;) {
      const planner = new Planner(tasks, edit);
      planner.isShared = session.sharing !== undefined;
      planner.follows = edit.follows === true;
      const over = Promise.withResolvers<'in force' | 'stale'>();
      const open: OpenEdit = { edit, planner, over };
      try {
        await this.#compare(planner);
        this.#ports.mustBeOpen();
        this.#open = open;
        this.#ports.turns.plan();
        if ((await over.promise) === 'in force') return;
      } catch (error) {
        planner.drop();
        throw error;
      }
      planner.drop();
    }
  }

  async #compare(planner: Planner): Promise<void> {
    const { clock, session, tasks, agenda, trace, sizes } = this.#options;
    const steps = planner.compare();
    while (!steps.next().done) await yieldToEventLoop(clock);
    const store = { location: this.#options.location };
    if (planner.isShared) await readStored(session, { clock, sizes, trace, store }, planner);
    while (this.#executor.size < tasks.count) addTask(this.#executor, TIMER);
    agenda.fit(tasks.count);
  }

  /** The plan of what is open, if there is something; the writer is free, and sends it. */
  take(): Batch | undefined {
    const open = this.#open;
    if (open === undefined || open.planned !== undefined || this.#ports.outbox.hasRemoves) return undefined;
    try {
      const batch = this.#plan(open);
      if (!this.#isEmpty(batch)) return batch;
    } catch (error) {
      this.failed(error);
      return undefined;
    }
    this.#inForce(open, { refused: [] });
    return undefined;
  }

  #isEmpty(batch: Batch): boolean {
    const isEmpty = Object.values(batch).every((part: { readonly length: number }) => part.length === 0);
    return isEmpty && this.#options.session.sharing === undefined;
  }

  #plan(open: OpenEdit): Batch {
    const { tasks } = this.#options;
    const { outbox, moves, steps } = this.#ports;
    const { planner, edit } = open;
    const now = steps.readClock();
    steps.editBegins();
    const isOut = (task: number): boolean => moves.isOut(task);
    const { waiting, ending } = outbox.waiting();
    const planned = planner.plan(now, edit.zone, { isOut, waiting, ending }).next();
    if (planned.done !== true) throw new Error('a table that lives is planned at once');
    const plan = planned.value;
    if (edit.isGuarded) checkRemovals(plan);
    // Another list has come since this one was read to be followed: the instance reads again, and stays with the list of before till then (K5).
    if (edit.follows && plan.overridden.length > 0) throw new Error('yet another list came');
    const { removes, puts, configures, moves: moved } = plan;
    // For the readers of the store (B2).
    const timeZone = edit.zone.name === this.#options.agenda.zone.name ? {} : { timeZone: edit.zone.name };
    const batch = edit.follows ? { puts } : { ...timeZone, removes, puts, configures, moves: moved };
    const ran = new Set(ending);
    for (let task = 0; this.#executor.runningCount > 0 && task < tasks.count; task++)
      if (isOut(task)) ran.add(task);
    open.planned = { plan, batch, ran };
    return batch;
  }

  /** Sends the plan; `undefined` if the batch is another one. */
  send(batch: Batch): Promise<CommitResult | 'stale'> | undefined {
    const { edit, planned } = this.#open ?? {};
    if (edit === undefined || planned?.batch !== batch) return undefined;
    const { session } = this.#options;
    if (session.sharing === undefined) return session.commit(batch);
    return session.sharing.initialize(batch, Array.from(namesOf(edit.registrations)));
  }

  /** The store has answered. Returns what is left of the plan: another program has changed a record, and the configuration is decided by that. */
  answered(batch: Batch, result: PlanResult | 'stale'): Batch | undefined {
    const open = this.#open;
    if (open?.planned === undefined || open.planned.batch !== batch) return undefined;
    if (result === 'stale') {
      this.#open = undefined;
      this.#ports.steps.editEnds('dropped');
      open.over.resolve('stale');
      return undefined;
    }
    const configures = configuredAgain(batch, result);
    if (configures.length === 0) {
      this.#inForce(open, result);
      return undefined;
    }
    open.planned = { ...open.planned, batch: { configures } };
    return open.planned.batch;
  }

  /** Whether a batch is a plan. */
  has(batch: Batch): boolean {
    return this.#open?.planned?.batch === batch;
  }

  /** It is not stored, or never will be known to be. */
  failed(error: unknown): void {
    const open = this.#open;
    this.#open = undefined;
    this.#ports.steps.editEnds('dropped');
    open?.over.reject(open.planned === undefined ? error : blame(open.planned.batch, error));
  }

  #inForce(open: OpenEdit, result: PlanResult): void {
    this.#open = undefined;
    this.#effects.inForce(open, result);
  }

  /** A batch is durable that has forgotten these names. Others may be forgotten next. */
  durable(removes: readonly string[]): void {
    this.#effects.removed(removes);
    this.#effects.forgetLeft();
  }
}

function configuredAgain({ configures = [] }: Batch, { refused }: CommitResult): readonly ConfigureChange[] {
  const versions = new Map(refused.map(({ change, name, record }) => [`${change} ${name}`, record?.version]));
  return configures.flatMap((change) => {
    const version = versions.get(`configure ${change.name}`);
    return version === undefined ? [] : [{ ...change, version }];
  });
}
