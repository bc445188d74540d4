/** What everything in one world shares. */

import type { HeardEvents } from '../judges/events.ts';
import type { Model } from '../judges/model.ts';
import type { Evidence } from '../judges/records.ts';
import type { Random } from '../scenario/random.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { FaultCounts } from './counts.ts';
import type { Disk } from './disk.ts';
import type { Recorder } from './recorder.ts';
import type { Timeline } from './timeline.ts';

export interface Surroundings {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly model: Model;
  readonly recorder: Recorder;
  readonly evidence: Evidence;
  readonly heard: HeardEvents;
  readonly counts: FaultCounts;
}
