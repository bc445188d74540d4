/** Finds `obbligato.config.ts`, and loads it. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { ConfigError, ConfigMissingError } from '../config-error.ts';
import { watched } from '../config-loading.ts';
import { importConfigModule } from '../config-module.ts';
import { SAMPLE_CONFIG } from '../sample.ts';
import { messageOf } from '../terminal/text.ts';
import { checkedConfig } from './check.ts';
import { explainLoadFailure } from './load.ts';

/** What Node can run, in the order in which it is looked for. */
const EXTENSIONS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
const CONFIG_NAMES = EXTENSIONS.map((extension) => `obbligato.config${extension}`);

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
  checkFile(found);
  process.chdir(dirname(found));
  try {
    return { path: found, config: await watched(found, () => importConfig(found)) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(await explainLoadFailure(found, error), error);
  }
}

/** What would otherwise fail somewhere in Node's loader, in words of its own. */
function checkFile(path: string): void {
  const extension = extname(path);
  if (extension !== '' && !EXTENSIONS.includes(extension)) {
    throw new ConfigError(
      `${path} is no configuration: that is a module, and so its name ends in ${EXTENSIONS.join(', ')}`,
    );
  }
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${reasonOf(error)}`, error);
  }
}

const reasonOf = (error: unknown): string =>
  Reflect.get(Object(error), 'code') === 'EACCES' ? 'permission denied' : messageOf(error);

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
    `There is no obbligato.config.ts (or ${EXTENSIONS.slice(1).join(', ')}) in ${cwd} or above it.\n${beginning}`,
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

/** A promise of a configuration is one, too. */
async function importConfig(path: string): Promise<Config> {
  const module = await importConfigModule(path);
  const exported: unknown = await Reflect.get(module, 'default');
  if (exported !== undefined) return checkedConfig(exported, path);
  const names = Object.keys(module)
    .filter((name) => name !== 'default' && name !== 'module.exports')
    .join(', ');
  throw new ConfigError(
    `${path} has no default export${names === '' ? '' : ` (it exports ${names})`}: write "export default defineConfig({ tasks: […] })"`,
  );
}
