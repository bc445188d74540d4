/**
 * The test files of a change that are tried in other places. If the change touches more files than there is time for, the files that a
 * place can break come first: they start processes, or are about users, permissions, paths, languages or zones. The commit where the
 * change begins draws which files are left out, so the choice is the same on every machine.
 */
import { createHash } from 'node:crypto';
import { importsOf, read } from '../../test/tidy/sources.ts';
import type { Change } from '../change.ts';
import { slow, testFiles } from '../test.ts';

/** In seconds of one core: on two quiet cores a place takes less than two minutes. */
export const BUDGET = 200;
/** What a test file takes in the mean, by measurement: one of those that `npm run test:quick` plays, and one that it leaves out. */
const COST = { quick: 1, slow: 9 };
/** The part of the budget that files have which no place is known to break. */
const OTHERS = 1 / 5;

const BREAKABLE =
  /\b(child_process|node-pty|unprivileged|chmod\w*|umask|homedir|tmpdir|cwd\(|realpath\w*|temporaryFolder|toLocale\w*|TZ|LANG|LC_ALL)\b/;

export interface Choice {
  readonly played: readonly string[];
  readonly left: readonly string[];
}

/** What is known of a test file. */
export interface TestFile {
  readonly file: string;
  readonly isBreakable: boolean;
  readonly isSlow: boolean;
}

/** The test files that a change touches: they are in it, or a helper of the tests that they import is. All, if nobody knows what has changed. */
export function touchedBy({ base, files }: Change): TestFile[] {
  const changed = new Set(files.filter((file) => file.startsWith('test/')));
  const isTouched = (file: string): boolean =>
    changed.has(file) || importsOf(file).some((helper) => changed.has(helper));
  const slowFiles = new Set(slow.flatMap(([, pattern]) => testFiles(pattern)));
  const names = testFiles().filter((file) => 'missing' in base || isTouched(file));
  return names.map((file) => ({ file, isBreakable: isBreakable(file), isSlow: slowFiles.has(file) }));
}

const isBreakable = (file: string): boolean =>
  [file, ...importsOf(file).filter((helper) => helper.startsWith('test/'))].some((one) =>
    BREAKABLE.test(read(one)),
  );

/** As many of the files as the budget lets play; the quick ones first, since many of them tell more than a slow one. */
export function chosen(files: readonly TestFile[], seed: string, budget = BUDGET): Choice {
  const order = ({ file, isSlow }: TestFile): number => Number(isSlow) + drawOf(seed, file);
  const drawn = files.toSorted((one, other) => order(one) - order(other));
  const played = new Set<string>();
  let spent = 0;
  const take = (some: readonly TestFile[], limit: number): void => {
    for (const { file, isSlow } of some) {
      const cost = isSlow ? COST.slow : COST.quick;
      if (spent + cost > limit) return;
      spent += cost;
      played.add(file);
    }
  };
  take(
    drawn.filter(({ isBreakable }) => isBreakable),
    budget * (1 - OTHERS),
  );
  take(
    drawn.filter(({ file }) => !played.has(file)),
    budget,
  );
  const names = files.map(({ file }) => file);
  return {
    played: names.filter((name) => played.has(name)),
    left: names.filter((name) => !played.has(name)),
  };
}

/** From 0 to 1. */
const drawOf = (seed: string, file: string): number =>
  createHash('sha256').update(`${seed} ${file}`).digest().readUInt32BE() / 2 ** 32;
