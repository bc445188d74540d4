/**
 * What each scheduler's documentation says of the scenarios, in its own words (the README of the version that is installed, the comments of its types, or its guide). Where it
 * is silent, a broken axiom is a rule of ours and no fault of theirs, and the report says "not promised".
 */
export interface Word {
  /** It promises what the theory demands; or it documents another rule. */
  readonly standing: 'promised' | 'otherwise';
  readonly words: string;
}

export type Standing = Word['standing'] | 'silent';

const promised = (words: string): Word => ({ standing: 'promised', words });
const otherwise = (words: string): Word => ({ standing: 'otherwise', words });

/** By scheduler and scenario. */
export const documented: Readonly<Record<string, Readonly<Record<string, Word>>>> = {
  obbligato: {},
  croner: {
    overlap: promised('protect: "Will block new triggers as long as an old trigger is in progress."'),
    spring: otherwise(
      'Of fixed times: "A time that doesn\'t exist (DST spring forward) runs at the first valid time after the gap, on the same day."',
    ),
    autumn: otherwise(
      'Of fixed times: "A time that occurs twice (DST fall back) runs once, at the first occurrence."',
    ),
  },
  'node-cron': {
    overlap: promised('"noOverlap skips a run instead of stacking them."'),
    'due-while-running': otherwise('"noOverlap skips a run instead of stacking them."'),
    autumn: otherwise('"Across a daylight-saving fall-back the repeated hour runs once."'),
  },
  cron: {
    overlap: promised(
      'waitForCompletion: "no additional instances of the onTick callback function will run until the current onTick callback has completed."',
    ),
    'due-while-running': otherwise(
      'waitForCompletion: "Any new scheduled executions that occur while the current callback is running will be skipped entirely."',
    ),
    frozen: promised('threshold: "Execution delays within threshold will be executed immediately."'),
  },
  'node-schedule': {
    stop: promised('gracefulShutdown: "It will wait until all jobs are terminated."'),
  },
  'minute poller': {},
  'pg-boss': {
    downtime: promised(
      'missed: "`once` sends a single job for the most recent one, however many were missed."',
    ),
    'cut-off': otherwise(
      'heartbeatSeconds: "If no heartbeat is received within this interval, the monitor will fail/retry the job." The retry waits for its delay.',
    ),
  },
  'graphile-worker': {
    'cut-off': otherwise(
      'Of a worker that crashes: it "may result in the jobs being executed again once they expire (after 4 hours by default)".',
    ),
  },
  bullmq: {
    'cut-off': promised(
      'Of stalled jobs: "that job is moved back to the waiting list, or to the failed set."',
    ),
  },
};

export const standingOf = (scheduler: string, scenario: string): Standing =>
  documented[scheduler]?.[scenario]?.standing ?? 'silent';
