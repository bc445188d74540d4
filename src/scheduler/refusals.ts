/**
 * What a refusal of the store means for a task that is idle here (K2): somebody else has written its record, so the task goes on by that record, which
 * the answer has brought. A change that is refused is never sent again as it was.
 */
import type { TaskRecord } from '../core/record.ts';
import { readable } from '../core/stored.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Refused, StoreReport } from './store-report.ts';

/** The engine, as far as its refusals need it. */
export interface RefusalsPorts {
  readonly moves: CursorMoves;
  readonly dues: Dues;
  readonly report: StoreReport;
}

export class Refusals {
  readonly #options: EngineOptions;
  readonly #ports: RefusalsPorts;

  constructor(options: EngineOptions, ports: RefusalsPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /**
   * Another program has deleted these records. Their tasks stop until the next initialize (E7). Where several instances share the store, any of
   * them may put a record again (K5): the store refuses each claim until then.
   */
  recordsGone(names: ReadonlySet<string>, now: number): void {
    const { report, dues } = this.#ports;
    report.recordsGone(names, now);
    if (dues.cluster !== undefined) return;
    for (const name of names) {
      const task = this.#placeOf(name);
      if (task !== undefined) this.#options.tasks.recordGone(task);
    }
  }

  /** What was refused beside starts. */
  goOn(refused: Refused): void {
    const { moves } = this.#ports;
    for (const [name, record] of refused.records) {
      const task = this.#placeOf(name);
      if (task === undefined || refused.start.has(name) || moves.isOut(task)) continue;
      this.goOnBy(task, record);
      if (refused.move.has(name)) moves.refused(task, record);
    }
  }

  /** The record of an idle task is this by now. One that makes no sense is left to the next initialize (E7). */
  goOnBy(task: number, stored: TaskRecord | undefined): void {
    const { tasks } = this.#options;
    const { dues } = this.#ports;
    const record = readable(stored);
    if (record === undefined) return;
    if (dues.cluster !== undefined) dues.cluster.refused(task, record);
    else if (record.version !== tasks.versionOf(task)) {
      tasks.follow(task, record);
      dues.lookAgain(task);
    }
  }

  #placeOf(name: string): number | undefined {
    const task = this.#options.tasks.find(name);
    return task < 0 ? undefined : task;
  }
}
