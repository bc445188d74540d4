/** What a store shows to those who look into it without owning it. */
import type { ControlRequest } from '../core/control.ts';

/** The process of a session. `since` is when it opened the store, in epoch milliseconds. */
export interface OwnedBy {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
}

/** A scheduler that shares its store with others. */
export interface Instance extends OwnedBy {
  readonly instanceId: string;
  /** How long it is taken for alive if nothing is heard of it, by the store's clock (K3). */
  readonly leaseLeftMs: number;
}

/** For who looks again and again. */
export interface InspectOptions {
  /**
   * What this store answered before, or `'the beginning'` at the first look. A store may answer with the same objects for records that are
   * as they were then, and says so by `sharesRecords`; it may also ignore this.
   */
  readonly since?: StoreSnapshot | 'the beginning';
}

/** What a store holds at one instant. */
export interface StoreSnapshot {
  readonly location: string;
  /** The version of the store's own format. */
  readonly version: number;
  /** The newest version that the store can write, if it has several. */
  readonly newestVersion?: number;
  /** Whether a session owns the store right now. */
  readonly owner: 'held' | 'free' | 'unknown';
  /** Who owns it; absent if nobody does, or the store does not say. */
  readonly ownedBy?: OwnedBy;
  /** The instances that are alive, if several may share the store. */
  readonly members?: readonly Instance[];
  /** By how much the store's clock is ahead of this host's, if it has one of its own (K6). */
  readonly aheadMs?: number;
  /** Why a scheduler would refuse the store though it can be read: its file has a second path, say. Absent if nothing speaks against it. */
  readonly refusal?: Error;
  /** The zone in which the scheduler reads expressions (B2); absent if no scheduler has written it yet. */
  readonly timeZone?: string;
  /** Requests of operators that are not answered, in their order (I1); absent if the store does not say. */
  readonly requests?: readonly ControlRequest[];
  /** As they are stored: not yet looked at. */
  readonly records: readonly unknown[];
  /** A record that is the same object as in the earlier answer is unchanged. */
  readonly sharesRecords?: true;
}
