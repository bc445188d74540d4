import type { Erratum } from './erratum.ts';
import { initialize, minute, own, run } from './happenings.ts';

/** A minute begins with a start: the due outlives the start that it should be served by, and a second success is forbidden. */
export const served: Erratum = {
  title: 'T13 a due at the position of a start is owed after it, and may not succeed',
  prefix: [
    minute('12:00', 'A'),
    ...initialize('12:00:59', 'x|A'),
    { ...own('RS', '12:01:00', 'x|A'), pulse: new Set(['A']) },
    own('REs', '12:01:01', 'x|A'),
  ],
  moves: { x: run('12:01:02', 'x|A') },
  length: 2,
  way: [],
};

/** The start is of the very millisecond of its due. */
export const prompt: Erratum = {
  title: 'T13 a start at the very instant of its due comes too early',
  trace: [
    minute('12:00'),
    ...initialize('12:00:59', 'x|A'),
    { ...own('RS', '12:01:00', 'x|A'), pulse: new Set(['A']) },
    own('REs', '12:01:01', 'x|A'),
  ],
  wrongly: ['S1'],
  rightly: [],
};
