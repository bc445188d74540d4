/** A look into a store from anywhere: another process, whether its scheduler runs or not. */
import type { TaskRecord } from '../core/record.ts';
import { readRecord } from '../core/stored.ts';
import { StoreFailedError } from './errors.ts';
import type { Store, StoreSnapshot } from './port.ts';
import { sqlite } from './sqlite.ts';

/** What `inspect` found in a store. */
export interface Inspection {
  readonly location: string;
  /** The version of the store's format; 0 for a file that no scheduler has initialized yet. */
  readonly version: number;
  /** Whether a scheduler owns the store right now. */
  readonly owner: StoreSnapshot['owner'];
  readonly records: readonly TaskRecord[];
  /** Records that make no sense, as they are stored, with what is wrong about each. */
  readonly damaged: ReadonlyArray<{ readonly value: unknown; readonly error: unknown }>;
}

/** Reads everything in a store, given as such or by the path of its file, without owning or disturbing it. */
export async function inspect(target: string | URL | Store): Promise<Inspection> {
  const store = typeof target === 'string' || target instanceof URL ? sqlite(target) : target;
  if (store.inspect === undefined) throw new StoreFailedError(store.location, 'it cannot be inspected');
  const { location, version, owner, records: values } = await store.inspect();
  const records: TaskRecord[] = [];
  const damaged: Array<{ value: unknown; error: unknown }> = [];
  for (const value of values) {
    try {
      records.push(readRecord(value));
    } catch (error) {
      damaged.push({ value, error });
    }
  }
  return { location, version, owner, records, damaged };
}
