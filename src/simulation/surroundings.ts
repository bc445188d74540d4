/** What everything in one world shares. */
import type { FaultCounts } from './counts.ts';
import type { Disk } from './disk.ts';
import type { Evidence } from './evidence.ts';
import type { HeardEvents } from './heard-events.ts';
import type { Model } from './model.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';
import type { Recorder } from './trace.ts';

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
