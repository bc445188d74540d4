/** The contenders that several scenarios have: ours, and the limit that repeats what ours has done. */
import { join } from 'node:path';
import type { LimitParams } from '../contenders/limit.ts';
import type { MinuteParams } from '../contenders/minute.ts';
import type { RestartParams } from '../contenders/restart.ts';
import type { Contender, Figures, Metric, Step } from '../runner/scenario.ts';

export const modulePath = (file: string): string => join(import.meta.dirname, '..', 'contenders', file);

export const OURS = 'obbligato';
export const LIMIT = 'physical limit';

/** Metrics that have the same meaning everywhere. */
export const metrics = {
  initializeMs: { key: 'initializeMs', title: 'initialize on an empty file', unit: 'ms' },
  restartMs: { key: 'restartMs', title: 'restart: initialize of the same list on the full file', unit: 'ms' },
  lastStartMs: { key: 'lastStartMs', title: 'last start, after the minute began', unit: 'ms' },
  endsDurableMs: { key: 'endsDurableMs', title: 'all ends durable, after the minute began', unit: 'ms' },
  heldMs: { key: 'heldMs', title: 'longest hold of the event loop in the minute', unit: 'ms' },
  heapBytes: { key: 'heapBytes', title: 'memory per task', unit: 'B' },
  cpuMs: { key: 'cpuMs', title: 'CPU time of the minute, all threads', unit: 'ms' },
  startBytes: { key: 'startBytes', title: 'written until the last start', unit: 'B', isDetail: true },
  startSyncs: { key: 'startSyncs', title: 'syncs until the last start', unit: 'count', isDetail: true },
} as const satisfies Readonly<Record<string, Metric>>;

/** All that is measured of a minute. */
export const MINUTE_METRICS: readonly Metric[] = [
  metrics.lastStartMs,
  metrics.endsDurableMs,
  metrics.heldMs,
  metrics.cpuMs,
  metrics.startBytes,
  metrics.startSyncs,
];

export const minuteStep = (params: MinuteParams): Step => ({
  module: modulePath('minute.ts'),
  params: () => params,
});

/** On the file of the step before it. */
export const restartStep = (name: string, params: Omit<RestartParams, 'dueAt'>): Step => ({
  module: modulePath('restart.ts'),
  params: (round) => ({ ...params, dueAt: round.figuresOf(name).dueAt }) satisfies RestartParams,
});

/** The limit of the minute: its calls, and what was written. */
export const minuteLimit =
  (calls: number) =>
  (figures: Figures): LimitParams => ({
    due: {
      calls,
      starts: { bytes: figures.startBytes, syncs: figures.startSyncs },
      ends: { bytes: figures.endBytes, syncs: figures.endSyncs },
    },
  });

/** The limit of an initialize: what was written, in as many syncs. */
export const initializeLimit = (figures: Figures): LimitParams => ({
  initialize: { bytes: figures.initializeBytes, syncs: figures.initializeSyncs },
});

/** The limit that repeats what the contender `of` has done. */
export const limitOf = (of: string, params: (figures: Figures) => LimitParams): Contender => ({
  name: LIMIT,
  role: 'limit',
  steps: [{ module: modulePath('limit.ts'), params: (round) => params(round.figuresOf(of)) }],
});

/** What any durable scheduler would have to write: a few bytes per run, and a sync for all starts and one for all ends. */
const LEAST_BYTES_PER_RUN = 16;

export function leastOf(calls: number): Contender {
  const starts = { bytes: calls * LEAST_BYTES_PER_RUN, syncs: 1 };
  const ends = { bytes: 2 * starts.bytes, syncs: 2 };
  return {
    name: 'limit, least writing',
    role: 'limit',
    steps: [
      {
        module: modulePath('limit.ts'),
        params: () => ({ due: { calls, starts, ends } }) satisfies LimitParams,
      },
    ],
  };
}

export const HOW_DUE =
  'The instant is the beginning of a real minute; in a quick run it is the end of initialize, when the tasks are pending already.';
export const HOW_LIMITED =
  'The limit makes the same calls in a bare loop, and appends as many bytes to a file, with as many syncs, as our process wrote (wchar of /proc/self/io) and committed.';
export const HOW_LEAST =
  'The least writing is 16 bytes per start and per end, one sync for all starts and one for all ends; it does not depend on what we write.';
