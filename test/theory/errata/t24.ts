import type { Erratum } from './erratum.ts';
import { accepted, call, minute, run } from './happenings.ts';

/** A name first comes at 12:00:59, by the plan, in a minute in which it is due. That minute passes while the plan is written. */
export const T24: Erratum = {
  title: 'T24 a minute passes while an initialization is written',
  trace: [
    minute('12:00', 'A'),
    call('IS', '12:00:58'),
    { ...accepted('12:00:59', ['x|A'], 'stopped'), marks: ['Valid', 'commit'] },
    minute('12:01'),
    accepted('12:01:01', ['x|A']),
    ...run('12:01:02', 'x|A'),
  ],
  wrongly: ['S1'],
  rightly: [],
};
