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
import { applyBatch, type Records } from './batches.ts';
import { type ExpectedPlan, planOf } from './plan.ts';
import { recordsText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Initialization {
  readonly timeZone: string;
  readonly #tasks: readonly TaskPlan[];
  readonly #stored: Records;
  readonly #blame: Blame;
  readonly #readings: number[] = [];
  #plan: ExpectedPlan | undefined;

  constructor(tasks: readonly TaskPlan[], timeZone: string, stored: Records, blame: Blame) {
    this.#tasks = tasks;
    this.timeZone = timeZone;
    this.#stored = stored;
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
    const left = this.#stored.copy();
    applyBatch(left, batch);
    const text = recordsText(left.values());
    const plans = this.#readings.map((now) => planOf(this.#stored, this.#tasks, this.timeZone, now));
    const plan = plans.findLast((each) => recordsText(each.records.values()) === text);
    if (plan !== undefined) {
      this.#mustHaveFound(batch, plan);
      return plan;
    }
    const [expected] = plans;
    if (expected === undefined) throw new Error('an initialization that never looked at the clock');
    const wanted = recordsText(expected.records.values());
    this.#blame('E4', `initialize left\n${text}\nbut should have left\n${wanted}`);
    return expected;
  }

  /** J1: the unfinished run of a name that is removed or begins again leaves its row. That of any other shows in its record. */
  #mustHaveFound({ cutOffs = [] }: Batch, { removed, fresh }: ExpectedPlan): void {
    for (const name of [...removed, ...fresh]) {
      const { run } = this.#stored.get(name) ?? {};
      if (run?.cutOffAt !== null) continue;
      if (!cutOffs.some((row) => row.name === name && row.runId === run.runId))
        this.#blame('J1', `${name} was removed, and its run ${run.runId} is not in the history`);
    }
  }
}
