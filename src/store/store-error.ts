/** The base of every error of a store, and how the classes of them are made. */
import { type ErrorClass, errorClass, ObbligatoError, type WithWayOut } from '../errors.ts';

/** Any error of a store. `path` is the store's location: a file's path, or "memory". */
export abstract class StoreError extends ObbligatoError {
  declare readonly path: string;
}

/**
 * Makes a class of errors of a store. All of them are made from their details and a cause, so that an error of the store's thread can be
 * made again on the main thread.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function storeErrorClass<Details extends { readonly path: string }>(
  name: string,
  messageOf: (details: Details) => string | WithWayOut,
): ErrorClass<[details: Details, cause?: unknown], Details, StoreError> {
  return errorClass(name, StoreError, (details: Details, cause?: unknown) => ({
    message: messageOf(details),
    details,
    cause,
    fault: 'store',
  }));
}
