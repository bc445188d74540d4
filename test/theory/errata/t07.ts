import type { Erratum } from './erratum.ts';
import { accepted, call, minute, own } from './happenings.ts';

/** A stop is called during an initialization. The letter takes the scheduler for active after it, and theorem 3 forbids starts. */
export const T7: Erratum = {
  title: 'T7 a stop during an initialization leaves the scheduler active for ever',
  prefix: [
    call('IS', '12:00:01'),
    call('SS', '12:00:02'),
    accepted('12:00:03', ['x|A'], 'stopped'),
    call('SE', '12:00:04'),
    minute('12:01', 'A'),
  ],
  moves: { x: [own('RS', '12:01:01', 'x|A')] },
  length: 2,
  way: [],
};
