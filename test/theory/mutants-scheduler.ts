/** Mutants for the axioms of the scheduler. */
import {
  type Case,
  lateStart,
  noon,
  plain,
  startedOnceMore,
  stopped,
  strayEnd,
  unawaited,
} from './mutant.ts';
import { shown, type Trace, trace } from './traces.ts';

/** At 13:00 nobody is there. The next life begins late, and skips that due. Then one is served. */
const skippedAt = (time: string): Trace =>
  trace()
    .at('12:01')
    .init({ a: ['0 * * * *', 5000, { startWithinMs: 600_000 }] })
    .at('12:59')
    .stop()
    .at(time)
    .init({ a: ['0 * * * *', 5000, { startWithinMs: 600_000 }] })
    .skip('a', '13:00')
    .at('14:00')
    .start('a')
    .at('14:00:01')
    .succeed('a');

export const schedulerCases: readonly Case[] = [
  {
    axiom: 'S1',
    accepted: plain,
    mutants: [
      {
        fault: 'a start that no due, retry or crash asks for',
        trace: startedOnceMore,
        task: 'a',
        at: '13:10',
        line: 9,
        blame: 'scheduler',
        says: ['"a"', shown('13:10'), 'nothing was owed', shown('13:00')],
      },
      {
        fault: 'the first coming starts everything',
        trace: trace().at('12:30').init({ a: '0 6 * * *' }).at('12:30:01').start('a'),
        task: 'a',
        at: '12:30:01',
        line: 3,
        blame: 'scheduler',
        says: ['"a"', shown('12:30:01'), 'nothing was owed'],
      },
      {
        fault: 'a start for a due that is too old (H4)',
        trace: skippedAt('13:20')
          .without('DueSkipped')
          .with((t) => t.at('13:20:01').start('a').at('13:20:02').succeed('a')),
        task: 'a',
        at: '13:20:01',
        line: 7,
        blame: 'scheduler',
        says: ['"a"', shown('13:20:01'), 'nothing was owed', shown('13:00'), 'too old'],
      },
      {
        fault: 'a start of a paused task (I3)',
        trace: plain.with((t) => t.at('12:30').pause('a')),
        task: 'a',
        at: '13:00',
        line: 8,
        blame: 'scheduler',
        says: ['"a"', shown('13:00'), 'paused'],
      },
      {
        fault: 'a start between the call of stop and its return',
        trace: trace()
          .at('11:59')
          .init(noon)
          .at('11:59:59')
          .stopStart()
          .at('12:00')
          .start('a')
          .succeed('a')
          .stopEnd(),
        task: 'a',
        at: '12:00',
        line: 4,
        blame: 'scheduler',
        says: ['"a"', shown('12:00'), 'StopStart', shown('11:59:59')],
      },
      {
        fault: 'a start of a name that is in no list',
        trace: plain.with((t) => t.at('12:10').start('b').at('12:10:01').fail('b')),
        task: 'b',
        at: '12:10',
        line: 7,
        blame: 'scheduler',
        says: ['"b"', shown('12:10'), 'no registration list'],
      },
    ],
  },
  {
    axiom: 'S2',
    accepted: plain,
    mutants: [
      {
        fault: 'two successes for one due',
        trace: startedOnceMore,
        task: 'a',
        at: '13:10:01',
        line: 10,
        blame: 'scheduler',
        says: ['"a"', shown('13:10:01'), 'second time', shown('13:10')],
      },
    ],
  },
  {
    axiom: 'S3',
    accepted: stopped,
    mutants: [
      {
        fault: 'stop returns while a callback runs',
        trace: unawaited,
        task: 'a',
        at: '12:00:11',
        line: 5,
        blame: 'scheduler',
        says: ['stop()', shown('12:00:11'), '"a"', shown('12:00')],
      },
    ],
  },
  {
    axiom: 'S4',
    accepted: plain,
    mutants: [
      {
        fault: 'an end without a run',
        trace: strayEnd,
        task: 'a',
        at: '12:30',
        line: 7,
        blame: 'environment',
        says: ['"a"', shown('12:30'), 'none was running'],
      },
    ],
  },
  {
    axiom: 'S5',
    accepted: trace()
      .at('11:58')
      .initStart({ a: '*/5 * * * *' })
      .initFailure('CronExpressionInvalidError', 'invalid')
      .at('11:59')
      .init(noon),
    mutants: [
      {
        fault: 'a valid list is rejected',
        trace: trace()
          .at('11:59')
          .initStart(noon)
          .at('11:59:01')
          .initFailure('InvalidRegistrationError', 'valid'),
        at: '11:59:01',
        line: 2,
        blame: 'scheduler',
        says: ['initialize()', 'valid list', shown('11:59:01')],
      },
      {
        fault: 'a name twice in a list, accepted',
        trace: trace()
          .at('11:59')
          .initStart([
            { name: 'a', cron: '0 12 * * *', retryDelayMs: 0 },
            { name: 'a', cron: '0 13 * * *', retryDelayMs: 0 },
          ])
          .at('11:59:01')
          .initSuccess(),
        at: '11:59:01',
        line: 2,
        blame: 'scheduler',
        says: ['initialize()', 'not valid', shown('11:59:01'), '"a" is there twice'],
      },
      {
        fault: 'a schedule that is never due, accepted',
        trace: trace().at('11:59').initStart({ a: '0 0 30 2 *' }).at('11:59:01').initSuccess(),
        at: '11:59:01',
        line: 2,
        blame: 'scheduler',
        says: ['initialize()', 'not valid', shown('11:59:01'), 'never due'],
      },
    ],
  },
  {
    axiom: 'S6',
    accepted: skippedAt('13:20'),
    mutants: [
      {
        fault: 'a due is skipped that is young enough to be started',
        trace: skippedAt('13:05'),
        task: 'a',
        at: '13:05',
        line: 7,
        blame: 'scheduler',
        says: ['"a"', shown('13:05'), 'neither too old'],
      },
      {
        fault: 'a due is skipped that was served',
        trace: skippedAt('13:20').with((t) => t.at('14:30').skip('a', '14:00')),
        task: 'a',
        at: '14:30',
        line: 10,
        blame: 'scheduler',
        says: ['"a"', shown('14:30'), 'no due was waiting'],
      },
    ],
  },
  {
    axiom: 'L1',
    accepted: plain,
    mutants: [
      {
        fault: 'a start a minute and a half after its due',
        trace: lateStart,
        task: 'a',
        at: '12:01:30',
        line: 3,
        blame: 'scheduler',
        says: ['"a"', shown('12:00'), shown('12:01:30'), '90 s'],
      },
      {
        fault: 'a due that is never served',
        trace: trace().at('11:59').init(noon).at('12:10').init(noon),
        task: 'a',
        at: '12:10',
        blame: 'scheduler',
        says: ['"a"', shown('12:00'), 'not started', shown('12:10')],
      },
      {
        fault: 'a retry that never comes',
        trace: trace()
          .at('11:59')
          .init(noon)
          .at('12:00')
          .start('a')
          .at('12:00:01')
          .fail('a')
          .at('12:02')
          .stop(),
        task: 'a',
        at: '12:02',
        blame: 'scheduler',
        says: ['"a"', shown('12:00:06'), 'not started', shown('12:02')],
      },
    ],
  },
  {
    axiom: 'L2',
    accepted: plain,
    mutants: [
      {
        fault: 'initialize returns after two minutes',
        trace: trace().at('11:50').initStart(noon).at('11:52').initSuccess(),
        at: '11:52',
        line: 2,
        blame: 'scheduler',
        says: ['initialize()', shown('11:50'), '120 s'],
      },
    ],
  },
  {
    axiom: 'L3',
    accepted: stopped,
    mutants: [
      {
        fault: 'stop returns two minutes after the last run has ended',
        trace: trace()
          .at('11:59')
          .init(noon)
          .at('12:00')
          .start('a')
          .at('12:00:10')
          .stopStart()
          .at('12:00:20')
          .succeed('a')
          .at('12:02:20')
          .stopEnd(),
        at: '12:02:20',
        line: 6,
        blame: 'scheduler',
        says: ['stop()', shown('12:00:20'), '120 s'],
      },
    ],
  },
];
