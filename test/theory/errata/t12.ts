import type { Erratum } from './erratum.ts';
import { accepted, call, initialize, later } from './happenings.ts';

/** The stop is called under the old list and returns under the new one, having waited for the initialization (D7). */
export const again: Erratum = {
  title: 'T12 a stop during a re-initialization returns, and is said not to have',
  prefix: [
    ...initialize('12:00:01', 'x|A'),
    call('Crash', '12:00:02'),
    call('IS', '12:00:03'),
    call('SS', '12:00:04'),
    accepted('12:00:05', ['x|B'], 'stopped'),
  ],
  moves: { stopped: [call('SE', '12:00:06')] },
  length: 2,
  way: ['stopped'],
};

/** Before anything is registered, a stop is of no list, and may take for ever. */
export const first: Erratum = {
  title: 'T12 a stop during the first initialization never returns, and nothing is said',
  trace: [
    call('IS', '12:00:01'),
    call('SS', '12:00:02'),
    accepted('12:00:03', ['x|A'], 'stopped'),
    later('12:10'),
  ],
  wrongly: [],
  rightly: ['L3'],
};
