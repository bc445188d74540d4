import { Crash, RS } from '../../../src/theory/logic/atoms.ts';
import { and, Hold, not, or, Y } from '../../../src/theory/logic/formula.ts';
import { FirstComing, MetInTime, Paused, Running } from '../../../src/theory/logic/macros.ts';
import type { Position } from '../reference/position.ts';
import type { Erratum } from './erratum.ts';
import { at, call, initialize, later, minute, own, repairs, type Theory } from './happenings.ts';

const cutOff = Hold(and(Crash, Y(Running)), or(RS, FirstComing));

/** Every run that a crash has cut off is owed. */
export const owesCutOffs: Theory = {
  ...repairs,
  name: 'a theory in which every run that a crash has cut off is owed',
  axioms: { ...repairs.axioms, L1: MetInTime(and(not(Paused), cutOff)) },
};

const started: readonly Position[] = [
  minute('12:00', 'A'),
  ...initialize('12:00:01', 'x|A'),
  own('RS', '12:00:02', 'x|A'),
];
const cut: readonly Position[] = [
  call('Crash', '12:00:10'),
  ...initialize('12:00:11', 'x|A'),
  later('12:30'),
  call('SS', '12:30:01'),
];

/** Somebody has cancelled the run: nobody wants it again (I4). */
export const T21: Erratum = {
  title: 'T21 a run that was cancelled, and that a crash cuts off',
  trace: [...started, { event: 'Cancel', at: at('12:00:05'), task: 'x' }, ...cut],
  wrongly: ['L1'],
  rightly: [],
};
