/**
 * Loads a configuration as the module that it is, whatever package it lies in. `npm init` writes `"type": "commonjs"` into package.json
 * (or nothing), and Node would then refuse the very first `import` of a newcomer's file (or warn of it). So the configuration, and the
 * TypeScript of the same project that it imports, are taken for modules if they are written as such.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A line that begins with `import` or `export` as only a module's can. */
const moduleSyntax = /^\s*(?:import\s*(?:[\w{*'"]|type\b)|export\b)/m;

export async function importConfigModule(path: string): Promise<object> {
  const config = pathToFileURL(path).href;
  // Stays in place: what a callback imports later on belongs to the same project.
  registerHooks({
    load(url, context, next) {
      const isOurs = url === config || (url.endsWith('.ts') && !url.includes('/node_modules/'));
      if (!isOurs || !url.startsWith('file:')) return next(url, context);
      const format = url.endsWith('.ts') ? 'module-typescript' : url.endsWith('.js') ? 'module' : undefined;
      if (format === undefined || !moduleSyntax.test(readFileSync(fileURLToPath(url), 'utf8'))) {
        return next(url, context);
      }
      return next(url, { ...context, format });
    },
  });
  return import(config);
}
