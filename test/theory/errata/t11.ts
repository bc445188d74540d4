import type { Erratum } from './erratum.ts';
import { accepted, call, initialize, minute, run } from './happenings.ts';

/** The initialization became durable in a minute in which x is due, and the process died before the call returned. */
export const T11: Erratum = {
  title: 'T11 a crash between the commit of an initialization and its success',
  trace: [
    minute('12:00', 'A'),
    call('IS', '12:00:01'),
    { ...accepted('12:00:02', ['x|A'], 'stopped'), marks: ['Valid', 'commit'] },
    call('Crash', '12:00:03'),
    minute('12:01'),
    ...initialize('12:01:01', 'x|A'),
    ...run('12:01:02', 'x|A'),
  ],
  wrongly: ['S1'],
  rightly: [],
};
