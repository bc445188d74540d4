/**
 * Which library a configuration means by `obbligato`. The one that is installed where the configuration lies, if there is one; else the library
 * whose command line this is, so that a configuration runs by `npx` and by a command that is installed for the whole machine, too.
 */
import { readFileSync } from 'node:fs';
import { createRequire, type ResolveFnOutput } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../../..');

/** The address of one of this library's own doors, `obbligato` or `obbligato/cron`; undefined for anything else. */
function ownDoor(specifier: string): string | undefined {
  if (!/^obbligato(\/|$)/.test(specifier)) return undefined;
  const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const target: unknown = doors[`.${specifier.slice('obbligato'.length)}`]?.default;
  if (typeof target !== 'string') return undefined;
  // What is built for "./dist/cron/index.js" lies in the sources at the same place, as TypeScript.
  const built = target.replace(/^\.\/dist\//, '').replace(/\.js$/, extname(import.meta.filename));
  return pathToFileURL(join(import.meta.dirname, '../..', built)).href;
}

const isNotFound = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(String(Reflect.get(Object(error), 'code')));

/** What `resolve` answers; if it finds nothing, one of this library's own doors. */
export function resolvedWithOwnDoors(specifier: string, resolve: () => ResolveFnOutput): ResolveFnOutput {
  try {
    return resolve();
  } catch (error) {
    const url = isNotFound(error) ? ownDoor(specifier) : undefined;
    if (url === undefined) throw error;
    return { url, shortCircuit: true };
  }
}

/** Whether a file in this folder would find an installed library by its name. */
export function isInstalledAt(folder: string): boolean {
  try {
    createRequire(join(folder, 'obbligato.config.js')).resolve('obbligato');
    return true;
  } catch {
    return false;
  }
}
