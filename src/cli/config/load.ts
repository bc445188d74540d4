/**
 * Loads a configuration. It is code, and may do anything while it is loaded: throw, wait for something that never happens, end the
 * process. Each is a mistake in the configuration, and the user is shown where it is.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Config } from '../../config.ts';
import { CliError, MISUSED } from '../errors.ts';
import { messageOf, printable } from '../terminal/text.ts';
import { adviceFor } from './advice.ts';
import { checkedConfig } from './check.ts';
import { configAt } from './find.ts';
import { resolvedWithOwnDoors } from './own-doors.ts';

export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
}

/**
 * Loads the configuration at a path (a file, or a folder that has one), or the nearest one from `cwd` upwards. The process moves
 * into its folder first, so that relative paths in it mean the same wherever the command was called. Throws {@link CliError}.
 */
export async function loadConfig(cwd: string, path?: string, how?: 'again'): Promise<LoadedConfig> {
  const found = configAt(cwd, path);
  process.chdir(dirname(found));
  try {
    return {
      path: found,
      config: await watched(found, () => importConfig(found, how === 'again' ? ++loads : 0)),
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('bad configuration', await explainFailure(found, error), error);
  }
}

/** What `load` resolves to, or throws; or what happened instead. */
async function watched<T>(path: string, load: () => Promise<T>): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  // Nothing is left to do, so what it waits for can never happen.
  const stuck = (): void =>
    reject(
      new CliError(
        'bad configuration',
        `${printable(path)} never finished loading: it waits (await) for something that never happens`,
      ),
    );
  const left = (): void => {
    const place = placeIn(new Error().stack ?? '', path) ?? path;
    process.stderr.write(`error: ${printable(place)} ended the process while it was loaded (process.exit)\n`);
    process.exitCode = MISUSED;
  };
  process.on('beforeExit', stuck);
  process.on('uncaughtException', reject);
  process.on('exit', left);
  try {
    const loaded = await Promise.race([load(), interrupted]);
    // Node reports a rejection that nobody handles at the end of the turn.
    await Promise.race([nextTurn(), interrupted]);
    return loaded;
  } finally {
    process.off('beforeExit', stuck);
    process.off('uncaughtException', reject);
    process.off('exit', left);
  }
}

/** A promise of a configuration is one, too. */
async function importConfig(path: string, load: number): Promise<Config> {
  const module = await importModule(path, load);
  const exported: unknown = await Reflect.get(module, 'default');
  if (exported !== undefined) return checkedConfig(exported, path);
  const names = Object.keys(module)
    .filter((name) => name !== 'default' && name !== 'module.exports')
    .join(', ');
  throw new CliError(
    'bad configuration',
    `${printable(path)} has no default export${names === '' ? '' : ` (it exports ${names})`}: write "export default defineConfig({ tasks: […] })"`,
  );
}

/** Behind the address of a module that is loaded again, with a number: Node keeps one module per address. */
const AGAIN = '?again=';
let loads = 0;

/** This library itself, also where it is linked into a project. */
const library = pathToFileURL(dirname(dirname(dirname(import.meta.dirname)))).href;
const isOfLibrary = (url: string): boolean =>
  url.startsWith(`${library}/src/`) || url.startsWith(`${library}/dist/`);

/** A line that begins with `import` or `export` as only a module's can. */
const moduleSyntax = /^\s*(?:import\s*(?:[\w{*'"]|type\b)|export\b)/m;

/**
 * Loads a file as the module that it is, whatever package it lies in. `npm init` writes `"type": "commonjs"` into package.json (or
 * nothing), and Node would then refuse the very first `import` of a newcomer's file (or warn of it). So the configuration, and the
 * TypeScript of the same project that it imports, are taken for modules if they are written as such.
 */
async function importModule(path: string, load: number): Promise<object> {
  const config = pathToFileURL(path).href;
  if (load > 0) return import(`${config}${AGAIN}${load}`);
  // Stays in place: what a callback imports later on belongs to the same project.
  registerHooks({
    // What a configuration that is loaded again imports from the project is loaded again too.
    resolve(specifier, context, next) {
      const resolved = resolvedWithOwnDoors(specifier, () => next(specifier, context));
      const again = context.parentURL?.split(AGAIN)[1];
      const isOurs = resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/');
      const isFresh = again !== undefined && isOurs && !isOfLibrary(resolved.url);
      return isFresh ? { ...resolved, url: `${resolved.url}${AGAIN}${again}` } : resolved;
    },
    load(url, context, next) {
      const [file] = url.split(AGAIN);
      const isOurs = file === config || (file.endsWith('.ts') && !file.includes('/node_modules/'));
      if (!isOurs || !url.startsWith('file:')) return next(url, context);
      const format = file.endsWith('.ts') ? 'module-typescript' : file.endsWith('.js') ? 'module' : undefined;
      if (format === undefined || !moduleSyntax.test(readFileSync(fileURLToPath(url), 'utf8'))) {
        return next(url, context);
      }
      return next(url, { ...context, format });
    },
  });
  return import(config);
}

/** Why a configuration could not be loaded, with the file and the line, and without the frames of the loader. */
async function explainFailure(path: string, error: unknown): Promise<string> {
  const message = messageOf(error);
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT')
    return `${printable(path)} cannot be loaded: ${message}${adviceFor(message)}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = placeIn(stack, path);
  if (error instanceof SyntaxError) {
    // Only what was thrown by running code, such as JSON.parse, has a place in the stack and no lines of source before it.
    const frame =
      codeFrame(stack) ?? (place === undefined ? codeFrame(await checkedByNode(path)) : undefined);
    if (frame !== undefined || place === undefined)
      return `${frame ?? `${printable(path)}: `}${message}${adviceFor(message)}`;
  }
  return `${printable(place ?? path)} threw while it was loaded: ${message}`;
}

/** Node puts "file:line", the lines around and a mark before the error itself, if it knows them. */
function codeFrame(report: string): string | undefined {
  const [head] = report.split(/^\w*Error\b/m);
  const isFrame = /^(?:file:\/\/)?\/?.*:\d+\n/.test(head);
  return isFrame
    ? `${head.replace(/^file:\/\/[^\n]*?(?=:\d+\n)/, (url) => printable(fileURLToPath(url))).trimEnd()}\n`
    : undefined;
}

/** This library's own files: the reader of an error in one of them wants to know what called it. */
const ours = `${dirname(dirname(import.meta.dirname))}${sep}`;

/** Where the error comes from: in the configuration itself if it was there at all, else in what it called. */
function placeIn(stack: string, path: string): string | undefined {
  const places = [...stack.matchAll(/^ +at (?:async )?(?:.*\()?((?:file:\/\/)?\/.*?):(\d+):\d+\)?$/gm)].map(
    ([, file, line]) => [file.startsWith('file:') ? fileURLToPath(file) : file, line] as const,
  );
  const place = places.find(([file]) => file === path) ?? places.find(([file]) => !file.startsWith(ours));
  return place?.join(':');
}

/** An error in plain JavaScript does not say where it is; Node's own check does. */
function checkedByNode(path: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', path], (_error, _stdout, stderr) => resolve(stderr));
  });
}
