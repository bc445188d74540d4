/** Where the program of the watcher's thread is. In the built package this module has the program itself, as a text (scripts/enclose.ts). */
import type { ThreadCode } from '../thread.ts';

export const watcherThreadCode: ThreadCode = new URL('./watcher-thread.ts', import.meta.url);
