/** The sentence of a violation, with its instants as the clocks of a zone showed them. */
import type { Zone } from '../../cron/index.ts';
import type { Violation } from '../../theory/index.ts';
import { printable } from '../terminal/text.ts';
import { timestamp } from '../words.ts';

export type Part = NonNullable<Violation['parts']>[number];

/** The words of a part, its instant shown in one way or another. */
const wordsOf = (part: Part, showInstant: (at: number) => string): string => {
  if (typeof part === 'string') return part;
  return 'at' in part ? showInstant(part.at) : `line ${part.line}`;
};

/** The sentence as the monitor says it: instants in UTC. */
export const plainSentence = (parts: readonly Part[]): string =>
  parts.map((part) => wordsOf(part, (at) => new Date(at).toISOString())).join('');

/** The sentence for people, with instants in a zone, and fit for a terminal. */
export const sentenceOf = (violation: Violation, zone: Zone): string =>
  printable(
    partsOf(violation)
      .map((part) => wordsOf(part, (at) => timestamp(at, zone)))
      .join(''),
  );

/** The parts of a violation's sentence. A verdict that has none yet is taken apart by its words. */
export const partsOf = ({ parts, because }: Violation): readonly Part[] => parts ?? partsOfWords(because);

/** The line of the one sentence that names one, and instants as `toISOString` writes them (years may have six digits and a sign). */
const KNOWN =
  /(?<=^The trace is malformed: )line (?<line>\d+)(?=: )|(?<at>(?:[+-]\d{6}|\b\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/g;
/** In every zone a `Date` can show what lies this far from its ends. */
const SHOWN_IN_EVERY_ZONE = 8.64e15 - 2 * 86_400_000;

function partsOfWords(because: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { index, 0: text, groups } of because.matchAll(KNOWN)) {
    const at = Date.parse(groups?.at ?? '');
    // The sentence quotes names, and a name may look like an instant that a `Date` cannot show.
    const isShown = groups?.line !== undefined || Math.abs(at) < SHOWN_IN_EVERY_ZONE;
    if (!isShown) continue;
    parts.push(
      because.slice(end, index),
      groups?.line === undefined ? { at } : { line: Number(groups.line) },
    );
    end = index + text.length;
  }
  return [...parts, because.slice(end)];
}
