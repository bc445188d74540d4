/** What a callback returns may be anything; these say whether it is to be awaited, and make that safe. */

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return 'then' in value && typeof value.then === 'function';
}

/** A promise as the language makes them is used as it is; anything else is wrapped, for its `then` may call back twice, or throw. */
export function settled(result: PromiseLike<unknown>): Promise<unknown> {
  const isPlain = result instanceof Promise && result.then === Promise.prototype.then;
  return isPlain ? result : new Promise((resolve) => resolve(result));
}
