/** Finds `obbligato.config.ts`, loads it, and checks what it exports. */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { checkRegistrations } from '../core/registration.ts';
import { visible } from '../errors.ts';
import { zoneOf } from '../time/zone.ts';
import { ConfigError, ConfigMissingError } from './config-error.ts';
import { explainLoadFailure } from './config-failure.ts';
import { importConfigModule } from './config-module.ts';
import { SAMPLE_CONFIG } from './sample.ts';
import { nearest } from './suggest.ts';
import { messageOf } from './text.ts';

const CONFIG_NAMES = [
  'obbligato.config.ts',
  'obbligato.config.mts',
  'obbligato.config.js',
  'obbligato.config.mjs',
];

export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
}

/**
 * Loads the configuration at a path (a file, or a folder that has one), or the nearest one from `cwd` upwards. The process moves
 * into its folder first, so that relative paths in it mean the same wherever the command was called. Throws {@link ConfigError}.
 */
export async function loadConfig(cwd: string, path?: string): Promise<LoadedConfig> {
  const found = path === undefined ? findUpwards(cwd) : findAt(resolve(cwd, path));
  process.chdir(dirname(found));
  const exported = await importConfig(found);
  checkConfig(exported, found);
  return { path: found, config: exported };
}

const kindOf = (path: string): 'file' | 'folder' | 'nothing' => {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return 'nothing';
  return status.isDirectory() ? 'folder' : 'file';
};

/** The configuration file of a folder itself. */
export const configIn = (folder: string): string | undefined =>
  CONFIG_NAMES.map((name) => join(folder, name)).find((path) => kindOf(path) === 'file');

/** The nearest configuration file, in a folder or one above it: a command that can do without one asks here first. */
export function findConfig(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = configIn(folder);
    if (found !== undefined) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function findUpwards(cwd: string): string {
  const found = findConfig(cwd);
  if (found !== undefined) return found;
  throw new ConfigMissingError(
    `There is no obbligato.config.ts (or .mts, .js, .mjs) in ${cwd} or above it.\n${beginning}`,
  );
}

function findAt(path: string): string {
  const kind = kindOf(path);
  if (kind === 'file') return path;
  if (kind === 'nothing') throw new ConfigMissingError(`There is no configuration at ${path}.\n${beginning}`);
  const found = configIn(path);
  if (found === undefined)
    throw new ConfigMissingError(`There is no obbligato.config.ts in ${path}.\n${beginning}`);
  return found;
}

const beginning = `
To begin, write this to obbligato.config.ts, and run "obbligato run":

${SAMPLE_CONFIG}`;

async function importConfig(path: string): Promise<unknown> {
  let module: object;
  try {
    module = await importConfigModule(path);
  } catch (error) {
    throw new ConfigError(await explainLoadFailure(path, error), error);
  }
  const exported: unknown = Reflect.get(module, 'default');
  if (exported !== undefined) return exported;
  const names = Object.keys(module).join(', ');
  throw new ConfigError(
    `${path} has no default export${names === '' ? '' : ` (it exports ${names})`}: write "export default defineConfig({ tasks: […] })"`,
  );
}

type Check = (value: unknown) => string | undefined;

const isFunction: Check = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const isDelay: Check = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must be a number of milliseconds, 0 or more';

/** Each field, and what is wrong about a value of it. */
const fields: Readonly<Record<keyof Config, Check>> = {
  tasks: (value) =>
    Array.isArray(value) ? undefined : 'must be a list of [name, cron, callback, retryDelay]',
  store: (value) =>
    typeof value === 'string' || typeof Reflect.get(Object(value), 'open') === 'function'
      ? undefined
      : 'must be a store, such as sqlite("obbligato.db"), or the path of a file, or "memory:"',
  timeZone: (value) => {
    if (typeof value !== 'string') return 'must be an IANA name, such as "Europe/Stockholm"';
    try {
      zoneOf(value);
    } catch (error) {
      return `is no time zone: ${messageOf(error)}`;
    }
    return undefined;
  },
  workers: (value) =>
    value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 1)
      ? undefined
      : 'must be a whole number of at least 1',
  onEvent: isFunction,
  trace: isFunction,
  logger: (value) =>
    ['debug', 'info', 'warn', 'error'].every(
      (level) => typeof Reflect.get(Object(value), level) === 'function',
    )
      ? undefined
      : 'must have the methods debug, info, warn and error',
  lockWaitMs: isDelay,
  finalWriteMs: isDelay,
  lateAfterMs: isDelay,
};

function checkConfig(value: unknown, path: string): asserts value is Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(
      `${path} exports ${Array.isArray(value) ? 'a list' : typeof value} by default, not a configuration: write "export default defineConfig({ tasks: […] })"`,
    );
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    const meant = nearest(name, Object.keys(fields));
    throw new ConfigError(
      `${path}: there is no field "${visible(name, 40)}"${meant === undefined ? `; there are ${Object.keys(fields).join(', ')}` : `: did you mean "${meant}"?`}`,
    );
  }
  for (const [name, check] of Object.entries(fields)) {
    const field: unknown = Reflect.get(value, name);
    if (field === undefined && name !== 'tasks') continue;
    const problem = check(field);
    if (problem !== undefined) throw new ConfigError(`${path}: "${name}" ${problem}`);
  }
  checkTasks(Reflect.get(value, 'tasks'), path);
}

/** The same check as `initialize` makes, but with the place of the task that is wrong. */
function checkTasks(tasks: readonly unknown[], path: string): void {
  try {
    checkRegistrations(tasks);
  } catch (error) {
    throw new ConfigError(`${path}: ${placeOf(tasks)}${messageOf(error)}`, error);
  }
}

function placeOf(tasks: readonly unknown[]): string {
  const index = tasks.findIndex((task) => {
    try {
      checkRegistrations([task]);
      return false;
    } catch {
      return true;
    }
  });
  if (index < 0) return ''; // each is right by itself: two have one name, and the message has it
  const name: unknown = Reflect.get(Object(tasks[index]), '0');
  return `tasks[${index}]${typeof name === 'string' ? ` ("${visible(name, 40)}")` : ''}: `;
}
