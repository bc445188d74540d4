/** Where the programs of a configuration keep what they write. */
import { dirname, join } from 'node:path';
import { logFolderOf, wrapCallbacks } from '../../config.ts';
import type { LoadedConfig } from './load.ts';

/** The folders by task: that of its `command`; if it is hidden in another callback, the usual one. */
export function logFoldersOf({ path, config }: LoadedConfig): ReadonlyMap<string, string> {
  const usual = join(dirname(path), '.obbligato');
  const folders = new Map<string, string>();
  wrapCallbacks(config.tasks, (run, name) => {
    folders.set(name, logFolderOf(run) ?? usual);
    return run;
  });
  return folders;
}
