/** Why a program could not be started, in words that say what is so and what to do. */
import { statSync } from 'node:fs';
import { describeError } from '../text/describe-error.ts';

const NO_ROOM = 'the system has no memory or no process left for it';
const NO_DESCRIPTOR = 'no file can be opened any more: too many are open (see "ulimit -n")';

const REASONS: Readonly<Record<string, string>> = {
  // Linux takes at most 128 KB for one of them, whatever "ulimit -s" allows for all.
  E2BIG:
    "its arguments or its environment are too long; the task's name is part of the environment, and one part may have 128 KB",
  EMFILE: NO_DESCRIPTOR,
  ENFILE: NO_DESCRIPTOR,
  EAGAIN: NO_ROOM,
  ENOMEM: NO_ROOM,
};

/** What an error of the operating system means for a program. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = describeError(error);
  return REASONS[code] ?? message;
}

/** What the error of a `spawn` in a folder means. The system says ENOENT for a missing folder and for a missing shell alike. */
export function spawnReason(error: unknown, cwd: string): string {
  const { code } = describeError(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') return reasonOf(error);
  const kind = kindOf(cwd);
  if (kind !== 'folder') return `its folder "${cwd}" ${kind}`;
  return code === 'EACCES' ? `this user may not enter its folder "${cwd}"` : 'there is no /bin/sh';
}

function kindOf(
  path: string,
): 'folder' | 'is not a folder' | 'is not there' | 'cannot be reached by this user' {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return 'is not there';
    return status.isDirectory() ? 'folder' : 'is not a folder';
  } catch {
    return 'cannot be reached by this user';
  }
}

/** The error without what Node adds to it: the arguments, which may hold a password. */
export function withoutArguments(error: unknown): Error {
  const { code, message } = describeError(error);
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
