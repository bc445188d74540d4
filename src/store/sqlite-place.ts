/**
 * What is at a path, found out before anything is done to it. `stat` opens nothing, and so drops no lock of this process; a file
 * that holds something is then looked into through a connection that cannot write.
 */
import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { StoreForeignFileError, StoreSharedFileError, StoreUnwritableError } from './errors.ts';
import { loadSqlite } from './sqlite-load.ts';
import { versionOf } from './sqlite-schema.ts';

/** The smallest page that a database can have. */
const SMALLEST_DATABASE = 512;
/** The largest. Ours needs a rollback journal for its very first page alone, before it turns to write-ahead logging. */
const LARGEST_FIRST_PAGE = 65_536;
/** SQLITE_READONLY_ROLLBACK: a transaction was cut off in rollback-journal mode, which a reader cannot repair. */
const HOT_JOURNAL = 776;

/** `undefined` for nothing. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new StoreUnwritableError(
      { path, reason: 'its folder cannot be entered: check its permissions' },
      error,
    );
  }
}

/** As `statusOf`, for something that is a file and can be a database. */
export function fileStatusOf(path: string): Stats | undefined {
  const status = statusOf(path);
  if (status === undefined) return undefined;
  if (status.isDirectory())
    throw new StoreUnwritableError({ path, reason: 'it is a directory: name a file in it' });
  if (!status.isFile()) throw new StoreUnwritableError({ path, reason: 'it is not a regular file' });
  // SQLite takes a file of one byte for an empty one, and would write over it.
  if (status.size > 0 && status.size < SMALLEST_DATABASE) {
    throw new StoreForeignFileError({ path, reason: 'is not a database' });
  }
  return status;
}

/** The file that is meant, also if it is not there yet: links are followed, as SQLite does it. */
export function realLocationOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    try {
      if (lstatSync(path).isSymbolicLink()) return realLocationOf(resolve(dirname(path), readlinkSync(path)));
    } catch {
      // There is nothing at the path, or nothing that can be reached.
    }
    const folder = dirname(path);
    return folder === path ? path : join(realLocationOf(folder), basename(path));
  }
}

/** By what a file is the same file, whatever its path: device and inode. `undefined` for nothing. */
export function identityOf(path: string): string | undefined {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status === undefined ? undefined : `${status.dev}:${status.ino}`;
}

/** SQLite has one code for all that keeps it from opening a file. This finds out what it was, as far as it still is. */
export function whyNotOpened(path: string): string {
  try {
    closeSync(openSync(devNull, 'r'));
  } catch (error) {
    const code = String(Reflect.get(Object(error), 'code'));
    if (code === 'EMFILE' || code === 'ENFILE')
      return `too many files are open (${code}): close some, or raise the limit (ulimit -n)`;
  }
  try {
    const { files, ffree, blocks, bavail } = statfsSync(dirname(path));
    if (files > 0 && ffree === 0)
      return 'its file system has no room for another file (no inodes left): delete some';
    // A file system of no size, as /proc is, keeps no files.
    if (blocks > 0 && bavail === 0) return 'the disk is full: make room';
  } catch {
    // Then the folder is what is wrong.
  }
  return 'it cannot be opened: check that this user may write the file and its folder';
}

/** What can be seen without opening anything. Answers the file's status; `undefined` if there is none yet, and there can be one. */
export function examinePlace(path: string): Stats | undefined {
  const status = fileStatusOf(path);
  if (status !== undefined) {
    const alias = aliasOf(path, status);
    if (alias !== undefined) throw new StoreSharedFileError({ path, reason: alias }, undefined);
    return status;
  }
  const folder = statusOf(dirname(path));
  if (folder === undefined)
    throw new StoreUnwritableError({ path, reason: 'its folder does not exist: create it first' });
  if (!folder.isDirectory()) throw new StoreUnwritableError({ path, reason: 'its folder is not a folder' });
  return undefined;
}

/**
 * How a file has a second path; `undefined` if it has none. Such a file has a second lock and a second log next to that path: two
 * schedulers could own it at once, and ruin it. Symbolic links are no such paths, because they are followed.
 */
export function aliasOf(path: string, { nlink, dev }: Stats): string | undefined {
  if (nlink > 1) return `has ${nlink} names (hard links)`;
  const location = realLocationOf(path);
  const isMounted = statSync(dirname(location)).dev !== dev || mountPoints().has(location);
  return isMounted ? 'is mounted as a single file' : undefined;
}

/** The fifth word of each line is where something is mounted; blanks in it are octal. Other systems than Linux have no such list. */
function mountPoints(): ReadonlySet<string> {
  let text = '';
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return new Set();
  }
  const unescaped = (word: string): string =>
    word.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
  return new Set(text.split('\n').map((line) => unescaped(line.split(' ')[4] ?? '')));
}

/** Refuses what cannot be a store of ours, and leaves it as it is. */
export function examine(path: string, busyTimeoutMs: number): void {
  const status = examinePlace(path);
  if (status === undefined || status.size === 0) return;
  const { DatabaseSync } = loadSqlite();
  const reader = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    versionOf(reader, path);
  } catch (error) {
    if (Reflect.get(Object(error), 'errcode') !== HOT_JOURNAL) throw error;
    if (status.size > LARGEST_FIRST_PAGE) {
      throw new StoreForeignFileError(
        { path, reason: 'holds an unfinished transaction of another program' },
        error,
      );
    }
  } finally {
    reader.close();
  }
}
