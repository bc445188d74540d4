/** Which code is played. Portions of one version belong together. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Version {
  /** As people read it: "126ff31", "126ff31+changes". */
  readonly commit: string;
  /** Differs with everything that is not committed. */
  readonly tree: string;
}

export function versionOf(root: string): Version {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 });
  try {
    const commit = git('rev-parse', '--short', 'HEAD').trim();
    if (git('status', '--porcelain') === '') return { commit, tree: commit };
    const changes = createHash('sha256').update(git('diff', 'HEAD'));
    for (const file of git('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean))
      changes.update(file).update(readFileSync(join(root, file)));
    return { commit: `${commit}+changes`, tree: `${commit}+${changes.digest('hex')}` };
  } catch {
    return { commit: 'unknown', tree: 'unknown' }; // no git, or no clone
  }
}
