/** A look into a store from anywhere: another process, whether its scheduler runs or not. */
import type { TaskRecord } from '../core/record.ts';
import { readRecord } from '../core/stored.ts';
import { StoreFailedError } from './errors.ts';
import type { Store, StoreSnapshot } from './port.ts';
import { problemOf, type RecordProblem } from './record-problem.ts';
import { sqlite } from './sqlite.ts';

/** A record that makes no sense: what is wrong with it, how it is stored, and the error that a scheduler would report. */
export interface DamagedRecord extends RecordProblem {
  readonly value: unknown;
  readonly error: unknown;
}

/** What `inspect` found in a store. */
export interface Inspection {
  readonly location: string;
  /** The version of the store's format; 0 for a file that no scheduler has initialized yet. */
  readonly version: number;
  /** The newest version that this release of the library knows; absent if the store does not say. */
  readonly newestVersion?: number;
  /** Whether a scheduler owns the store right now. */
  readonly owner: StoreSnapshot['owner'];
  readonly records: readonly TaskRecord[];
  /** Records on which a scheduler would refuse to start. */
  readonly damaged: readonly DamagedRecord[];
}

/** Reads everything in a store, given as such or by the path of its file, without owning or disturbing it. */
export async function inspect(target: string | URL | Store): Promise<Inspection> {
  const store = typeof target === 'string' || target instanceof URL ? sqlite(target) : target;
  if (store.inspect === undefined)
    throw new StoreFailedError({ path: store.location, reason: 'it cannot be inspected' });
  const { records: values, ...snapshot } = await store.inspect();
  const records: TaskRecord[] = [];
  const damaged: DamagedRecord[] = [];
  for (const value of values) {
    try {
      records.push(readRecord(value));
    } catch (error) {
      damaged.push({ ...problemOf(value, error), value, error });
    }
  }
  return { ...snapshot, records, damaged };
}
