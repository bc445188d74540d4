/** Where the errors of callbacks and of sources go, which no other code can catch. */
import { inspect } from 'node:util';

/** Where an error came from. */
export interface ErrorInfo {
  /** The name of the task whose callback or source it was. */
  readonly name: string;
  readonly during: 'callback' | 'source';
}

/** May be asynchronous. What it throws in turn becomes a process warning. */
export type OnError = (error: unknown, info: ErrorInfo) => unknown;

/**
 * A reporter that never throws. Without `onError` each error becomes a process warning: visible by default, but, unlike an
 * unhandled rejection, no end of the process. A callback that ends because its signal was aborted does what it should, so the
 * default does not report it; an `onError` of the user's gets it like any other error.
 */
export function createReporter(
  onError: OnError | undefined,
  isStopping: () => boolean,
): (error: unknown, info: ErrorInfo) => void {
  if (onError !== undefined && typeof onError !== 'function') {
    throw new TypeError(`onError must be a function (error, info) => …; got ${typeof onError}`);
  }
  if (onError === undefined) {
    return (error, info) => {
      if (!(isStopping() && isAbort(error))) warn(error, describe(info), 'OBBLIGATO_TASK_FAILED');
    };
  }
  return (error, info) => {
    const lost = (second: unknown): void =>
      warn(second, `onError itself failed, for ${describe(info)}`, 'OBBLIGATO_ON_ERROR_FAILED');
    try {
      // No other code can catch a promise that it returns.
      const result = onError(error, info);
      if (typeof result === 'object' && result !== null) Promise.resolve(result).then(undefined, lost);
    } catch (second) {
      lost(second);
    }
  };
}

const describe = ({ name, during }: ErrorInfo): string =>
  `the ${during} of task ${JSON.stringify(name)} failed`;

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

function warn(error: unknown, what: string, code: string): void {
  process.emitWarning(`${what}: ${text(error)}`, { type: 'ObbligatoWarning', code });
}

/** An error may be anything, even an object whose properties throw when looked at. */
function text(error: unknown): string {
  try {
    return inspect(error);
  } catch {
    return 'something that cannot be shown';
  }
}
