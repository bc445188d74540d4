/** What to say of a name that is not known: our word for it, or the name that was probably meant. */
import { nearest } from './nearest.ts';

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
