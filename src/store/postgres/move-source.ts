/** What a store has that is moved (`move.ts`). */
import type { PastRun } from '../../core/history.ts';
import type { TaskRecord } from '../../core/record.ts';
import { readRecord } from '../../core/stored.ts';
import { cutOffBy } from '../overlay.ts';
import type { Store } from '../port.ts';

/** What the source has. The history is walked anew each time, so that it need not fit into memory. */
export interface Content {
  readonly records: readonly TaskRecord[];
  readonly runs: number;
  readonly cutOff: readonly PastRun[];
  /** The newest first. */
  history(): AsyncGenerator<PastRun>;
}

export async function contentOf(from: Store, stored: readonly unknown[]): Promise<Content> {
  const at = Date.now();
  const cutOff: PastRun[] = [];
  const records = stored.map((value) => {
    const record = readRecord(value);
    return record.run === null
      ? record
      : cutOffBy(record, { name: record.name, runId: record.run.runId, at }, cutOff);
  });
  async function* history(): AsyncGenerator<PastRun> {
    yield* cutOff;
    if (from.history !== undefined) yield* from.history({});
  }
  let runs = 0;
  for await (const _ of history()) runs++;
  return { records, runs, cutOff, history };
}
