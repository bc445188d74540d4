/** The garbage collector, for tests of what is let go of; no flag of the process is needed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
