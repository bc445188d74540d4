/** What is durable, as the model knows it: the records, and a line of the history for each run that is over. */
import { readRecord } from '../../core/stored.ts';
import type { Batch, PastRun, Refusal } from '../../store/port.ts';
import { applyBatch, pastText, Records } from './batches.ts';
import { versionsText } from './texts.ts';
import type { Blame } from './violations.ts';

export class Stored {
  readonly records = new Records();
  readonly #blame: Blame;
  /** The oldest first. */
  readonly #past: string[] = [];

  constructor(blame: Blame) {
    this.#blame = blame;
  }

  /** A batch is durable. Answers what the store must refuse of it. */
  apply(batch: Batch, ungranted: ReadonlySet<string>): readonly Refusal[] {
    return applyBatch(this.records, batch, ungranted, this.#past);
  }

  /** What the store must refuse of a batch that becomes durable now. */
  refusalsOf(batch: Batch, ungranted: ReadonlySet<string>): readonly Refusal[] {
    return applyBatch(this.records.copy(), batch, ungranted);
  }

  /** The disk must hold what the durable batches leave, and the history every run that they ended (J1). */
  inspected(records: readonly unknown[], past: readonly PastRun[]): void {
    const runs = past.map(pastText).reverse().join('\n');
    const wanted = this.#past.join('\n');
    if (runs !== wanted) this.#blame('J1', `the history has\n${runs}\nbut should have\n${wanted}`);
    const found = versionsText(records.map(readRecord));
    const expected = versionsText(this.records.values());
    if (found !== expected) this.#blame('E5', `stored:\n${found}\nexpected:\n${expected}`);
  }
}
