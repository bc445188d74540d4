/**
 * Which store a command looks at, and where the zone of its expressions comes from: the command line may name a store, a
 * configuration, both or neither.
 *
 * A configuration that was found, not named, and cannot be loaded must not hide the store in its folder: a user who looks into the
 * store, or repairs it, needs it most then. The store must exist, and a warning says which one was taken.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config, Store } from '../../index.ts';
import type { Arguments, Io } from '../args/command.ts';
import { textOf } from '../args/values.ts';
import { isCliError } from '../errors.ts';
import { statusOf } from '../files.ts';
import { styleFor } from '../terminal/style.ts';
import { messageOf, printable } from '../terminal/text.ts';
import { configIn, findConfig } from './find.ts';
import { loadConfig } from './load.ts';
import { logFoldersOf } from './log-folders.ts';
import { defaultStore, namedStore, storeOf } from './store.ts';
import { factsOf } from './tasks.ts';

export interface Target {
  readonly store: Store;
  readonly timeZone: string | undefined;
  /** Where the zone comes from. If it is the host's, the scheduler may read expressions in another one. */
  readonly timeZoneFrom: 'configuration' | 'host';
  /** The names of the configuration's tasks; undefined without a configuration. */
  readonly tasks?: readonly string[];
  /** The tasks themselves. */
  readonly registrations?: Config['tasks'];
  /** Where their programs keep what they write. */
  readonly logs?: ReadonlyMap<string, string>;
}

/** What to do about a configuration that was found and cannot be loaded. */
export type IfBroken = 'take the default store' | 'refuse';

/** The target of the words that were typed: a store or a configuration, and `--config`. */
export async function findTarget(
  io: Io,
  args: Arguments,
  named: string | undefined,
  ifBroken: IfBroken,
): Promise<Target> {
  const config = textOf(args, 'config');
  if (named === undefined) return config === undefined ? found(io, ifBroken) : configured(io, config);
  if (config === undefined && isConfig(resolve(io.cwd, named))) return configured(io, named);
  const store = namedStore(io.cwd, named);
  if (config === undefined) return { store, timeZone: undefined, timeZoneFrom: 'host' };
  return { ...(await configured(io, config)), store };
}

async function configured(io: Io, path?: string): Promise<Target> {
  const loaded = await loadConfig(io.cwd, path);
  const { timeZone, tasks } = loaded.config;
  return {
    store: storeOf(loaded),
    timeZone,
    timeZoneFrom: 'configuration',
    tasks: tasks.map((task) => factsOf(task).name),
    registrations: tasks,
    logs: logFoldersOf(loaded),
  };
}

async function found(io: Io, ifBroken: IfBroken): Promise<Target> {
  const path = findConfig(io.cwd);
  if (path === undefined) return { store: defaultStore(io.cwd), timeZone: undefined, timeZoneFrom: 'host' };
  try {
    return await configured(io);
  } catch (error) {
    if (!isCliError(error, 'bad configuration') || ifBroken === 'refuse') throw error;
    const store = defaultStore(dirname(path));
    if (statusOf(store.location)?.isFile() !== true) throw error;
    const { yellow } = styleFor(io.stderr, io.env);
    io.stderr.write(
      `${yellow('warning:')} ${messageOf(error)}\n${yellow('warning:')} the configuration is left aside, for ${printable(store.location)}; name another store if that is not the one\n`,
    );
    return { store, timeZone: undefined, timeZoneFrom: 'host' };
  }
}

const MODULE = /\.[cm]?[jt]s$/i;
const DATABASE = 'SQLite format 3\0';

/** A file named as a module is a configuration, unless it begins as a database does; and so is a folder that has one. */
function isConfig(path: string): boolean {
  if (statusOf(path)?.isDirectory() === true) return configIn(path) !== undefined;
  if (!MODULE.test(path)) return false;
  if (statusOf(path)?.isFile() !== true) return true;
  const head = Buffer.alloc(DATABASE.length);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, head);
    } finally {
      closeSync(file);
    }
  } catch {
    return true; // loading it reports that it cannot be read
  }
  return head.toString('latin1') !== DATABASE;
}
