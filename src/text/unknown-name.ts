/** What to say of a name that is not known: our word for it, or the name that was probably meant. */
import { nearest } from './nearest.ts';
import { printable } from './printable.ts';

/** Words of other libraries, in lower case and with blanks between them, and what to write here instead. */
export type ForeignWords = ReadonlyArray<readonly [words: string, way: string]>;

/** The way from a name to one that is known; undefined if none is near. */
export function wayFrom(
  written: string,
  known: readonly string[],
  foreign: ForeignWords = [],
): string | undefined {
  const word = written.toLowerCase().replaceAll(/[-_]/g, '');
  const duration = known.find((name) => word === `${name.toLowerCase()}ms`);
  if (duration !== undefined) return `write ${duration}, which takes a duration such as seconds(5)`;
  const way = foreign.find(([words]) => words.split(' ').includes(word));
  if (way !== undefined) return way[1];
  const meant = nearest(written, known);
  return meant === undefined ? undefined : `did you mean "${meant}"?`;
}

/** Throws for the first name that a function has no option for. */
export function refuseUnknown(
  what: string,
  options: object,
  known: readonly string[],
  foreign?: ForeignWords,
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const way = wayFrom(unknown, known, foreign) ?? `the options are ${known.join(', ')}`;
  throw new TypeError(`${what} has no option "${printable(unknown)}": ${way}`);
}
