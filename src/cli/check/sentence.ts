/** The sentence of a violation, with its instants as the clocks of a zone showed them. */
import type { Zone } from '../../cron/index.ts';
import type { Violation } from '../../theory/index.ts';
import { printable } from '../terminal/text.ts';
import { timestamp } from '../words.ts';

export type Part = Violation['parts'][number];

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
  printable(violation.parts.map((part) => wordsOf(part, (at) => timestamp(at, zone))).join(''));
