/**
 * The suite plays a sample of what a campaign plays whole (`npm run campaign`), so that every class of fault is looked for in the minutes
 * that a change can wait. A sample never changes by itself: new seeds are the campaigns' work, and no change is refused for a fault that
 * was there before.
 */

/** Set by the campaigns: nothing is left out. */
export const playsAll = process.env.OBBLIGATO_SAMPLE === 'all';

/** How many are played: few in the suite, the whole number in a campaign. */
export const few = (count: number, whole: number): number => (playsAll ? whole : count);

/** So many of the items, evenly spread from the first one on; all of them in a campaign. */
export function sample<T>(items: readonly T[], count: number): readonly T[] {
  if (playsAll || count >= items.length) return items;
  return items.filter(
    (_, index) =>
      Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  );
}
