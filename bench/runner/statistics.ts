/** From the samples of one figure to its median and spread, and to its ratios. */

export interface Summary {
  readonly samples: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
}

/** Of at least one sample. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((one, other) => one - other);
  return {
    samples,
    median: quantile(sorted, 0.5),
    min: sorted[0],
    max: sorted[sorted.length - 1],
    lowerQuartile: quantile(sorted, 0.25),
    upperQuartile: quantile(sorted, 0.75),
  };
}

/** With an even number of samples the median is between the two in the middle; other quantiles lie between their neighbours too. */
function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/** How many times the other it is; undefined if one of them is not known, or the other is nothing. */
export function ratio(one: Summary | undefined, other: Summary | undefined): number | undefined {
  return one === undefined || other === undefined || other.median === 0
    ? undefined
    : one.median / other.median;
}
