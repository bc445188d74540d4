/** Files: what is at a path, and files that the command line asks for. A path that cannot be written is a mistake on the command line. */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  linkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from './errors.ts';
import { printable } from './terminal/text.ts';

/** What is at a path; undefined for nothing. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const message = `${printable(path)} cannot be reached: check the permissions of its folder`;
    throw new CliError('failure', message, error);
  }
}

/** What is the fault of the path; the rest is the fault of the disk. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only file system',
  ENAMETOOLONG: 'its name is too long',
};

/** Writes a file. One that is new gets the given permissions, as far as the umask leaves them. */
export function writeFile(path: string, text: string, mode: number): void {
  guarded(path, () => {
    check(path);
    writeFileSync(path, text, { mode });
  });
}

function check(path: string): void {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  accessSync(isThere ? path : dirname(path), constants.W_OK);
}

/** Does something to a path; what goes wrong is said in words. */
export function guarded(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = String(Reflect.get(Object(error), 'code'));
    const isPathWrong = Object.hasOwn(REASONS, code);
    const reason = isPathWrong ? REASONS[code] : code === 'ENOSPC' ? 'the disk is full' : code;
    const message = `${printable(path)} cannot be written: ${reason}`;
    throw new CliError(isPathWrong ? 'usage' : 'failure', message, error);
  }
}

/**
 * Writes a file that is there whole or not at all, whatever ends the process meanwhile: the text goes into a file of another name in the same
 * folder, is made durable, and then gets its name in one step. `new` never touches a file that is there, also one that appears in this very
 * instant: a link, unlike a renaming, fails then (EEXIST). Only a kill that cannot be caught may leave the file of the other name behind.
 * Without a `mode` the umask decides on the permissions.
 */
export function writeWhole(
  path: string,
  text: string | Buffer,
  how: 'new' | 'in place',
  mode?: number,
): void {
  const half = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    writeFileSync(half, text, { flag: 'wx', mode: mode ?? 0o666, flush: true });
    // The umask may have taken some of it away.
    if (mode !== undefined) chmodSync(half, mode);
    if (how === 'in place') renameSync(half, path);
    else linkOrRename(half, path);
  } finally {
    rmSync(half, { force: true });
  }
}

/** Not every file system has links; there, a look and a renaming are all that can be had. */
function linkOrRename(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const code = String(Reflect.get(Object(error), 'code'));
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code) || statusOf(to) !== undefined)
      throw error;
    renameSync(from, to);
  }
}
