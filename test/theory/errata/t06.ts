import type { Erratum } from './erratum.ts';
import { call, initialize } from './happenings.ts';

/** A valid list, while the scheduler is active: the specification has it rejected (D4). */
export const T6: Erratum = {
  title: 'T6 a valid list is rejected while the scheduler is active',
  trace: [
    ...initialize('12:00:01', 'x|A'),
    call('IS', '12:00:02'),
    { ...call('IEf', '12:00:02'), marks: ['Valid', 'Excused'] },
  ],
  wrongly: ['S5'],
  rightly: [],
};
