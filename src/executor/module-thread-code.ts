/** Where the program of a thread of `inThread` is. In the built package this module has the program itself, as a text (scripts/enclose.ts). */
import type { ThreadCode } from '../thread.ts';

export const moduleThreadCode: ThreadCode = new URL('./module-thread.ts', import.meta.url);
