/** `obbligato/simulation`: a world in one thread, in which the whole scheduler is tested. */

export type { Sizes } from '../scheduler/index.ts';
export {
  /** @deprecated Import it from `obbligato/testing`. */
  createTestClock,
  /** @deprecated Import it from `obbligato/testing`. */
  type TestClock,
  /** @deprecated Import it from `obbligato/testing`. */
  type TestClockOptions,
} from '../testing/index.ts';
export { drawClusterScenario } from './cluster/draw.ts';
export {
  type ClusterAction,
  type ClusterScenario,
  type ClusterTask,
  clusterRegressionTest,
  describeClusterScenario,
  type HostAction,
} from './cluster/scenario.ts';
export {
  type ClusterReport,
  type ClusterWorld,
  createClusterWorld,
  runClusterTwice,
  shrinkCluster,
} from './cluster/world.ts';
export type { Violation } from './judges/violations.ts';
export { addCounts, createCounts, type FaultCounts } from './machine/counts.ts';
export type { WorldRecord } from './machine/recorder.ts';
export { drawScenario } from './scenario/draw.ts';
export * from './scenario/scenario.ts';
export {
  CALM_MS,
  createWorld,
  HEALED_WITHIN_MS,
  runTwice,
  type SimulatedWorld,
  shrink,
  type WorldReport,
} from './world.ts';
