/** Places where tests might not pass, and how a clone of the project comes there. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { give, NOBODY, type User } from '../../test/unprivileged.ts';

export interface Place {
  readonly name: string;
  /** `.ci/run` plays the test files of a change here. */
  readonly isForChanges?: true;
  /** Below a fresh folder. */
  readonly folder?: string;
  /** Of the folder above the clone. */
  readonly mode?: number;
  readonly umask?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** As nobody, who is not root; only root can try that. */
  readonly asNobody?: boolean;
  /** How many processes that never rest run next to the tests. */
  readonly busyLoops?: number;
}

const ODD_PATH = "a folder, größer & 日本 'quoted'";
const TURKISH = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };

export const PLACES: readonly Place[] = [
  {
    name: 'all at once: a private folder, an odd path, a umask of 077, TZ=Pacific/Chatham, LANG=tr_TR',
    isForChanges: true,
    folder: ODD_PATH,
    mode: 0o700,
    umask: 0o077,
    env: TURKISH,
  },
  {
    name: 'all at once, as another user',
    folder: ODD_PATH,
    mode: 0o700,
    umask: 0o077,
    env: TURKISH,
    asNobody: true,
  },
  { name: 'a private folder', isForChanges: true, mode: 0o700 },
  { name: 'a path with spaces and letters beyond ASCII', folder: ODD_PATH },
  { name: 'a umask of 077', umask: 0o077 },
  { name: 'another user', isForChanges: true, asNobody: true },
  { name: 'TZ=Pacific/Chatham, LANG=tr_TR', env: TURKISH },
  { name: 'TZ=America/St_Johns, LANG=C', env: { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' } },
  { name: 'TZ and LANG that do not exist', env: { TZ: 'Nowhere/Land', LANG: 'xx_YY.UTF-8' } },
  { name: 'a busy machine', isForChanges: true, busyLoops: 4 },
];

export const userOf = ({ asNobody }: Place): User | undefined => (asNobody ? NOBODY : undefined);

const ROOT = dirname(dirname(import.meta.dirname));

/** Makes the place in a fresh folder, and the clone in it. With `installs`, npm brings the packages there. */
export function prepare(place: Place, above: string, installs: boolean): string {
  const { folder = 'clone', mode = 0o755, umask } = place;
  const user = userOf(place);
  const before = process.umask(umask ?? process.umask());
  const clone = join(above, folder);
  copySources(clone);
  for (const name of ['home', 'tmp']) mkdirSync(join(above, name));
  if (installs) execFileSync('npm', ['ci'], { cwd: clone, stdio: 'ignore' });
  if (user !== undefined) give(above, user);
  if (!installs) linkTree(join(ROOT, 'node_modules'), join(clone, 'node_modules'), user);
  process.umask(before);
  chmodSync(above, mode);
  return clone;
}

/** The files as they lie here, committed or not, with their history if there is one. */
function copySources(clone: string): void {
  const git = (...words: string[]): readonly string[] | undefined => {
    const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
    return status === 0 ? stdout.split('\0').filter((file) => file !== '') : undefined;
  };
  const changed = git('diff', '-z', '--name-only', 'HEAD');
  if (changed === undefined) {
    const isOurs = (path: string): boolean => !/(^|[\\/])(node_modules|dist)$/.test(path);
    cpSync(ROOT, clone, { recursive: true, filter: isOurs });
    return;
  }
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  for (const file of [...changed, ...(git('ls-files', '-z', '--others', '--exclude-standard') ?? [])]) {
    const [from, to] = [join(ROOT, file), join(clone, file)];
    rmSync(to, { force: true });
    const { mode } = statSync(from, { throwIfNoEntry: false }) ?? {};
    if (mode === undefined) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
    chmodSync(to, mode & ~process.umask());
  }
}

/** What commands keep here for themselves. */
const OWN = ['.cache', '.nodes'];
const READABLE_BY_ALL = 0o004;

/**
 * Another folder with the same files. They are hard links where the user who needs them may read them, and copies elsewhere. The folders
 * are new and belong to that user, so nothing that is made or removed in one tree is seen in the other.
 */
export function linkTree(from: string, to: string, user?: User): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (OWN.includes(entry.name)) continue;
    if (entry.isDirectory()) linkTree(source, target, user);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (user !== undefined && (statSync(source).mode & READABLE_BY_ALL) === 0)
      copyFor(user, source, target);
    else linkOrCopy(source, target);
  }
  if (user !== undefined) chownSync(to, user.uid, user.gid);
}

function copyFor({ uid, gid }: User, source: string, target: string): void {
  copyFileSync(source, target);
  chownSync(target, uid, gid);
}

/** Another file system takes no hard links, and some systems take none to the files of others. */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}
