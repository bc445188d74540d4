/** Mutants for what is outside the core: the assumption EN3, the theorems Q1–Q3, the polling properties, and the two extra checks. */
import {
  type Case,
  crashed,
  durable,
  endedAfterCrash,
  lateStart,
  type Mutant,
  noon,
  overlapping,
  plain,
  sameMinute,
  startedAfterCrash,
  startedAfterStop,
  startedOnceMore,
  stopped,
  strayEnd,
  together,
  unawaited,
} from './mutant.ts';
import { shown, trace } from './traces.ts';

type Sketch = Omit<Mutant, 'blame' | 'task'> & Partial<Pick<Mutant, 'blame'>>;

/** Of task a, and the scheduler's fault, unless it says otherwise. */
const mutant = (sketch: Sketch): Mutant => ({ task: 'a', blame: 'scheduler', ...sketch });

const afterStop = mutant({
  fault: 'a start after stop has returned',
  trace: startedAfterStop,
  at: '12:05',
  line: 7,
  says: ['"a"', shown('12:05'), 'stop()'],
});
const afterCrash = mutant({
  fault: 'a start after a crash, before any initialization',
  trace: startedAfterCrash,
  at: '12:04:30',
  line: 6,
  says: ['"a"', shown('12:04:30'), 'crash', 'before any initialization'],
});
const endAfterCrash = mutant({
  blame: 'environment',
  fault: 'a run that a crash cut off ends after it',
  trace: endedAfterCrash,
  at: '12:04:30',
  line: 6,
  says: ['"a"', shown('12:04:30'), 'crash'],
});
const overlap = mutant({
  fault: 'a second start while the first run has not ended',
  trace: overlapping,
  at: '13:00:00.500',
  line: 8,
  says: ['"a"', shown('13:00:00.500'), shown('13:00')],
});
const onceMore = mutant({
  fault: 'a start that no due, retry or crash asks for',
  trace: startedOnceMore,
  at: '13:10',
  line: 9,
  says: ['"a"', shown('13:10'), shown('13:00')],
});
const late = mutant({
  fault: 'a start a minute and a half after its due',
  trace: lateStart,
  at: '12:01:30',
  line: 3,
  says: ['"a"', shown('12:00'), shown('12:01:30'), '90 s'],
});
const unawaitedRun = mutant({
  fault: 'stop returns while a callback runs',
  trace: unawaited,
  at: '12:00:11',
  line: 5,
  says: ['stop()', shown('12:00:11'), '"a"', shown('12:00')],
});

export const informativeCases: readonly Case[] = [
  {
    axiom: 'EN3',
    accepted: plain,
    mutants: [
      {
        fault: 'a lag that the witnesses allow, of a minute and a half',
        trace: lateStart,
        at: '12:01:30',
        blame: 'environment',
        says: ['90 s', 'minute'],
        options: { witnesses: { lagMs: 120_000 } },
      },
    ],
  },
  { axiom: 'Q1', accepted: crashed, mutants: [afterCrash] },
  { axiom: 'Q2', accepted: plain, mutants: [overlap] },
  { axiom: 'Q3', accepted: stopped, mutants: [afterStop] },
  {
    axiom: 'P1',
    accepted: plain,
    mutants: [
      mutant({
        fault: 'an end without a run',
        trace: strayEnd,
        at: '12:30',
        line: 7,
        blame: 'environment',
        says: ['"a"', shown('12:30'), 'none was running'],
      }),
    ],
  },
  { axiom: 'P2', accepted: plain, mutants: [overlap] },
  { axiom: 'P3', accepted: plain, mutants: [onceMore] },
  {
    axiom: 'P4',
    accepted: sameMinute,
    mutants: [
      mutant({
        fault: 'what was missed is made up for twice',
        trace: sameMinute.with((t) => t.at('12:00:13').start('a')),
        at: '12:00:13',
        line: 5,
        says: ['"a"', shown('12:00:13'), shown('12:00:11')],
      }),
    ],
  },
  { axiom: 'P5', accepted: stopped, mutants: [afterStop] },
  { axiom: 'P6', accepted: crashed, mutants: [afterCrash, endAfterCrash] },
  { axiom: 'P9', accepted: stopped, mutants: [unawaitedRun, afterStop] },
  {
    axiom: 'P10',
    accepted: crashed,
    mutants: [
      mutant({
        fault: 'a run that a crash cut off is forgotten',
        trace: crashed.without('RunSuccess').without('RunStart').at('12:10').stop(),
        at: '12:10',
        says: ['"a"', shown('12:05'), 'not started', shown('12:10')],
      }),
    ],
  },
  {
    axiom: 'P11',
    accepted: together,
    mutants: [
      mutant({
        fault: 'a due and a retry together start twice',
        trace: together.with((t) => t.at('12:01:33').start('a')),
        at: '12:01:33',
        line: 11,
        says: ['"a"', shown('12:01:33'), shown('12:01:31')],
      }),
    ],
  },
  { axiom: 'P12', accepted: plain, mutants: [onceMore] },
  { axiom: 'P13', accepted: plain, mutants: [late] },
  { axiom: 'P14', accepted: crashed, mutants: [endAfterCrash] },
  {
    axiom: 'P16',
    accepted: stopped,
    mutants: [
      {
        fault: 'stop never returns, though nothing runs',
        trace: trace().at('11:59').init(noon).at('11:59:10').stopStart().at('12:05').frozen('12:04'),
        at: '12:05',
        blame: 'scheduler',
        says: ['stop()', shown('11:59:10'), '350 s'],
      },
    ],
  },
  {
    axiom: 'WF',
    accepted: plain,
    mutants: [
      {
        fault: 'time goes back without a ClockStep',
        trace: plain.at('13:20').frozen('13:19'),
        at: '13:30',
        line: 11,
        blame: 'environment',
        says: ['line 11', shown('13:30'), shown('13:20')],
      },
      {
        fault: 'a stop ends that never began',
        trace: trace().at('12:00').stopEnd(),
        at: '12:00',
        line: 1,
        blame: 'environment',
        says: ['line 1', 'never began'],
      },
    ],
  },
  {
    axiom: 'WA',
    accepted: durable,
    mutants: [
      mutant({
        fault: 'a call before the start is durable',
        trace: durable.without('StartDurable').with((t) => t.at('11:59:10').startDurable('b')),
        at: '12:00:00.020',
        line: 4,
        says: ['"a"', shown('12:00:00.020'), 'before its start was durable'],
      }),
    ],
  },
];
