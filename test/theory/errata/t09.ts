import type { Erratum } from './erratum.ts';
import { initialize, own } from './happenings.ts';

/** An end without a run is recorded. The scheduler has done nothing, and could have done nothing. */
export const T9: Erratum = {
  title: 'T9 an end that never began breaks an axiom of a scheduler that did nothing',
  prefix: [...initialize('12:00:01', 'x|A'), own('REs', '12:00:02', 'x|A')],
  moves: { x: [own('RS', '12:00:03', 'x|A')] },
  length: 2,
  way: [],
};
