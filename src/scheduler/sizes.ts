/**
 * How much is done at once before others get their turn. Nothing that a user would set: a world makes them small, so that a few tasks
 * show what would otherwise take thousands.
 */
export interface Sizes {
  /** How many starts go into one batch, and how many ends: enough to share an fsync, few enough to be called soon. */
  readonly batch: number;
  /** How long a slice of calls may hold the event loop, at least one millisecond, and after how many calls the clock is asked. */
  readonly callSliceMs: number;
  readonly callsBetweenLooks: number;
  /** How many stored records are looked at before others get their turn. */
  readonly readSlice: number;
}

export const SIZES: Sizes = { batch: 5000, callSliceMs: 5, callsBetweenLooks: 32, readSlice: 2000 };
