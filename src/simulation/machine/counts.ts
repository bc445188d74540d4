/** How many faults of each kind a world has had. */

/** How many faults of each kind happened in a world. */
export interface FaultCounts {
  crashes: number;
  /** Runs that were under way when their process died. */
  cutOff: number;
  stops: number;
  failedStops: number;
  failedInitializations: number;
  flaws: number;
  intruders: number;
  /** Crashes of a database that several instances share. */
  outages: number;
  /** What operators asked for. */
  requests: number;
  /** Lists that an active scheduler took over. */
  reloads: number;
  steps: number;
  freezes: number;
  burns: number;
  failures: number;
  hangs: number;
  troubles: number;
  refused: number;
  unanswered: number;
  stalled: number;
  torn: number;
  lost: number;
}

/** All counts, at zero. */
export function createCounts(): FaultCounts {
  return {
    crashes: 0,
    cutOff: 0,
    stops: 0,
    failedStops: 0,
    failedInitializations: 0,
    flaws: 0,
    intruders: 0,
    outages: 0,
    requests: 0,
    reloads: 0,
    steps: 0,
    freezes: 0,
    burns: 0,
    failures: 0,
    hangs: 0,
    troubles: 0,
    refused: 0,
    unanswered: 0,
    stalled: 0,
    torn: 0,
    lost: 0,
  };
}

/** Adds the counts of another world. */
export function addCounts(sum: FaultCounts, more: FaultCounts): void {
  for (const name of Object.keys(sum) as (keyof FaultCounts)[]) sum[name] += more[name];
}
