import type { Erratum } from './erratum.ts';
import { initialize, later, minute, run, stop } from './happenings.ts';

/** At 12:01 both the old schedule and the new are due, and one start serves the name; the new tuple has never been started. */
export const T5: Erratum = {
  title: 'T5 a changed task owes a run for a minute that its name has served',
  trace: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    ...run('12:00:02', 'x|A'),
    minute('12:01', 'A', 'B'),
    ...run('12:01:01', 'x|A'),
    ...stop('12:01:02'),
    ...initialize('12:01:03', 'x|B'),
    later('12:10'),
  ],
  wrongly: ['L1'],
  rightly: [],
};
