import type { Erratum } from './erratum.ts';
import { call, initialize, later, minute, own, repairs, type Theory } from './happenings.ts';

/** A callback that a stop has aborted has failed, and here its policy gives it up: no `RetryDue` comes. */
export const failsByStop: Theory = {
  ...repairs,
  name: 'a theory in which what a stop has aborted has failed',
  read: (happened) =>
    repairs.read(
      happened.map((position) => ({
        ...position,
        marks: position.marks?.filter((mark) => mark !== 'interrupted') ?? [],
      })),
    ),
};

/** The orderly stop loses what a kill would have kept (A13). */
export const T19: Erratum = {
  title: 'T19 a run that a stop has interrupted',
  trace: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    own('RS', '12:00:02', 'x|A'),
    call('SS', '12:00:10'),
    { ...own('REf', '12:00:11', 'x|A'), marks: ['interrupted'] },
    call('SE', '12:00:12'),
    ...initialize('12:01:01', 'x|A'),
    later('12:30'),
    call('SS', '12:30:01'),
  ],
  wrongly: [],
  rightly: ['L1'],
};
