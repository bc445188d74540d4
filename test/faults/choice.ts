/**
 * Which planted faults the suite plays: those in files that the change touches, and a sample of the rest. Each name decides for itself
 * whether it is in the sample, so another fault changes nothing about that.
 */
import { createHash } from 'node:crypto';
import { type Change, change } from '../../scripts/change.ts';
import { playsAll } from '../sample.ts';
import { editsOf, type Fault } from './fault.ts';
import { placeOf } from './place.ts';

const ONE_IN = 6;
const LEAST = 2;
const MOST = 25;

export interface Choice<T> {
  readonly played: readonly T[];
  /** How many of how many, and how to play the others. */
  readonly words: string;
}

export function choiceOf<T extends Fault>(
  faults: readonly T[],
  { files }: Pick<Change, 'files'> = change(),
  isWhole = playsAll,
): Choice<T> {
  if (isWhole) return { played: faults, words: `all ${faults.length}` };
  const changed = new Set(files);
  const isChanged = (fault: T): boolean => editsOf(fault).some((edit) => changed.has(placeOf(edit).file));
  const drawn = faults.toSorted((one, other) => drawOf(one) - drawOf(other));
  const touched = drawn.filter(isChanged);
  const sampled = drawn.filter((fault, place) => place < LEAST || drawOf(fault) < 1 / ONE_IN);
  const wanted = new Set([...touched, ...sampled]);
  const chosen = new Set([...wanted].slice(0, MOST));
  const left = wanted.size - chosen.size;
  const words = [
    `${chosen.size} of ${faults.length}`,
    `${touched.length} in files that have changed`,
    ...(left > 0 ? [`${left} of those and of the sample are left out`] : []),
    'npm run campaign faults plays all',
  ];
  return { played: faults.filter((fault) => chosen.has(fault)), words: words.join(', ') };
}

/** From 0 to 1. */
const drawOf = ({ name }: Fault): number =>
  createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
