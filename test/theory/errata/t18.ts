import { DueSkipped, Passed, Pause, RS } from '../../../src/theory/logic/atoms.ts';
import { and, Fcomp, G, implies, not, or, someList } from '../../../src/theory/logic/formula.ts';
import { ActiveR, RegisteredRx, Waits } from '../../../src/theory/logic/macros.ts';
import type { Position } from '../reference/position.ts';
import type { Erratum } from './erratum.ts';
import { call, initialize, later, minute, own, repairs, type Theory } from './happenings.ts';

/** L1 as it was repaired first: a pause, a skip and a due that is passed over are answers, whatever they leave owed. */
export const answeredByEvents: Theory = {
  ...repairs,
  name: 'L1 that is answered by events',
  axioms: {
    ...repairs.axioms,
    L1: G(
      not(
        someList(
          not(
            implies(
              and(Waits, RegisteredRx, ActiveR),
              Fcomp(or(RS, Passed, DueSkipped, Pause, not(ActiveR))),
            ),
          ),
        ),
      ),
    ),
  },
};

const of = (event: 'Requested' | 'Pause', time: string): Position => ({
  event,
  at: call('other', time).at,
  task: 'x',
});
const resume = (time: string): Position => ({
  event: 'Resume',
  at: call('other', time).at,
  task: 'x',
  catchUp: false,
});
const skip = (time: string): Position => ({
  event: 'DueSkipped',
  at: call('other', time).at,
  task: 'x',
  rightful: true,
});

const begun = [...initialize('12:00:30', 'x|A'), of('Requested', '12:00:31')];
const failed = [...begun, own('RS', '12:00:31', 'x'), own('REf', '12:00:32', 'x')];
const cut = [
  ...begun,
  own('RS', '12:00:31', 'x'),
  call('Crash', '12:00:32'),
  ...initialize('12:00:33', 'x|A'),
];
const tooOld = (time: string): Position => ({ event: 'Stale', at: call('other', time).at, schedule: 'A' });

const lost = (title: string, ...trace: readonly Position[]): Erratum => ({
  title: `T18 ${title}`,
  trace: [...trace, later('18:00')],
  wrongly: [],
  rightly: ['L1'],
});

/** Six ways to lose work, and to be accepted. */
export const T18: readonly Erratum[] = [
  lost(
    'a retry after a pause',
    ...failed,
    own('RetryDue', '12:00:35', 'x'),
    of('Pause', '12:00:36'),
    resume('12:05'),
  ),
  lost('a request before a pause', ...begun, of('Pause', '12:00:32')),
  lost(
    'a request during a pause',
    ...initialize('12:00:30', 'x|A'),
    of('Pause', '12:00:31'),
    of('Requested', '12:00:32'),
    resume('12:00:33'),
  ),
  lost('a run that was cut off, after a pause', ...cut, of('Pause', '12:00:34'), resume('12:05')),
  lost(
    'a request next to a due that is skipped',
    ...initialize('12:00:30', 'x|A'),
    minute('12:01', 'A'),
    tooOld('12:01:30'),
    of('Requested', '12:01:31'),
    skip('12:01:32'),
  ),
  lost(
    'a retry next to a due that is skipped',
    ...failed,
    minute('12:01', 'A'),
    own('RetryDue', '12:01:20', 'x'),
    tooOld('12:01:30'),
    skip('12:01:32'),
  ),
];
