/** What a heartbeat finds, against what the instance knew before it. */
import type { News } from '../port.ts';

/** An offset of the host's clock below this is not worth a word (K6). */
const OFFSET_MS = 1000;

export interface Found {
  /** The instances that were present at the beat before. */
  readonly before: readonly string[];
  readonly present: readonly string[];
  /** How many this instance has declared dead with this beat. One that came and went between two beats may be among them. */
  readonly dead: number;
  /** Another `initialize` has changed records. */
  readonly isStale: boolean;
  readonly aheadMs: number;
}

export function newsOf({ before, present, dead, isStale, aheadMs }: Found): News {
  const gone = before.filter((id) => !present.includes(id)).length;
  const isChanged = gone > 0 || present.some((id) => !before.includes(id)) || dead > 0;
  return {
    ...(isChanged ? { members: { gone: Math.max(gone, dead) } } : {}),
    ...(isStale ? { isStale: true as const } : {}),
    ...(Math.abs(aheadMs) > OFFSET_MS ? { aheadMs } : {}),
  };
}
