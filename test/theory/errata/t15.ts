import type { Erratum } from './erratum.ts';
import { call, initialize, minute, own, stop } from './happenings.ts';

/** A start and a crash at one position. `Running` is false there, as it should be, and true for ever after. */
export const T15: Erratum = {
  title: 'T15 what is set and cleared at one position comes back at the next',
  trace: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    { ...own('RS', '12:00:02', 'x|A'), marks: ['Crash'] },
    ...initialize('12:00:03'),
    ...stop('12:00:04'),
    call('other', '12:00:05'),
  ],
  wrongly: ['S3'],
  rightly: [],
};
