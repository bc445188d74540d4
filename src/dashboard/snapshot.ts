/** The store as it was at an instant, as all viewers see it. */
import type { ZoneOfStore } from '../config.ts';
import { type Inspection, StoreMissingError } from '../index.ts';
import { describeError } from '../text/describe-error.ts';
import { type Change, type Counts, Entries, type Layout, noCounts } from './entries.ts';

/** The store as it was at an instant. */
export interface Snapshot extends Layout {
  /** In which zone expressions are read, and who says so (B2). */
  readonly zone: ZoneOfStore;
  readonly revision: number;
  readonly at: number;
  /** Only a first part of the tasks is there yet. */
  readonly isPartial: boolean;
  readonly store: Omit<Inspection, 'records' | 'damaged'> | undefined;
  readonly damaged: readonly { readonly task: string; readonly reason: string }[];
  readonly counts: Counts;
  /** What is wrong with the store; undefined if nothing is. */
  readonly trouble: string | undefined;
}

/** Before anything is known. */
export const nothing = (revision: number, zone: ZoneOfStore): Snapshot => ({
  ...new Entries().layout,
  zone,
  revision,
  at: 0,
  isPartial: true,
  store: undefined,
  damaged: [],
  counts: noCounts(),
  trouble: undefined,
});

/** What belongs to a look beside its entries. */
export interface Look {
  readonly inspection: Inspection;
  readonly entries: Entries;
  readonly change: Change;
  readonly zone: ZoneOfStore;
  readonly at: number;
}

export function snapshotOf({ inspection, entries, change, zone, at }: Look, former: Snapshot): Snapshot {
  const { records: _records, damaged, ...store } = inspection;
  const isSame =
    !former.isPartial &&
    change.names.length === 0 &&
    !change.isNewLayout &&
    former.trouble === undefined &&
    former.zone.timeZone === zone.timeZone &&
    former.zone.timeZoneFrom === zone.timeZoneFrom &&
    former.store?.owner === store.owner &&
    former.store?.ownedBy?.pid === store.ownedBy?.pid &&
    idsIn(former.store) === idsIn(store) &&
    requestsIn(former.store) === requestsIn(store) &&
    former.damaged.length === damaged.length;
  // Leases go on, though nothing has changed.
  if (isSame) return { ...former, at, store };
  return {
    ...entries.layout,
    zone,
    revision: former.revision + 1,
    at,
    isPartial: false,
    store,
    damaged: damaged.map(({ task, reason }) => ({ task, reason })),
    counts: entries.counts,
    trouble: undefined,
  };
}

const idsIn = (store: Snapshot['store']): string =>
  (store?.members ?? []).map(({ instanceId }) => instanceId).join('\n');

const requestsIn = (store: Snapshot['store']): string =>
  (store?.requests ?? []).map(({ id }) => id).join('\n');

/** A store that is not there yet is no trouble: the scheduler that makes it may be on its way. */
export function troubled(former: Snapshot, error: unknown, location: string, at: number): Snapshot {
  const trouble =
    error instanceof StoreMissingError
      ? `There is no store at ${location} yet. It is made when a scheduler first runs on it.`
      : describeError(error).message;
  return former.trouble === trouble
    ? { ...former, at }
    : { ...former, revision: former.revision + 1, at, trouble };
}
