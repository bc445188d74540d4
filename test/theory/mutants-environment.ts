/** Mutants for the axioms of the environment. */
import { type Case, crashed, endedAfterCrash, plain } from './mutant.ts';
import { shown } from './traces.ts';

export const environmentCases: readonly Case[] = [
  {
    axiom: 'EA1',
    accepted: crashed,
    mutants: [
      {
        fault: 'a crash without a freeze around it',
        trace: crashed.without('Frozen'),
        at: '12:00:10',
        blame: 'environment',
        says: ['crash', shown('12:00:10')],
      },
    ],
  },
  {
    axiom: 'EA2',
    accepted: crashed,
    mutants: [
      {
        fault: 'an end in the middle of a freeze',
        trace: plain.with((t) => t.at('12:00:08').frozen('12:00:02')),
        at: '12:00:06',
        line: 7,
        blame: 'environment',
        says: [shown('12:00:06'), 'frozen', shown('12:00:02'), shown('12:00:08')],
      },
    ],
  },
  {
    axiom: 'EA3',
    accepted: plain,
    mutants: [
      {
        fault: 'the start of one and the same run, recorded twice',
        trace: plain.with((t) => t.at('13:00').start('a', 'a-3')),
        task: 'a',
        at: '13:00',
        line: 8,
        blame: 'environment',
        says: ['RunStart', '"a"', 'twice'],
      },
    ],
  },
  {
    axiom: 'EA6',
    accepted: crashed,
    mutants: [
      {
        fault: 'a run that a crash cut off ends after it',
        trace: endedAfterCrash,
        task: 'a',
        at: '12:04:30',
        line: 6,
        blame: 'environment',
        says: ['"a"', shown('12:04:30'), 'crash'],
      },
    ],
  },
];
