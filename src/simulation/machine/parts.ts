/** What the parts of one machine share. */
import type { Notify } from '../judges/judge.ts';
import type { Random } from '../scenario/random.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { FaultCounts } from './counts.ts';
import type { Recorder } from './recorder.ts';
import type { Timeline } from './timeline.ts';

export interface MachineParts {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly recorder: Recorder;
  readonly counts: FaultCounts;
  /** Reports what happens to the judges. */
  readonly notify: Notify;
}
