/** A configuration that is not there, cannot be loaded, or has the wrong shape. The message says which file and what to do. */
import { MISUSED } from './exit-codes.ts';

export class ConfigError extends Error {
  readonly exitCode = MISUSED;

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ConfigError';
  }
}

/** There is no file to mend: the path is wrong, or the file is still to be written. */
export class ConfigMissingError extends ConfigError {}
