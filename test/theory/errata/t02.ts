import type { Erratum } from './erratum.ts';
import { initialize, minute, own, run } from './happenings.ts';

/** The retry of a failure that a later run has made up for: it must be started (L1), and may not succeed (S2). */
export const T2: Erratum = {
  title: 'T2 the retry of a failure that a later success has made up for',
  prefix: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    own('RS', '12:00:02', 'x|A'),
    own('REf', '12:00:03', 'x|A'),
    minute('13:00', 'A'),
    ...run('13:00:01', 'x|A'),
    { ...own('RetryDue', '13:30:03', 'x|A'), marks: ['stale'] },
  ],
  moves: { x: run('13:30:04', 'x|A') },
  length: 2,
  way: [],
};
