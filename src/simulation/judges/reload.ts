/**
 * What the plan of another list must leave in the store (I5), predicted from the list and from what was stored before: the same as an initialization
 * (E4), but that nothing of a task is touched which the list leaves as it is, and that a task whose run has not ended keeps its record. A run has ended
 * when its end is stored: from the plan of a list on, ends wait.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch } from '../../store/port.ts';
import type { TracedRegistration } from '../../trace/record.ts';
import { applyBatch, type Records } from './batches.ts';
import { planOf } from './plan.ts';
import { policyText } from './policies.ts';
import { recordsText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Reload {
  readonly #list: readonly TracedRegistration[];
  readonly #timeZone: string;
  readonly #stored: Records;
  readonly #blame: Blame;
  readonly #readings: number[] = [];

  constructor(list: readonly TracedRegistration[], timeZone: string, stored: Records, blame: Blame) {
    this.#list = list;
    this.#timeZone = timeZone;
    this.#stored = stored;
    this.#blame = blame;
  }

  clockRead(now: number): void {
    if (this.#readings.at(-1) !== now) this.#readings.push(now);
  }

  /** The plan is sent. */
  planned(batch: Batch): void {
    const left = this.#stored.copy();
    const refused = applyBatch(left, batch);
    for (const { change, name } of refused)
      this.#blame('K2', `the plan of a list was refused: ${change} ${name}`);
    const text = recordsText(left.values());
    const wanted = this.#readings.map((now) => recordsText(this.#wanted(now)));
    if (!wanted.includes(text))
      this.#blame('I5', `another list left\n${text}\nbut should have left\n${wanted[0]}`);
  }

  #wanted(now: number): readonly TaskRecord[] {
    const first = planOf(new Map(), this.#list, this.#timeZone, now).records;
    const names = new Set(this.#list.map(({ name }) => name));
    const leaving = [...this.#stored.values()].filter(
      (record) => !names.has(record.name) && isRunning(record),
    );
    const listed = this.#list.flatMap((registration) => {
      const { name, cron, retryDelayMs } = registration;
      const policy = policyText(registration.policy);
      const before = this.#stored.get(name);
      const fresh = first.get(name) ?? [];
      if (before === undefined) return fresh;
      const isSame = before.cron === cron && before.retryDelayMs === retryDelayMs && before.policy === policy;
      const isReset = !isSame && registration.policy?.onOverride === 'reset' && !isRunning(before);
      if (isReset && !Array.isArray(fresh)) return { ...fresh, pausedAt: before.pausedAt };
      return { ...before, cron, retryDelayMs, policy };
    });
    return [...leaving, ...listed];
  }
}

const isRunning = ({ run }: TaskRecord): boolean => run !== null && run.cutOffAt === null;
