import type { Erratum } from './erratum.ts';
import { call, initialize, later, minute, own, stop } from './happenings.ts';

/** A run is cut off, its task removed and added anew. The next crash finds nothing running, and yet orphans it again. */
export const T4: Erratum = {
  title: 'T4 a crash orphans a run of before an earlier crash',
  trace: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    own('RS', '12:00:02', 'x|A'),
    call('Crash', '12:00:03'),
    ...initialize('12:00:04'),
    ...stop('12:00:05'),
    minute('12:01'),
    ...initialize('12:01:01', 'x|A'),
    call('Crash', '12:01:02'),
    ...initialize('12:01:03', 'x|A'),
    later('12:10'),
  ],
  wrongly: ['L1'],
  rightly: [],
};
