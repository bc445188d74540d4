/** What is wrong with the rows of a store, and what to do about each. It only decides; nothing is changed here. */
import type { TaskRecord } from '../../core/record.ts';
import type { RecordProblem } from '../record-problem.ts';
import type { Diagnosis, RecordRepair } from './port.ts';
import { type Means, repairRecord } from './repair-record.ts';

/** A row as it is stored. */
export interface StoredRow {
  readonly id: number;
  /** The name as it is stored: a JSON text, if all is well. */
  readonly storedName: unknown;
  /** In the shape of a record, but not checked. */
  readonly value: unknown;
}

/** What to write. Rows are known by their number, because a damaged row may have no name by which to find it. */
export interface RowChanges {
  readonly removes: readonly number[];
  readonly puts: ReadonlyArray<{ readonly id: number; readonly record: TaskRecord }>;
}

export function diagnoseRows(
  rows: readonly StoredRow[],
  means: Means,
): Omit<Diagnosis, 'journal' | 'indexes'> & { readonly changes: RowChanges } {
  const names = new Set(rows.map(({ storedName }) => storedName));
  const repairs: RecordRepair[] = [];
  const removals: RecordProblem[] = [];
  const removes: number[] = [];
  const puts: Array<{ id: number; record: TaskRecord }> = [];
  for (const { id, storedName, value } of rows) {
    const verdict = repairRecord(value, means);
    if (verdict.kind === 'hopeless') {
      removals.push(verdict.problem);
      removes.push(id);
      continue;
    }
    const { record } = verdict;
    const spelling = JSON.stringify(record.name);
    const misspelt = storedName === spelling ? undefined : misspeltName(record.name);
    if (misspelt !== undefined && names.has(spelling)) {
      removals.push({ ...misspelt, reason: `${misspelt.reason}, and there is another record of that name` });
      removes.push(id);
      continue;
    }
    if (verdict.kind === 'healthy' && misspelt === undefined) continue;
    names.add(spelling);
    if (misspelt !== undefined) repairs.push({ ...misspelt, instead: 'is written as it should be' });
    if (verdict.kind === 'repaired') repairs.push(...verdict.repairs);
    puts.push({ id, record });
  }
  const healthy = rows.length - removes.length - puts.length;
  return { healthy, repairs, removals, changes: { removes, puts } };
}

/** A store finds its records by the JSON text of their name; a record under another text is read but never written. */
const misspeltName = (task: string): RecordProblem => ({
  task,
  field: 'name',
  reason: 'it is not stored as a JSON text, so that no change could find it',
});
