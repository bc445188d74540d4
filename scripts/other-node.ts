/**
 * Another version of Node, for the tests that depend on the version. It is installed from npm when it is asked for the first time, so that
 * `npm ci` brings only the one that the project runs on.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './install.ts';

/** The oldest and the newest that are supported. */
export const VERSIONS: Readonly<Record<string, string>> = { node22: '22.18.0', node26: '26.10.0' };

/** The path of its executable. */
export function otherNode(name: string, modules: string): string {
  const version = VERSIONS[name];
  if (version === undefined)
    throw new Error(`--on takes ${Object.keys(VERSIONS).join(' or ')}; got "${name}"`);
  const folder = join(modules, '.nodes', version);
  const executable = join(folder, 'node_modules', 'node', 'bin', 'node');
  mkdirSync(folder, { recursive: true });
  // The binary comes by the install script of the package, which newer versions of npm run only if they are told to.
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { node: true }, dependencies: { node: version } }),
  );
  install({ folder, what: `Node ${version}`, list: version, words: ['install', '--no-package-lock'] });
  if (!existsSync(executable)) throw new Error(`npm has installed no Node ${version} at ${executable}`);
  return executable;
}
