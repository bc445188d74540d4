/** Starts the threads that play worlds. */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../thread.ts';
import type { Kind } from './kinds.ts';
import { playerThreadCode } from './player-thread-code.ts';
import type { Failure, Job, Seeds } from './seeds.ts';

const start = (job: Job): Worker => startThread(playerThreadCode, 'simulation', job);

export const startPlayer = ({ kind, first, count, cells }: Seeds): Worker =>
  start({ job: 'play', kind, first, count, cells });

/** Says the scenario of a failure once, as short as it gets. */
export const startShrinking = (kind: Kind, failure: Failure): Worker =>
  start({ job: 'shrink', kind, failure });
