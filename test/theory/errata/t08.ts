import type { Erratum } from './erratum.ts';
import { initialize, minute, run, stop } from './happenings.ts';

/** Removed and added anew within the minute: it is due when it first comes, once more, and may not succeed once more. */
export const T8: Erratum = {
  title: 'T8 a task that is removed and comes back within the minute of its success',
  prefix: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    ...run('12:00:02', 'x|A'),
    ...stop('12:00:03'),
    ...initialize('12:00:04'),
    ...stop('12:00:05'),
    ...initialize('12:00:06', 'x|A'),
  ],
  moves: { x: run('12:00:07', 'x|A') },
  length: 2,
  way: ['x'],
};
