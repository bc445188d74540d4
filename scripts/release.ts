/**
 * `npm run release -- 1.2.3`: makes the commit and the tag of a release. It dates what is under "Unreleased" in the changelog, writes the version into
 * package.json and the lock file, commits the three, and tags the commit. Nothing leaves this machine: pushing the tag publishes it.
 *
 * It refuses, before anything is touched, if files are changed or not known to git, if the version is not newer than the last tag, or if the changelog has
 * nothing to say. `--date` sets the day, which is today in UTC otherwise.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareVersions, ReleaseError, released } from './release/changelog.ts';

const USAGE = 'Usage: npm run release -- <version> [--date <yyyy-mm-dd>]';

const git = (...words: string[]): string => execFileSync('git', words, { encoding: 'utf8' }).trimEnd();

function mustBeReleasable(version: string): void {
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new ReleaseError(`there are changes that are not committed:\n${changed}`);
  const tags = git('tag', '--list', 'v*')
    .split('\n')
    .filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
  const newest = tags
    .map((tag) => tag.slice(1))
    .sort(compareVersions)
    .at(-1);
  if (newest !== undefined && compareVersions(version, newest) <= 0)
    throw new ReleaseError(`${version} does not come after ${newest}, which is tagged`);
}

/** The text of a JSON file with another version in the places that have it, and nothing else changed. */
function withVersion(text: string, from: string, to: string, places: number): string {
  let count = 0;
  const changed = text.replaceAll(`"version": "${from}"`, (found) =>
    count++ < places ? `"version": "${to}"` : found,
  );
  if (count < places) throw new ReleaseError(`the version ${from} is not where it should be`);
  return changed;
}

function release(words: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { date: { type: 'string', default: new Date().toISOString().slice(0, 10) } },
    allowPositionals: true,
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new ReleaseError(USAGE);
  const root = git('rev-parse', '--show-toplevel');
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const changelog = released(read('CHANGELOG.md'), version, values.date);
  mustBeReleasable(version);
  const current: string = JSON.parse(read('package.json')).version;
  if (compareVersions(version, current) < 0)
    throw new ReleaseError(`package.json has ${current}, which is newer`);
  const files = [
    ['package.json', withVersion(read('package.json'), current, version, 1)],
    // Its own version stands there twice, before those of all packages.
    ['package-lock.json', withVersion(read('package-lock.json'), current, version, 2)],
    ['CHANGELOG.md', changelog],
  ] as const;
  for (const [file, text] of files) writeFileSync(join(root, file), text);
  git('-C', root, 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  git('-C', root, 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
  console.log(`committed and tagged v${version}; to publish it: git push --follow-tags`);
}

try {
  release(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = error instanceof ReleaseError ? 1 : 2;
}
