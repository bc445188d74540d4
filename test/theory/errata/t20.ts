import type { Erratum } from './erratum.ts';
import { initialize, minute, own } from './happenings.ts';

/** A list leaves a name out while it runs, and the next one has it. The store has had it all the time, and knows what came due meanwhile. */
export const T20: Erratum = {
  title: 'T20 a name that is left out while it runs, and comes back',
  trace: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    own('RS', '12:00:02', 'x|A'),
    minute('12:01', 'A'),
    ...initialize('12:01:03', 'y|never'),
    ...initialize('12:01:04', 'x|A', 'y|never'),
    own('REs', '12:01:05', 'x|A'),
    own('RS', '12:01:06', 'x|A'),
  ],
  wrongly: ['S1'],
  rightly: [],
};
