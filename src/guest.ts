/**
 * Other people's functions: listeners, loggers, sinks, targets of pings. Each may throw, and each may be asynchronous and reject. A guest that
 * fails harms itself alone: nothing it throws or rejects with goes further than `failed`.
 */
import { isThenable, settled } from './executor/thenable.ts';

const ignore = (): void => {};

/** Calls a guest that has nothing to answer. `failed` gets an error that the guest throws, at once or later. */
export function callGuest(call: () => unknown, failed: (error: unknown) => void = ignore): void {
  try {
    const result = call();
    if (isThenable(result)) settled(result).then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** A guest that has to answer at once gave a promise. */
export class LateAnswerError extends Error {
  override readonly name = 'LateAnswerError';

  constructor() {
    super('the function gave a promise; it must give its answer at once');
  }
}

/** Returns the answer of a guest, or `undefined` if the guest throws or gives a promise. `failed` gets the reason. */
export function askGuest<Answer>(
  call: () => Answer,
  failed: (error: unknown) => void = ignore,
): Answer | undefined {
  try {
    const answer = call();
    if (!isThenable(answer)) return answer;
    settled(answer).then(undefined, ignore);
    failed(new LateAnswerError());
  } catch (error) {
    failed(error);
  }
  return undefined;
}
