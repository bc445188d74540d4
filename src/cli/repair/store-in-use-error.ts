/** A scheduler runs on the store that is to be changed. What a second scheduler could do about it (wait, go elsewhere) is no way out here. */
import { FAILED } from '../errors.ts';

export class StoreInUseError extends Error {
  readonly exitCode = FAILED;

  constructor(path: string, cause: unknown) {
    super(`Store "${path}" is in use by a scheduler: stop it first`, { cause });
    this.name = 'StoreInUseError';
  }
}
