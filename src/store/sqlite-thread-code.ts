/** Where the program of the store's thread is. In the built package this module has the program itself, as a text (scripts/enclose.ts). */
import type { ThreadCode } from '../thread.ts';

export const sqliteThreadCode: ThreadCode = new URL('./sqlite-thread.ts', import.meta.url);
