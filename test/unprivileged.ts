/**
 * A user whom permissions bind. Root may do everything, so root becomes nobody, who may not even reach a clone in a private folder:
 * nobody gets a copy of Node and of the sources in a folder that everybody may enter.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const isRoot = process.getuid?.() === 0;

/** The user, for `spawn`. */
export const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};

/** A folder for temporary files that everybody may enter, unlike one in a private home. */
export const openTmp = [tmpdir(), '/tmp', '/var/tmp'].find(mayBeEntered) ?? tmpdir();

function mayBeEntered(folder: string): boolean {
  const isOpen = ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || mayBeEntered(dirname(folder)));
}

/** Lets everybody read all that is in a folder, whatever the umask was. */
export const open = (folder: string): void => void execFileSync('chmod', ['-R', 'a+rX', folder]);

/** The Node that nobody runs, and the folder whose `src` it runs. */
export function reachable(): Reachable {
  known ??= isRoot ? copied() : { node: process.execPath, root };
  return known;
}

interface Reachable {
  readonly node: string;
  readonly root: string;
}
let known: Reachable | undefined;

function copied(): Reachable {
  const folder = mkdtempSync(join(openTmp, 'obbligato-for-nobody-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  open(folder);
  return { node, root: folder };
}
