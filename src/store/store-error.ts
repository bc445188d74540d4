/** The base of every error of a store. */
import { ObbligatoError } from '../errors.ts';

/** Any error of a store. `path` is the store's location: a file's path, or "memory". */
export abstract class StoreError<
  Details extends { path: string } = { path: string },
> extends ObbligatoError<Details> {
  declare readonly path: string;

  constructor(name: string, details: Details, cause: unknown, problem: string, wayOut?: string) {
    super(name, wayOut === undefined ? problem : [problem, ': ', wayOut], details, cause);
  }

  override get fault(): 'store' {
    return 'store';
  }
}
