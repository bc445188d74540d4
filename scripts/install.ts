/**
 * Installs packages into a folder of their own when a command first needs them: `npm ci` at the root brings only what every command needs.
 * A mark, written last, says for which list of packages the install is complete. An interrupted install has no mark, and is done again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Wanted {
  /** The folder with the package.json. */
  readonly folder: string;
  /** The packages in words, for the line that says what takes time. */
  readonly what: string;
  /** Changes whenever the packages do. */
  readonly list: string;
  /** How npm is called. */
  readonly words: readonly string[];
}

export function install({ folder, what, list, words }: Wanted): void {
  const mark = join(folder, 'node_modules', '.complete');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === list) return;
  console.error(`installing ${what}…`);
  rmSync(mark, { force: true });
  execFileSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(mark, list);
}
