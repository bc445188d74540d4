/** `obbligato/telemetry`: what monitoring hangs on: the channels of `node:diagnostics_channel`, metrics, pings. */

export type { HttpHeaders, HttpRequest, HttpResponse } from '../http.ts';
export {
  COMMIT_CHANNEL,
  type CommitMessage,
  EVENT_NAMES,
  type EventMessage,
  eventChannel,
  RUN_CHANNEL,
  type RunMessage,
} from '../scheduler/index.ts';
export type { Metric } from './catalogue.ts';
export { METRICS } from './catalogue.ts';
export type { Format } from './exposition.ts';
export { type Metrics, metrics } from './metrics.ts';
export type { PingTrouble } from './ping-delivery.ts';
export {
  healthchecks,
  type Ping,
  type PingAdapter,
  type PingRequest,
  type PingTarget,
  type PingTargets,
  type SentryMonitor,
  sentry,
} from './ping-targets.ts';
export { type AliveOptions, type PingOptions, type Pings, pings } from './pings.ts';
export type { MetricsHandler } from './scrape.ts';
export type { MetricsOptions } from './sources.ts';
export { OTHERS } from './task-labels.ts';
