/** A look into a store from anywhere: another process, whether its scheduler runs or not. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ControlRequest } from '../core/control.ts';
import type { TaskRecord } from '../core/record.ts';
import { readRecord } from '../core/stored.ts';
import { StoreFailedError } from './errors.ts';
import type { Instance, OwnedBy, Store, StoreSnapshot } from './port.ts';
import { problemOf, type RecordProblem } from './record-problem.ts';
import { storeOf } from './sqlite.ts';

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
  /** Its process; absent if no scheduler owns the store, or the store does not say. */
  readonly ownedBy?: OwnedBy;
  /** The instances that are alive, the oldest first, if several may share the store. */
  readonly members?: readonly Instance[];
  /** By how much the store's clock is ahead of this host's, if it has one of its own. */
  readonly aheadMs?: number;
  /** Why a scheduler would refuse the store though it can be read: its file has a second path, say. Absent if nothing speaks against it. */
  readonly refusal?: Error;
  /** The zone in which the scheduler reads expressions; absent if no scheduler has written it yet. */
  readonly timeZone?: string;
  /** Requests of operators that no scheduler has answered yet, in their order; absent if the store does not say. */
  readonly requests?: readonly ControlRequest[];
  readonly records: readonly TaskRecord[];
  /** Records on which a scheduler would refuse to start. */
  readonly damaged: readonly DamagedRecord[];
}

/** How `inspect` looks. */
export interface LookOptions {
  /**
   * An earlier answer of `inspect` about the same store, or `'the beginning'` at the first look: for who looks again and again. Records that have not
   * changed are then the same objects, and cost next to nothing.
   */
  readonly since?: Inspection | 'the beginning';
  /** Called once at most, with the first records and the zone that the store says, while the others are still read: for who wants to show something early. */
  readonly onRecords?: (records: readonly TaskRecord[], timeZone?: string) => void;
}

/** What an inspection was made of: the values of the store, and what each was read as. */
interface Made {
  readonly snapshot: StoreSnapshot;
  readonly read: ReadonlyArray<TaskRecord | DamagedRecord>;
}

/** Records that are read in some milliseconds. */
const READ_PER_TURN = 5000;

const made = new WeakMap<Inspection, Made>();

/** Reads everything in a store, given as such or by the path of its file, without owning or disturbing it. */
export async function inspect(
  target: string | URL | Store,
  { since, onRecords }: LookOptions = {},
): Promise<Inspection> {
  const store = storeOf(target);
  if (store.inspect === undefined)
    throw new StoreFailedError({ path: store.location, reason: 'it cannot be inspected' });
  const before = typeof since === 'object' ? made.get(since) : undefined;
  const snapshot = await store.inspect({
    ...(since !== undefined && { since: before?.snapshot ?? 'the beginning' }),
    ...(onRecords && {
      onRecords: (values, timeZone) => onRecords(values.map(readOf).filter(isRecord), timeZone),
    }),
  });
  const { records: values, sharesRecords, ...rest } = snapshot;
  const read = await readAll(values, sharesRecords === true ? before : undefined);
  const damaged = read.filter(isDamaged);
  const records = damaged.length === 0 ? (read as readonly TaskRecord[]) : read.filter(isRecord);
  const inspection: Inspection = { ...rest, records, damaged };
  if (since !== undefined) made.set(inspection, { snapshot, read });
  return inspection;
}

/** Of very many values most are as they were: those cost a comparison each. Those that are new are read in turns, so that the event loop goes round. */
async function readAll(values: readonly unknown[], former: Made | undefined): Promise<Made['read']> {
  const known = former?.snapshot.records ?? [];
  const read: Array<TaskRecord | DamagedRecord> = [];
  let fresh = 0;
  for (let place = 0; place < values.length; place++) {
    const value = values[place];
    if (former !== undefined && known[place] === value) read.push(former.read[place]);
    else {
      read.push(readOf(value));
      if (++fresh % READ_PER_TURN === 0) await nextTurn();
    }
  }
  return read;
}

function readOf(value: unknown): TaskRecord | DamagedRecord {
  try {
    return readRecord(value);
  } catch (error) {
    return { ...problemOf(value, error), value, error };
  }
}

const isDamaged = (read: TaskRecord | DamagedRecord): read is DamagedRecord => 'error' in read;
const isRecord = (read: TaskRecord | DamagedRecord): read is TaskRecord => !isDamaged(read);
