/** Plants changes of the sources into a process, its threads and the processes that it starts. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Edit } from './fault.ts';
import { placeOf } from './place.ts';

const hook = pathToFileURL(join(import.meta.dirname, '../fixtures/planted-fault-hook.ts')).href;

/** What the environment of the process must have. */
export const planted = (edits: readonly Edit[]): Record<string, string> => ({
  NODE_OPTIONS: `--import ${hook}`,
  OBBLIGATO_PLANTED_FAULT: JSON.stringify(edits.map(placeOf)),
});
