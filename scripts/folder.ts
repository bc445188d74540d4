/**
 * The folders that have a package.json and a lock file of their own: their packages are needed by a few commands only, and these install them.
 * Tests that need such packages lie in the folder, and `npm test` leaves them out.
 *
 *     node scripts/folder.ts site           installs what site/ needs, unless that was done
 *     node scripts/folder.ts site --play    checks its types, and runs its tests
 *     node scripts/folder.ts --changed      plays the folders that a change concerns (scripts/change.ts says what a change is)
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FILE_PATIENCE_MS } from '../test/patience.ts';
import { type Change, change, changeInWords } from './change.ts';
import { install } from './install.ts';

interface Folder {
  readonly path: string;
  /** Other paths whose files its tests read. */
  readonly reads: readonly string[];
}

const FOLDERS = {
  package: {
    path: 'publishing/',
    reads: [
      'examples/',
      'docs/getting-started.md',
      'docs/migration.md',
      'test/package/',
      'scripts/commonjs.ts',
      'scripts/enclose.ts',
      'src/thread.ts',
    ],
  },
  site: { path: 'site/', reads: ['docs/'] },
  judge: { path: 'examples/judge-others/', reads: ['docs/judg', 'docs/migration.md'] },
  bench: { path: 'bench/', reads: [] },
} as const satisfies Readonly<Record<string, Folder>>;

export type FolderName = keyof typeof FOLDERS;
const isFolder = (name: string | undefined): name is FolderName => name !== undefined && name in FOLDERS;
export const folderNames = Object.keys(FOLDERS).filter(isFolder);

export const folderPath = (name: FolderName): string => FOLDERS[name].path;

const ROOT = join(import.meta.dirname, '..');

export function installFolder(name: FolderName): void {
  const path = folderPath(name);
  const folder = join(ROOT, path);
  const list = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  install({ folder, what: `what ${path} needs`, list, words: ['ci'] });
  // A package.json of its own takes away the name of the one above it.
  const ours = join(folder, 'node_modules', 'obbligato');
  if (!existsSync(ours)) symlinkSync(ROOT, ours);
}

/** Returns the exit code. */
function playFolder(name: FolderName): number {
  installFolder(name);
  const path = folderPath(name);
  const run = (...words: string[]): number =>
    spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
  const files = globSync(`${path}test/**/*.test.ts`, { cwd: ROOT });
  const types = run('node_modules/typescript/bin/tsc', '--noEmit', '-p', path);
  if (types !== 0 || files.length === 0) return types;
  return run(
    '--test',
    '--test-concurrency=2',
    `--test-timeout=${FILE_PATIENCE_MS}`,
    '--test-reporter=spec',
    ...files,
  );
}

/** The folders that a change concerns: their own files, what their tests read, and a public door. All of them if nobody knows what has changed. */
export function concerned({ base, files }: Change): FolderName[] {
  const { exports: doors } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const sources = Object.values<string | { default: string }>(doors).map((door) =>
    typeof door === 'string'
      ? door.replace('./', '')
      : door.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
  );
  if ('missing' in base || files.some((file) => sources.includes(file))) return folderNames;
  return folderNames.filter((name) => {
    const { path, reads } = FOLDERS[name];
    return [path, ...reads].some((beginning) => files.some((file) => file.startsWith(beginning)));
  });
}

function playChanged(): number {
  const found = change();
  const names = concerned(found);
  console.log(`${changeInWords(found)}; folders to play: ${names.join(', ') || 'none'}`);
  return names.map(playFolder).find((code) => code !== 0) ?? 0;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { changed: { type: 'boolean' }, play: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name] = positionals;
  if (values.changed) process.exitCode = playChanged();
  else if (!isFolder(name)) throw new Error(`name one of ${folderNames.join(', ')}, or say --changed`);
  else if (values.play) process.exitCode = playFolder(name);
  else installFolder(name);
}
