/** What a million tasks cost when none of them runs. */
import type { Scenario } from '../runner/scenario.ts';
import { initializeLimit, limitOf, metrics, minuteStep, OURS, restartStep } from './ours.ts';

const list = { tasks: 1_000_000, dueEvery: 0 };

export const million: Scenario = {
  name: 'scheduler-million',
  title: '1,000,000 tasks, none of them due',
  about:
    "Initialize on an empty file in one process, and of the same list on the full file in a second process. Memory is heap and typed arrays of the main thread after a collection, without the list itself, the user's strings and functions; the store's thread is not in it. The idle minute is a real one, after the restart, and counts the CPU time of all threads; a quick run leaves it out. The limit appends as many bytes with as many syncs as initialize did, reads as many bytes as the file has, and waits for a minute in a process that does nothing else.",
  runs: 3,
  metrics: [
    metrics.initializeMs,
    metrics.restartMs,
    { key: 'checkMs', title: 'check of the list, in the calling tick', unit: 'ms' },
    { key: 'initializeHeldMs', title: 'longest hold of the event loop, initialize', unit: 'ms' },
    { key: 'restartHeldMs', title: 'longest hold of the event loop, restart', unit: 'ms' },
    metrics.heapBytes,
    { key: 'idleCpuMs', title: 'CPU time of an idle minute', unit: 'ms' },
    { key: 'storeBytes', title: 'size of the store', unit: 'B', isDetail: true },
    { key: 'initializeBytes', title: 'written by initialize', unit: 'B', isDetail: true },
  ],
  contenders: [
    {
      name: OURS,
      role: 'ours',
      steps: [minuteStep(list), restartStep(OURS, { ...list, isIdleMeasured: true })],
    },
    limitOf(OURS, (figures) => ({
      ...initializeLimit(figures),
      restartBytes: figures.storeBytes,
      isIdleMeasured: true,
    })),
  ],
  bounds: [
    { metric: 'initializeMs', contender: OURS, atMost: 5000 },
    { metric: 'restartMs', contender: OURS, atMost: 3000 },
    { metric: 'initializeHeldMs', contender: OURS, atMost: 20 },
    { metric: 'restartHeldMs', contender: OURS, atMost: 20 },
    { metric: 'heapBytes', contender: OURS, atMost: 250 },
    { metric: 'idleCpuMs', contender: OURS, atMost: 1 },
  ],
};
