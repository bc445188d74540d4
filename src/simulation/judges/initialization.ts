/**
 * One call of `initialize`, as the rules want it: what it must write, and what its tasks begin with.
 *
 *     called ──first batch──▶ planned ──a civil minute begins: cursors of new names move──▶ planned ──InitSuccess──▶ begun
 *
 * The instant of the plan is the scheduler's own reading of its clock. The model knows all readings, not which one the scheduler
 * planned by: it takes the one that explains the batch.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch } from '../../store/port.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { applyBatch } from './batches.ts';
import { cursorBefore } from './calendar.ts';
import { type ExpectedPlan, planOf } from './plan.ts';
import { recordsText } from './texts.ts';
import type { Blame } from './violations.ts';

/** A task as it begins. `unwritten` means that its cursor has moved and the store does not know it. */
export interface BegunTask {
  readonly record: TaskRecord;
  readonly cursor: 'written' | 'unwritten';
}

export class Initialization {
  readonly timeZone: string;
  readonly #tasks: readonly TaskPlan[];
  readonly #stored: ReadonlyMap<string, TaskRecord>;
  readonly #knownNow: (() => ReadonlyMap<string, TaskRecord>) | undefined;
  readonly #blame: Blame;
  readonly #readings: number[] = [];
  #plan: ExpectedPlan | undefined;
  /** When the cursors of new names were moved because a minute began meanwhile, and whether that could not be written. */
  #rolledAt: number | undefined;
  #rollOverFailed = false;

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

  storeFailed(): void {
    if (this.#rolledAt !== undefined) this.#rollOverFailed = true;
  }

  /** The first batch is the plan. Every later one moves the cursors of new names, because a civil minute has begun. */
  batchSent(batch: Batch, now: number): void {
    if (this.#plan === undefined) {
      this.#plan = this.#choosePlan(batch);
      return;
    }
    this.#rolledAt = now;
    this.#rollOverFailed = false;
    for (const { name, servedThrough } of batch.moves ?? []) {
      const expected = this.#cursorAt(now, this.#plan.records.get(name));
      if (this.#plan.fresh.has(name) && servedThrough === expected) continue;
      this.#blame('D6', `the cursor of ${name} was moved to ${servedThrough}`);
    }
  }

  /** It has succeeded, at this instant: the tasks as they begin. */
  succeeded(at: number): readonly BegunTask[] {
    const plan = this.#plan ?? this.#choosePlan({});
    this.#plan = plan;
    return Array.from(plan.records, ([name, planned]): BegunTask => {
      const written = this.#rolledAt === undefined ? undefined : this.#cursorAt(this.#rolledAt, planned);
      const rolled = Math.max(this.#cursorAt(at, planned), written ?? -Infinity);
      if (!plan.fresh.has(name) || rolled <= planned.servedThrough)
        return { record: planned, cursor: 'written' };
      if (written === undefined) this.#blame('D6', `the cursor of ${name} was not moved`);
      // A move that failed, or that a still later minute made necessary, is written with the first starts.
      const isUnwritten = this.#rollOverFailed || written !== rolled;
      return {
        record: { ...planned, servedThrough: rolled },
        cursor: isUnwritten ? 'unwritten' : 'written',
      };
    });
  }

  #cursorAt(instant: number, record: TaskRecord | undefined): number {
    return cursorBefore(instant, this.timeZone, record?.policy ?? null);
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
