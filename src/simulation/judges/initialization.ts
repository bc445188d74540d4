/**
 * One call of `initialize`, as the rules want it: what it must write, and what its tasks begin with.
 *
 *     called ──batch──▶ planned ──InitSuccess──▶ begun
 *
 * The instant of the plan is the scheduler's own reading of its clock. The model knows all readings, not which one the scheduler
 * planned by: it takes the one that explains the batch.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch } from '../../store/port.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { applyBatch } from './batches.ts';
import { type ExpectedPlan, planOf } from './plan.ts';
import { recordsText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Initialization {
  readonly timeZone: string;
  readonly #tasks: readonly TaskPlan[];
  readonly #stored: ReadonlyMap<string, TaskRecord>;
  readonly #knownNow: (() => ReadonlyMap<string, TaskRecord>) | undefined;
  readonly #blame: Blame;
  readonly #readings: number[] = [];
  #plan: ExpectedPlan | undefined;

  /**
   * `knownNow` gives what is stored at the time of the plan, together with what a failed stop left behind; it is undefined if nobody knows
   * that, and then the plan is what is written.
   */
  constructor(
    tasks: readonly TaskPlan[],
    timeZone: string,
    stored: ReadonlyMap<string, TaskRecord>,
    knownNow: (() => ReadonlyMap<string, TaskRecord>) | undefined,
    blame: Blame,
  ) {
    this.#tasks = tasks;
    this.timeZone = timeZone;
    this.#stored = stored;
    this.#knownNow = knownNow;
    this.#blame = blame;
  }

  /** What it must do; undefined as long as it has written nothing. */
  get plan(): ExpectedPlan | undefined {
    return this.#plan;
  }

  clockRead(now: number): void {
    if (this.#readings.at(-1) !== now) this.#readings.push(now);
  }

  /** There is one batch, and it is the plan. */
  batchSent(batch: Batch): void {
    if (this.#plan === undefined) this.#plan = this.#choosePlan(batch);
    else this.#blame('E5', 'initialize has written more than its plan');
  }

  /** It has succeeded, and says by which reading it was planned (D6): the tasks as they begin. */
  succeeded(plannedAt: number): Iterable<TaskRecord> {
    const plan = this.#plan ?? this.#choosePlan({});
    this.#plan = plan;
    for (const { name, firstSeenAt } of plan.records.values())
      if (plan.fresh.has(name) && firstSeenAt !== plannedAt)
        this.#blame('D6', `${name} came at ${firstSeenAt}, and the plan is said to be of ${plannedAt}`);
    return plan.records.values();
  }

  /** The plan by which the batch leaves what it does. How it says so is its own matter. */
  #choosePlan(batch: Batch): ExpectedPlan {
    const left = new Map(this.#stored);
    applyBatch(left, batch);
    if (this.#knownNow === undefined) return this.#asWritten(left, batch);
    const text = recordsText(left.values());
    const known = this.#knownNow();
    const plans = this.#readings.map((now) => planOf(known, this.#tasks, this.timeZone, now));
    const plan = plans.findLast((each) => recordsText(each.records.values()) === text);
    if (plan !== undefined) {
      this.#mustHaveFound(batch, plan, known);
      return plan;
    }
    const [expected] = plans;
    if (expected === undefined) throw new Error('an initialization that never looked at the clock');
    const wanted = recordsText(expected.records.values());
    this.#blame('E4', `initialize left\n${text}\nbut should have left\n${wanted}`);
    return expected;
  }

  #asWritten(records: ReadonlyMap<string, TaskRecord>, { puts = [] }: Batch): ExpectedPlan {
    const fresh = new Set(Array.from(puts, ({ name }) => name));
    const removed = [...this.#stored.keys()].filter((name) => !records.has(name));
    const isOverridden = ({ name, cron, retryDelayMs, policy }: TaskRecord): boolean => {
      const before = this.#stored.get(name);
      const isSame =
        before?.cron === cron && before.retryDelayMs === retryDelayMs && before.policy === policy;
      return before !== undefined && !isSame;
    };
    const overridden = [...records.values()].filter(isOverridden).map(({ name }) => name);
    return { records, fresh, removed, overridden };
  }

  /**
   * J1: the unfinished run of a name that is removed or begins again leaves its row. That of any other shows in its record. If a failed stop has
   * left its end behind, the row is of that end (D7); a start that was taken back leaves none.
   */
  #mustHaveFound(
    { cutOffs = [], ends = [], unstarts = [] }: Batch,
    { removed, fresh }: ExpectedPlan,
    known: ReadonlyMap<string, TaskRecord>,
  ): void {
    for (const name of [...removed, ...fresh]) {
      const stored = this.#stored.get(name);
      if (stored?.run?.cutOffAt !== null) continue;
      const { run } = stored;
      const { run: left, lastAttemptAt } = known.get(name) ?? stored;
      const isOver = left?.runId !== run.runId;
      const isCalled = isOver && lastAttemptAt !== stored.lastAttemptAt;
      const rows = isCalled ? [...ends] : isOver ? [...ends, ...unstarts] : cutOffs;
      if (!rows.some((row) => row.name === name && row.runId === run.runId))
        this.#blame('J1', `${name} was removed, and its run ${run.runId} is not in the history`);
    }
  }
}
