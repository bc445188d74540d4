/** Which form the configuration of a project has: TypeScript, which Node runs as it is, or JavaScript where the project is written in it. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The name of the file. One in JavaScript is a module whatever package.json says. */
export function configNameFor(folder: string, canStripTypes = process.features.typescript !== false): string {
  if (canStripTypes && !isJavaScript(folder)) return 'obbligato.config.ts';
  return packageTypeOf(folder) === 'module' ? 'obbligato.config.js' : 'obbligato.config.mjs';
}

/** Whether there is JavaScript here, or in the folder of the sources, and no TypeScript. Settings of tools are in JavaScript anywhere. */
function isJavaScript(folder: string): boolean {
  const found = (pattern: string): string[] =>
    globSync([pattern, `src/${pattern}`], { cwd: folder }).filter((path) => !/\.config\.\w+$/.test(path));
  const isTyped =
    found('*.{ts,mts,cts,tsx}').length > 0 || globSync('tsconfig*.json', { cwd: folder }).length > 0;
  return !isTyped && found('*.{js,mjs,cjs,jsx}').length > 0;
}

/** The `type` in the nearest package.json, as Node looks for it; undefined without one, or where it cannot be read. */
function packageTypeOf(folder: string): unknown {
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      return Reflect.get(Object(JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))), 'type');
    } catch (error) {
      const isMissing = Reflect.get(Object(error), 'code') === 'ENOENT';
      if (!isMissing || dirname(at) === at) return undefined;
    }
  }
}
