/** The program of the store's thread. */
import { parentPort } from 'node:worker_threads';
import { startedWith } from '../thread.ts';
import type { ThreadOptions } from './sqlite-messages.ts';
import { serve } from './sqlite-serve.ts';

const options = startedWith<ThreadOptions>('store');
if (parentPort !== null) void serve(options, parentPort);
