/** What is wrong with the rows of a store, and what will be done about each. Only decides; nothing is changed. */
import type { TaskRecord } from '../../core/record.ts';
import type { RowChanges, StoredRow } from './held-store.ts';
import { type Means, type Mend, mendRecord } from './mend.ts';
import type { Problem } from './problem.ts';

export interface Diagnosis {
  readonly healthy: number;
  readonly mends: readonly Mend[];
  readonly removed: readonly Problem[];
  readonly changes: RowChanges;
}

export function diagnose(rows: readonly StoredRow[], means: Means): Diagnosis {
  const names = new Set(rows.map(({ storedName }) => storedName));
  const mends: Mend[] = [];
  const removed: Problem[] = [];
  const removes: number[] = [];
  const puts: Array<{ id: number; record: TaskRecord }> = [];
  for (const { id, storedName, value } of rows) {
    const verdict = mendRecord(value, means);
    if (verdict.kind === 'hopeless') {
      removed.push(verdict.problem);
      removes.push(id);
      continue;
    }
    const { record } = verdict;
    const spelling = JSON.stringify(record.name);
    const misspelt = storedName === spelling ? undefined : misspeltName(record.name);
    if (misspelt !== undefined && names.has(spelling)) {
      removed.push({ ...misspelt, reason: `${misspelt.reason}, and there is another record of that name` });
      removes.push(id);
      continue;
    }
    if (verdict.kind === 'healthy' && misspelt === undefined) continue;
    names.add(spelling);
    if (misspelt !== undefined) mends.push({ ...misspelt, instead: 'is written as it should be' });
    if (verdict.kind === 'mended') mends.push(...verdict.mends);
    puts.push({ id, record });
  }
  return { healthy: rows.length - removes.length - puts.length, mends, removed, changes: { removes, puts } };
}

/** A store finds its records by the JSON text of their name; a record under another text is read but never written. */
const misspeltName = (task: string): Problem => ({
  task,
  field: 'name',
  reason: 'it is not stored as a JSON text, so that no change could find it',
});
