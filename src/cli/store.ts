/** A store from what was written for it: a path, or `memory:`. */
import { resolve } from 'node:path';
import { memory, type Store, sqlite } from '../store/index.ts';
import { UsageError } from './usage-error.ts';

/** A relative path is taken from the given folder. What comes before "://" is told, but never the rest, which may hold a password. */
export function storeFrom(written: string, folder: string): Store {
  if (written === 'memory:' || written === ':memory:') return memory();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(written)?.[1]?.toLowerCase();
  if (scheme === 'postgres' || scheme === 'postgresql') {
    throw new UsageError('PostgreSQL is not supported yet: give --store the path of a file, or memory:');
  }
  if (scheme !== undefined) {
    throw new UsageError(`There is no store for "${scheme}://": give the path of a file, or memory:`);
  }
  if (written === '') throw new UsageError('The store is empty: give the path of a file, or memory:');
  return sqlite(resolve(folder, written));
}
