/**
 * What is remembered on disk of a program while it runs: one file per program, in a folder that outlives the scheduler. The next
 * scheduler that starts the same task finds it there, and ends the program first.
 *
 *     (no program) ──write: durable──▶ (the program may begin) ──it has ended──▶ remove
 *                                                └── the scheduler is killed: the file stays ──▶ found by the next one
 *
 * A file names its owner, the scheduler's process. While that process lives, no other scheduler touches the program, whatever its
 * task is called. So two schedulers may share a folder, and a leftover always belongs to a dead scheduler.
 *
 * A file says which process to end, so only this user may have written it: the folder must belong to this user, and no other user may write to it.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownProcess, StartedProgram } from './process-table.ts';

export interface Memo {
  readonly task: string;
  readonly program: StartedProgram;
  readonly owner: KnownProcess;
}

/** The beginning of the names of a task's files: readable as far as it goes, and of no other task. */
export function stem(task: string): string {
  const readable = task.replace(/[^\w.-]+/g, '_').slice(0, 40);
  return `${readable}-${createHash('sha256').update(task).digest('hex').slice(0, 16)}`;
}

/** Writes a memo, and resolves to its path once it is durable: the file itself, and its name in the folder. */
export async function writeMemo(folder: string, memo: Memo): Promise<string> {
  await makeFolder(folder);
  await checkFolder(folder);
  const path = join(folder, `${stem(memo.task)}.${memo.owner.pid}-${memo.program.pid}.json`);
  const draft = `${path}.draft`;
  await written(draft, 'w', `${JSON.stringify(memo)}\n`);
  await rename(draft, path);
  await written(folder, 'r', undefined);
  return path;
}

/** The folder itself and no folder above it, as with a store: a path with a typing error should not come into being. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Throws if another user could have put something into a folder. If the path is a link, its owner counts too. */
async function checkFolder(folder: string): Promise<void> {
  const [link, target] = await Promise.all([lstat(folder), stat(folder)]);
  const stranger = [link, target].find(({ uid }) => !isOurs(uid));
  if (stranger !== undefined)
    throw new Error(
      `it belongs to user ${stranger.uid}, and this process is user ${process.geteuid?.()}; choose another folder (the option "directory")`,
    );
  if ((target.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new Error(
      'other users may write to it; look into it for files that are not yours, then "chmod 700" it',
    );
}

const WRITABLE_BY_OTHERS = 0o022;
const isOurs = (uid: number): boolean => process.geteuid === undefined || uid === process.geteuid();

async function written(path: string, mode: string, text: string | undefined): Promise<void> {
  const file = await open(path, mode, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export const removeMemo = (path: string): Promise<void> => rm(path, { force: true });

export interface FoundMemo {
  readonly path: string;
  /** Undefined if the file makes no sense. */
  readonly memo: Memo | undefined;
}

/** All that is remembered of a task's programs. A file may go while we look: then its program has ended, and that is all the same. */
export async function findMemos(folder: string, task: string): Promise<readonly FoundMemo[]> {
  const names = await checkFolder(folder)
    .then(() => readdir(folder))
    .catch(unlessMissing([]));
  const prefix = `${stem(task)}.`;
  const found = names
    .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    .map(async (name): Promise<FoundMemo[]> => {
      const path = join(folder, name);
      const text = await ownText(path).catch(unlessMissing(undefined));
      return text === undefined ? [] : [{ path, memo: parse(text) }];
    });
  return (await Promise.all(found)).flat();
}

/** What a file holds; nothing, if it is another user's: it may be older than the folder's permissions. */
async function ownText(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    return isOurs((await file.stat()).uid) ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}

/** What stands for a file or folder that is not there. */
const unlessMissing =
  <Value>(instead: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };

function parse(text: string): Memo | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { task, program, owner }: Record<string, unknown> = Object(value);
  const isRight = typeof task === 'string' && isKnown(owner) && isKnown(program) && 'runId' in program;
  return isRight ? (value as Memo) : undefined;
}

/** A number that is no process's own must never reach `kill`: 0, 1 and the negative ones mean many. */
const isKnown = (value: unknown): value is KnownProcess =>
  typeof value === 'object' &&
  value !== null &&
  Number.isSafeInteger(Reflect.get(value, 'pid')) &&
  Reflect.get(value, 'pid') > 1 &&
  typeof Reflect.get(value, 'mark') === 'string';
