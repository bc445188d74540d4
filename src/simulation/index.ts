/** `obbligato/simulation`: a world in one thread: whole-system tests of the scheduler, and a clock for tests of one's own schedules. */
export { addCounts, createCounts, type FaultCounts } from './counts.ts';
export { drawScenario } from './draw.ts';
export * from './scenario.ts';
export { shrink } from './shrink.ts';
export { createTestClock, type TestClock, type TestClockOptions } from './test-clock.ts';
export type { WorldRecord } from './trace.ts';
export type { Violation } from './verdicts.ts';
export {
  CALM_MS,
  createWorld,
  HEALED_WITHIN_MS,
  runTwice,
  type SimulatedWorld,
  type WorldReport,
} from './world.ts';
