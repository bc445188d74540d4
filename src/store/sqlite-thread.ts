/** The store's thread: this file starts it and is what it runs. What it does there (`sqlite-serve.ts`) only the thread loads. */
import { parentPort, type Worker } from 'node:worker_threads';
import { ownThread } from '../thread.ts';
import type { ThreadOptions } from './sqlite-messages.ts';

const thread = ownThread<ThreadOptions>(import.meta.url, 'store');

/** A new thread for a file. */
export const startThread = (options: ThreadOptions): Worker => thread.start(options);

const { options } = thread;
const port = parentPort;
// No await: a file that has to wait cannot be required.
if (options !== undefined && port !== null)
  void import('./sqlite-serve.ts').then(({ serve }) => serve(options, port));
