import type { Erratum } from './erratum.ts';
import { call, initialize, later, minute, own } from './happenings.ts';

/** A stop that waits for a run, and then for ever. The letter finds no first quiescence, and nothing to blame. */
export const T3: Erratum = {
  title: 'T3 a stop that waits for a run and never returns',
  trace: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    own('RS', '12:00:02', 'x|A'),
    call('SS', '12:00:03'),
    own('REs', '12:00:04', 'x|A'),
    later('12:10'),
  ],
  wrongly: [],
  rightly: ['L3'],
};
