/**
 * The one place that runs something as another user, or gives files to one (`tidy` holds that). Root may do everything, so to see what
 * permissions forbid, root becomes nobody, who may not even reach a clone in a private folder: nobody gets a copy of Node and of the
 * sources in a folder that everybody may enter.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export const isRoot = process.getuid?.() === 0;
export const NOBODY: User = { uid: 65_534, gid: 65_534 };

/** A folder for temporary files that everybody may enter, unlike one in a private home. */
export const openTmp = [tmpdir(), '/tmp', '/var/tmp'].find(mayBeReached) ?? tmpdir();

/** Whether every user may enter this folder, or run this program. */
export function mayBeReached(path: string): boolean {
  const isOpen = ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o001) !== 0;
  return isOpen && (path === dirname(path) || mayBeReached(dirname(path)));
}

/** Lets everybody read all that is in a folder, whatever the umask was. */
export const open = (folder: string): void => void execFileSync('chmod', ['-R', 'a+rX', folder]);

/** Makes a user the owner of a file, or of a folder and all that is in it. Only root can. */
export const give = (path: string, { uid, gid }: User): void =>
  void execFileSync('chown', ['-R', `${uid}:${gid}`, path]);

/** Gives a file to a group. */
export const giveToGroup = (path: string, group: number): void =>
  void execFileSync('chgrp', [String(group), path]);

/** A user whom permissions bind: how `spawn` becomes that user, the Node that the user runs, and the folder whose `src` it runs. */
export function unprivileged(): Unprivileged {
  known ??= isRoot ? copied() : { user: {}, node: process.execPath, root };
  return known;
}

interface Unprivileged {
  readonly user: Partial<User>;
  readonly node: string;
  readonly root: string;
}
const root = dirname(import.meta.dirname);
let known: Unprivileged | undefined;

function copied(): Unprivileged {
  const folder = mkdtempSync(join(openTmp, 'obbligato-for-nobody-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  open(folder);
  return { user: NOBODY, node, root: folder };
}
