/** `F_comp`: within a lag and, beyond it, so many units of compute. */
import type { TraceRecord } from '../../../src/trace/record.ts';

/** A stretch of time in which every millisecond has the same number of units. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly density: number;
}

export interface Grant {
  readonly b: number;
  readonly lagMs: number;
}

/**
 * Time that the environment took has no compute: freezes, trouble with the store, and time that a clock set forward skipped. `Compute` records say what other time has;
 * else it is one unit per millisecond.
 */
export const stretchesOf = (records: readonly TraceRecord[]): readonly Stretch[] =>
  records.flatMap((record): readonly Stretch[] => {
    if (record.event === 'Frozen' || record.event === 'StoreTrouble' || record.event === 'ClockStep')
      return [{ from: record.from, to: record.to, density: 0 }];
    if (record.event === 'Compute' && record.to > record.from)
      return [{ from: record.from, to: record.to, density: record.units / (record.to - record.from) }];
    return [];
  });

/** Whether that much time is within the bound: without its densest `lagMs`, it has at most `b` units. */
export function isWithin(
  from: number,
  to: number,
  { b, lagMs }: Grant,
  stretches: readonly Stretch[],
): boolean {
  if (to - from <= lagMs) return true;
  const edges = [from, to, ...stretches.flatMap((stretch) => [stretch.from, stretch.to])]
    .filter((at) => at >= from && at <= to)
    .sort((one, other) => one - other);
  const pieces = edges.slice(1).map((end, i) => ({
    ms: end - edges[i],
    density: densityAt((end + edges[i]) / 2, stretches),
  }));
  pieces.sort((one, other) => other.density - one.density);
  let left = lagMs;
  let units = 0;
  for (const { ms, density } of pieces) {
    const free = Math.min(left, ms);
    left -= free;
    units += (ms - free) * density;
  }
  return units <= b + 1e-6;
}

function densityAt(at: number, stretches: readonly Stretch[]): number {
  const covering = stretches.filter(({ from, to }) => from < at && at < to).map(({ density }) => density);
  return covering.includes(0) ? 0 : (covering[0] ?? 1);
}
