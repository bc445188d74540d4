/** Files that a command was told to write. A path that cannot be written is told in one line, as what is wrong with the command line. */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FAILED } from './exit-codes.ts';
import { printable } from './text.ts';
import { UsageError } from './usage-error.ts';

/** What a path can be to blame for; the rest is the disk's affair. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only file system',
  ENAMETOOLONG: 'its name is too long',
};

/** The disk did not let a file be written. */
class WriteFileError extends Error {
  readonly exitCode = FAILED;

  constructor(path: string, reason: string, cause: unknown) {
    super(`${printable(path)} cannot be written: ${reason}`, { cause });
    this.name = 'WriteFileError';
  }
}

export interface FileToWrite {
  readonly path: string;
  readonly text: string;
}

/** Writes all of them. Every path is looked at before the first is written, so that a wrong one leaves nothing half done. */
export function writeFiles(files: readonly FileToWrite[]): void {
  for (const { path } of files) told(path, () => check(path));
  for (const { path, text } of files) told(path, () => writeFileSync(path, text));
}

function check(path: string): void {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  accessSync(isThere ? path : dirname(path), constants.W_OK);
}

function told(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = String(Reflect.get(Object(error), 'code'));
    if (Object.hasOwn(REASONS, code)) {
      throw new UsageError(`${printable(path)} cannot be written: ${REASONS[code]}`);
    }
    throw new WriteFileError(path, code === 'ENOSPC' ? 'the disk is full' : code, error);
  }
}
