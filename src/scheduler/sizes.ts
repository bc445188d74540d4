/**
 * How much is done at once before others get their turn. Nothing that a user would set: a world makes them small, so that a few tasks
 * show what would otherwise take thousands.
 */

/** How much is done at once; a world makes it small. */
export interface Sizes {
  /** How many starts go into one batch, and how many ends: enough to share an fsync, few enough to be called soon. */
  readonly batch: number;
  /**
   * How long a slice of calls, of claims or of looks may hold the event loop, at least one millisecond, and after how many calls the clock is
   * asked. One round of the loop has up to five slices: two of calls, two of claims, one of looks.
   */
  readonly callSliceMs: number;
  readonly callsBetweenLooks: number;
  /** How many stored records are looked at before others get their turn. */
  readonly readSlice: number;
  /** What to call the next instance; chance decides by default. Names decide how instances share work (K7), so a world gives them. */
  readonly nameInstance?: () => string;
  /** Chance, from 0 to 1: instances that share a store do not all try again at the same instant. A world leaves it out. */
  readonly spread: () => number;
}

export const SIZES: Sizes = {
  batch: 5000,
  callSliceMs: 3,
  callsBetweenLooks: 32,
  readSlice: 2000,
  spread: Math.random,
};
