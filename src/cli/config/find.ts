/** Finds `obbligato.config.ts`: in a folder, in the nearest one above, or at a path that was given. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { SAMPLE_CONFIG } from '../args/help.ts';
import { CliError } from '../errors.ts';
import { messageOf, printable } from '../terminal/text.ts';
import { distrustOf } from './trust.ts';

/** What Node can run, in the order in which it is looked for. */
const EXTENSIONS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
const CONFIG_NAMES = EXTENSIONS.map((extension) => `obbligato.config${extension}`);

const kindOf = (path: string): 'file' | 'folder' | 'nothing' => {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return 'nothing';
  return status.isDirectory() ? 'folder' : 'file';
};

/** The configuration file of a folder itself. */
export const configIn = (folder: string): string | undefined =>
  CONFIG_NAMES.map((name) => join(folder, name)).find((path) => kindOf(path) === 'file');

/** The file that an import without its extension, or with that of its compiled form, most likely means. */
export function fileNear(path: string): string | undefined {
  const stem = path.replace(/\.[cm]?js$/, '');
  return [stem, join(path, 'index')]
    .flatMap((start) => EXTENSIONS.map((extension) => start + extension))
    .find((file) => kindOf(file) === 'file');
}

/** The nearest configuration file, in a folder or one above it: a command that can do without one asks here first. */
export function findConfig(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = configIn(folder);
    if (found !== undefined) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The configuration file at a path (a file, or a folder that has one), or the nearest one from `cwd` upwards; it can be read. */
export function configAt(cwd: string, path: string | undefined): string {
  const found = path === undefined ? findUpwards(cwd) : findAt(resolve(cwd, path));
  checkFile(found);
  return found;
}

function findUpwards(cwd: string): string {
  const found = findConfig(cwd);
  if (found !== undefined) return trusted(found);
  throw missing(
    `There is no obbligato.config.ts (or ${EXTENSIONS.slice(1).join(', ')}) in ${printable(cwd)} or above it.`,
  );
}

/** Nobody has named the file, and to load it is to run it. */
function trusted(found: string): string {
  const distrust = distrustOf(found);
  if (distrust === undefined) return found;
  const path = printable(found);
  throw new CliError(
    'bad configuration',
    `${path} was found but not named, and ${distrust}; so it is not run. If you trust it, name it: "--config ${path}", or behind a command such as "obbligato run ${path}".`,
  );
}

function findAt(path: string): string {
  const kind = kindOf(path);
  if (kind === 'file') return path;
  if (kind === 'nothing') throw missing(`There is no configuration at ${printable(path)}.`);
  const found = configIn(path);
  if (found === undefined) throw missing(`There is no obbligato.config.ts in ${printable(path)}.`);
  return found;
}

const missing = (what: string): CliError =>
  new CliError(
    'no configuration',
    `${what}

To begin, "obbligato init" writes one; or write this to obbligato.config.ts, and run "obbligato run":

${SAMPLE_CONFIG}`,
  );

/** What would otherwise fail somewhere in Node's loader, in words of its own. */
function checkFile(path: string): void {
  const extension = extname(path);
  if (extension !== '' && !EXTENSIONS.includes(extension)) {
    throw new CliError(
      'bad configuration',
      `${printable(path)} is no configuration: that is a module, and so its name ends in ${EXTENSIONS.join(', ')}`,
    );
  }
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new CliError('bad configuration', `${printable(path)} cannot be read: ${reasonOf(error)}`, error);
  }
}

const reasonOf = (error: unknown): string =>
  Reflect.get(Object(error), 'code') === 'EACCES' ? 'permission denied' : messageOf(error);
