/** Stores as they are written: on the command line, or in a configuration; by default `obbligato.db` in the folder of the configuration. */
import { hostname } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  maintainStore,
  memory,
  type Store,
  StoreLockedError,
  type StoreMaintenance,
  sqlite,
} from '../../index.ts';
import { postgres } from '../../postgres.ts';
import { CliError } from '../errors.ts';
import { statusOf } from '../files.ts';
import { printable } from '../terminal/text.ts';
import type { LoadedConfig } from './load.ts';

const DEFAULT_FILE = 'obbligato.db';

/** The store that was named on the command line: its file, or a folder that has one of the usual name. */
export function namedStore(cwd: string, named: string): Store {
  const store = storeFrom(named, cwd);
  const { location } = store;
  if (!isAbsolute(location) || statusOf(location)?.isDirectory() !== true) return store;
  const file = join(location, DEFAULT_FILE);
  if (statusOf(file)?.isFile() === true) return sqlite(file);
  throw new CliError(
    'usage',
    `${printable(location)} is a directory without a configuration and without ${DEFAULT_FILE}; give the store's file`,
  );
}

/** The store of a configuration; a path in it is seen from its own folder. */
export function storeOf({ path, config }: LoadedConfig): Store {
  const { store = DEFAULT_FILE } = config;
  return typeof store === 'string' ? storeFrom(store, dirname(path)) : store;
}

/** The store to look at where there is no configuration. */
export const defaultStore = (cwd: string): Store => storeFrom(DEFAULT_FILE, cwd);

/**
 * A store from what was written for it: a path, `memory:`, or a connection string of PostgreSQL. A relative path is taken from the given folder. A message may quote what
 * comes before "://", but never the rest, which may hold a password.
 */
export function storeFrom(written: string, folder: string): Store {
  if (written === 'memory:' || written === ':memory:') return memory();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(written)?.[1]?.toLowerCase();
  if (isPostgres(written)) return postgresFrom(written);
  if (scheme !== undefined) {
    throw new CliError('usage', `There is no store for "${scheme}://": give the path of a file, or memory:`);
  }
  if (written === '') throw new CliError('usage', 'The store is empty: give the path of a file, or memory:');
  if (/^:?memory$/i.test(written)) {
    throw new CliError(
      'usage',
      `Did you mean "memory:"? For a file of the name "${written}" give ./${written}`,
    );
  }
  return sqlite(resolve(folder, written));
}

/** Whether a store is written as a connection string of PostgreSQL. */
export const isPostgres = (written: string): boolean => /^postgres(ql)?:\/\//i.test(written);

/** A database, and after "#" the schema in it, as the store itself writes it. */
export function databaseOf(written: string): { readonly url: string; readonly schema?: string } {
  const [url, schema] = written.split('#');
  return { url, ...(schema ? { schema: decodeURIComponent(schema) } : {}) };
}

function postgresFrom(written: string): Store {
  try {
    const { url, ...options } = databaseOf(written);
    return postgres(url, options);
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new CliError('usage', message);
  }
}

/** Whether a store ends with the process. */
export const isForgotten = ({ location }: Store): boolean => location === 'memory';

/** Refuses a store that lives in the memory of one process: from any other it would seem to be there, and empty. */
export function visibleFromHere(store: Store): void {
  if (!isForgotten(store)) return;
  throw new CliError(
    'usage',
    'The store is memory(), which only the process of its scheduler can see: use a file, such as obbligato.db',
  );
}

/** The file of a store, for commands that work on files. Other stores say where they are in other words than a path. */
function fileOf({ location }: Store): string {
  if (isAbsolute(location)) return location;
  throw new CliError(
    'usage',
    `The configuration's store (${printable(location)}) is not a file; name one, such as obbligato.db`,
  );
}

/** Takes a store over, for a command that changes it. */
export async function holdStore(store: Store, now: () => number): Promise<StoreMaintenance> {
  const path = store.maintain === undefined ? fileOf(store) : store.location;
  try {
    return await (store.maintain?.({ now }) ?? maintainStore(path, { now }));
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error;
    // What a second scheduler could do about it, to wait or to go elsewhere, is no way out here.
    throw inUse(path, error);
  }
}

/** Names the process that must be stopped, if the store says it. */
export function inUse(location: string, error: StoreLockedError): CliError {
  const { ownedBy } = error;
  const where = ownedBy === undefined || ownedBy.host === hostname() ? '' : ` on ${printable(ownedBy.host)}`;
  const who = ownedBy === undefined ? '' : ` (pid ${ownedBy.pid}${where})`;
  return new CliError(
    'failure',
    `Store "${printable(location)}" is in use by a scheduler${who}: stop it first`,
    error,
  );
}
