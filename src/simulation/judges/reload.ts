/**
 * What a reload must leave in the store (I5), predicted from the two lists and from what was stored before: the same as an initialization (E4),
 * but for tasks that run. Those keep everything but their configuration, and stay stored also if the new list lacks them.
 *
 * Which tasks run for the plan is decided when nothing but runs is left to be written. The model knows that a task runs which the store
 * shows as running when the plan is sent. If a run has ended since the list was handed over, the plan may still count it.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch } from '../../store/port.ts';
import type { TracedRegistration } from '../../trace/record.ts';
import { applyBatch, type Records } from './batches.ts';
import { planOf } from './plan.ts';
import { policyText } from './policies.ts';
import { recordsText, recordText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Reload {
  readonly #list: readonly TracedRegistration[];
  readonly #timeZone: string;
  readonly #stored: Records;
  readonly #blame: Blame;
  readonly #readings: number[] = [];
  /** The names that have run since the list was handed over. */
  readonly #ran: Set<string>;

  constructor(list: readonly TracedRegistration[], timeZone: string, stored: Records, blame: Blame) {
    this.#list = list;
    this.#timeZone = timeZone;
    this.#stored = stored;
    this.#blame = blame;
    this.#ran = new Set(
      Array.from(stored.values())
        .filter(isRunning)
        .map(({ name }) => name),
    );
  }

  clockRead(now: number): void {
    if (this.#readings.at(-1) !== now) this.#readings.push(now);
  }

  durable({ starts = [] }: Batch): void {
    for (const { name } of starts) this.#ran.add(name);
  }

  /** The plan is sent. */
  planned(batch: Batch): void {
    const left = this.#stored.copy();
    // A run may have ended since the plan was made. Then its configuration is sent again, by the version of then.
    const refused = new Set(applyBatch(left, batch).map(({ change, name }) => `${change} ${name}`));
    const again = (batch.configures ?? [])
      .filter(({ name }) => refused.has(`configure ${name}`))
      .map((change) => ({ ...change, version: left.get(change.name)?.version ?? 0 }));
    applyBatch(left, { configures: again });
    if (this.#readings.some((now) => this.#isLeftBy(left, now))) return;
    const wanted = planOf(this.#stored, this.#list, this.#timeZone, this.#readings[0] ?? 0);
    this.#blame(
      'I5',
      `another list left\n${recordsText(left.values())}\nbut should have left, where nothing runs,\n${recordsText(wanted.records.values())}`,
    );
  }

  #isLeftBy(left: ReadonlyMap<string, TaskRecord>, now: number): boolean {
    const { records } = planOf(this.#stored, this.#list, this.#timeZone, now);
    const names = new Set([...this.#stored.keys(), ...records.keys(), ...left.keys()]);
    return Array.from(names).every((name) => {
      const found = textOf(left.get(name));
      const before = this.#stored.get(name);
      const isBusy = before !== undefined && isRunning(before);
      if (!isBusy && found === textOf(records.get(name))) return true;
      return this.#ran.has(name) && before !== undefined && found === textOf(this.#configured(before));
    });
  }

  /** A task that runs, under the list. */
  #configured(record: TaskRecord): TaskRecord {
    const listed = this.#list.find(({ name }) => name === record.name);
    if (listed === undefined) return record;
    const { cron, retryDelayMs, policy } = listed;
    return { ...record, cron, retryDelayMs, policy: policyText(policy) };
  }
}

const isRunning = ({ run }: TaskRecord): boolean => run !== null && run.cutOffAt === null;

const textOf = (record: TaskRecord | undefined): string | undefined => record && recordText(record);
