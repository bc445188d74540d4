/** Where the program of a thread that plays worlds is; the file has another name in the built package (scripts/enclose.ts). */
import type { ThreadCode } from '../../thread.ts';

export const playerThreadCode: ThreadCode = new URL('./player-thread.ts', import.meta.url);
