/** The error of a damaged record (E7), as somebody at a terminal needs it: whose record it is, and the way out. */
import type { TaskTryDeserializeError } from '../errors.ts';
import { printable } from './terminal/text.ts';

export function damageText({ taskName, message }: TaskTryDeserializeError): string {
  const whose = taskName === '' ? 'A record of the store' : `The store's record of "${printable(taskName)}"`;
  return `${whose} is damaged: ${printable(message)}\nNothing was changed. "obbligato repair" looks at all of them, and mends them after a backup; give it the store if it is not the configuration's.`;
}
