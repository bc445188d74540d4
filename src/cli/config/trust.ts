/**
 * May a configuration that was found by search be run? A configuration is code, and whoever owns a folder above the one in which a command
 * is called decides which code that would be. So a file that nobody named must lie where only root and this user can put one.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;

/** Why a configuration that was found is not to be trusted; `undefined` if it is, or where files have no owners. */
export function distrustOf(config: string): string | undefined {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  for (const [what, path] of placesOf(config)) {
    const { uid, mode } = statSync(path);
    if (uid !== 0 && uid !== self) return `${what} belongs to another user (${uid})`;
    if ((mode & ALL_WRITE) !== 0) return `everybody may write ${what}`;
  }
  return undefined;
}

/** The file or the folder that a group may write, in words; `undefined` if there is none. A group with the number of its user has no other member. */
export const openToGroup = (config: string): string | undefined =>
  placesOf(config).find(([, path]) => {
    const { mode, uid, gid } = statSync(path);
    return (mode & GROUP_WRITES) !== 0 && gid !== uid;
  })?.[0];

const placesOf = (config: string): ReadonlyArray<readonly [what: string, path: string]> => [
  ['the file', config],
  ['its folder', dirname(config)],
];
