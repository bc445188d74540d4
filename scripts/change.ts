/**
 * The files that a change touches. A change begins at `BASE` of the environment, else at the newest commit that is twelve hours older
 * than HEAD: a day's work lands as many commits. It ends with the files as they lie here, committed or not. Without a history (a
 * shallow clone, a tarball) nobody can say what has changed: callers then take a sample that never changes.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

export interface Change {
  /** A commit, or why there is none. */
  readonly base: { readonly commit: string } | { readonly missing: string };
  /** Paths from the root with `/`, without files that were deleted. */
  readonly files: readonly string[];
}

const ROOT = dirname(import.meta.dirname);
const HOURS = 12;

export function change(root: string = ROOT, env: Readonly<NodeJS.ProcessEnv> = process.env): Change {
  const git = (...words: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  };
  const base = baseOf(git, env.BASE);
  if ('missing' in base) return { base, files: [] };
  const changed = git('diff', '-z', '--name-only', '--diff-filter=d', base.commit) ?? '';
  const untracked = git('ls-files', '-z', '--others', '--exclude-standard') ?? '';
  const files = new Set(`${changed}${untracked}`.split('\0').filter((file) => file !== ''));
  return { base, files: [...files].sort() };
}

function baseOf(git: (...words: string[]) => string | undefined, wanted: string | undefined): Change['base'] {
  // A forge gives a branch that is new the base 000….
  if (wanted !== undefined && !/^0*$/.test(wanted)) {
    const commit = git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`);
    return commit === undefined
      ? { missing: `BASE names no commit of this clone: ${wanted}` }
      : { commit: commit.trim() };
  }
  const head = git('log', '-1', '--format=%ct');
  if (head === undefined) return { missing: 'there is no history here' };
  const before = Number(head) - HOURS * 3600;
  const commit = git('rev-list', '-1', `--before=${before}`, 'HEAD')?.trim();
  return commit ? { commit } : { missing: `the history here is younger than ${HOURS} hours` };
}

/** One line for whoever reads what a run has chosen. */
export function changeInWords({ base, files }: Change): string {
  if ('missing' in base) return `no base: ${base.missing}; a fixed sample instead of what has changed`;
  return `${files.length} files have changed since ${base.commit.slice(0, 10)}`;
}
