/**
 * Tries the tests where they might not pass: clones the last commit into such a place, brings the dependencies there, and runs the
 * tests as that place demands, with a home and a temporary folder of their own and without a terminal. Prints a line for each place; exits with 1 if one of them failed.
 *
 *     npm run anywhere                        npm run test:quick in each place
 *     npm run anywhere -- --long              npm test in each place
 *     npm run anywhere -- test/store/*.test.ts    these files in each place
 *     npm run anywhere -- --only umask        in the places whose name has this in it
 *     npm run anywhere -- --only busy --long      npm test next to four busy loops
 *     npm run anywhere -- --install           npm ci in each place, instead of a copy of node_modules
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

interface Place {
  readonly name: string;
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

const PLACES: readonly Place[] = [
  { name: 'all at once', folder: ODD_PATH, mode: 0o700, umask: 0o077, env: TURKISH },
  {
    name: 'all at once, as another user',
    folder: ODD_PATH,
    mode: 0o700,
    umask: 0o077,
    env: TURKISH,
    asNobody: true,
  },
  { name: 'a private folder', mode: 0o700 },
  { name: 'a path with spaces and letters beyond ASCII', folder: ODD_PATH },
  { name: 'a umask of 077', umask: 0o077 },
  { name: 'another user', asNobody: true },
  { name: 'TZ=Pacific/Chatham, LANG=tr_TR', env: TURKISH },
  { name: 'TZ=America/St_Johns, LANG=C', env: { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' } },
  { name: 'TZ and LANG that do not exist', env: { TZ: 'Nowhere/Land', LANG: 'xx_YY.UTF-8' } },
  { name: 'a busy machine', busyLoops: 4 },
];
const NOBODY = 65_534;

const { values, positionals } = parseArgs({
  options: { long: { type: 'boolean' }, install: { type: 'boolean' }, only: { type: 'string' } },
  allowPositionals: true,
});
const root = dirname(import.meta.dirname);
const isRoot = process.getuid?.() === 0;
const command =
  positionals.length > 0 ? ['test', '--', ...positionals] : values.long ? ['test'] : ['run', 'test:quick'];

/** Makes the place, and the clone in it. */
function prepare({ folder = 'clone', mode = 0o755, umask, asNobody }: Place, above: string): string {
  const before = process.umask(umask ?? process.umask());
  const clone = join(above, folder);
  execFileSync('git', ['clone', '--quiet', root, clone]);
  for (const name of ['home', 'tmp']) mkdirSync(join(above, name));
  if (values.install) execFileSync('npm', ['ci'], { cwd: clone, stdio: 'ignore' });
  else
    cpSync(join(root, 'node_modules'), join(clone, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
  if (umask === 0o077) execFileSync('chmod', ['-R', 'go-rwx', above]);
  if (asNobody) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, above]);
  process.umask(before);
  chmodSync(above, mode);
  return clone;
}

/** A process that takes all the time it can get, and ends with this one, in whatever way. */
const busyLoop = (): ChildProcess =>
  spawn(process.execPath, ['-e', 'const { ppid } = process; while (process.ppid === ppid);'], {
    stdio: 'ignore',
  });

/** The tests in a place: without a terminal, and with what they say in a file. */
function run(place: Place, above: string, log: string): boolean {
  const clone = prepare(place, above);
  const out = openSync(log, 'w');
  const loops = Array.from({ length: place.busyLoops ?? 0 }, busyLoop);
  const before = process.umask(place.umask ?? process.umask());
  const { status } = spawnSync('npm', command, {
    cwd: clone,
    env: { ...process.env, HOME: join(above, 'home'), TMPDIR: join(above, 'tmp'), ...place.env },
    stdio: ['ignore', out, out],
    ...(place.asNobody ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  process.umask(before);
  for (const loop of loops) loop.kill('SIGKILL');
  return status === 0;
}

let failures = 0;
for (const [index, place] of PLACES.entries()) {
  if (values.only !== undefined && !place.name.includes(values.only)) continue;
  if (place.asNobody && !isRoot) {
    console.log(`not tried  ${place.name}: the other places were tried as one`);
    continue;
  }
  const above = mkdtempSync(join(tmpdir(), 'obbligato-anywhere-'));
  const log = join(tmpdir(), `obbligato-anywhere-${index + 1}.log`);
  const startedAt = Date.now();
  const passed = run(place, above, log);
  rmSync(above, { recursive: true, force: true });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(
    `${passed ? 'passed    ' : 'FAILED    '} ${place.name} (${seconds} s)${passed ? '' : `: see ${log}`}`,
  );
  if (!passed) failures++;
}
if (!isRoot) console.log('not tried  root: run this as root');
process.exitCode = failures === 0 ? 0 : 1;
