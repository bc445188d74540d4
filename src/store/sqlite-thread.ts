/** The store's thread: this file starts it and is what it runs. What it does there (`sqlite-serve.ts`) only the thread loads. */
import { parentPort, type Worker } from 'node:worker_threads';
import type { Retention } from '../core/history.ts';
import { ownThread } from '../thread.ts';
import type { FileOptions, Ownership } from './sqlite-file.ts';

/**
 * To own a file whose lock is held; to look into it or to ask for something, also while another process owns it; or only to examine whether it
 * can be ours.
 */
export interface ThreadOptions extends FileOptions {
  readonly purpose: Ownership | 'look' | 'ask' | 'examine';
  /** How much of the past to keep. */
  readonly history: Retention | false;
  /** Somebody wants to hear of requests. */
  readonly isWatched?: boolean;
}

const thread = ownThread<ThreadOptions>(import.meta.url, 'store');

/** A new thread for a file. */
export const startThread = (options: ThreadOptions): Worker => thread.start(options);

const { options } = thread;
const port = parentPort;
// No await: a file that has to wait cannot be required.
if (options !== undefined && port !== null)
  void import('./sqlite-serve.ts').then(({ serve }) => serve(options, port));
